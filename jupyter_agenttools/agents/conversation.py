"""Is this a history that a provider takes, and how is one mended that is not?

One machine does both: it walks through the messages, notes what no provider would take, and writes down the history as
it has to be. What is right stays the very same object, so a sound history costs a look at each message and nothing
else, and a history that only grew is looked at from where it grew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.blocks import Block, ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from ..core.sequences import same_beginning

FaultKind = Literal[
    "empty_message",
    "empty_text",
    "wrong_role",
    "no_beginning",
    "roles_repeat",
    "use_without_result",
    "result_without_use",
    "result_twice",
    "result_after_text",
    "id_repeats",
]

Content = tuple[Block, ...]

BROKEN_OFF = "Interrupted: the conversation broke off before this call had a result. Whether it ran is not known."
NO_BEGINNING = "(The beginning of this conversation is missing.)"


@dataclass(frozen=True)
class HistoryFault:
    """Something in a history that a provider would refuse.

    Args:
        kind: what, as a stable id.
        index: the message, counted from 0.
        text: what, in one sentence, and how it is mended.
        tool_use_id: the call, ``""`` where it is about none.
    """

    kind: FaultKind
    index: int
    text: str
    tool_use_id: str = ""


def check_history(messages: Sequence[Message]) -> tuple[HistoryFault, ...]:
    """What is wrong with this history? Nothing, when every call has its one result in the message right after it, user
    and assistant take turns and the user begins, no message and no text is empty, and no id stands for two calls."""
    return _mended(messages).all_faults()


def repair_history(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The history as it has to be, and what was done to it, one sentence each; everything else stays as it was.

    A call without a result gets one that says so, a result without a call is left out, neighbours of one role become
    one message. A repaired history is sound, and repairing it again changes nothing.
    """
    mended = _mended(messages)
    return mended.history(), tuple(fault.text for fault in mended.all_faults())


class HistoryChecker:
    """Checks one growing history before each request, and remembers what it has seen.

    A history that goes on from the last one costs its new messages and a look at which they are (some 30 µs at 4,000
    messages); any other one is checked from its beginning.
    """

    def __init__(self) -> None:
        self._seen: Sequence[Message] = ()
        self._mender = _Mender()

    def check(self, messages: Sequence[Message]) -> tuple[HistoryFault, ...]:
        """As :func:`check_history`."""
        self._catch_up(messages)
        return self._mender.all_faults()

    def sound(self, messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[HistoryFault, ...]]:
        """What a provider can be sent for this history, and what was wrong with it.

        Neighbours of one role, which a session may hold, go out as one message and are no fault here.
        """
        self._catch_up(messages)
        faults = tuple(fault for fault in self._mender.all_faults() if fault.kind != "roles_repeat")
        return self._mender.history(), faults

    def _catch_up(self, messages: Sequence[Message]) -> None:
        known = same_beginning(self._seen, messages)
        if known < len(self._seen):
            known, self._mender = 0, _Mender()
        for message in messages[known:]:
            self._mender.add(message)
        self._seen = tuple(messages)


def _mended(messages: Iterable[Message]) -> _Mender:
    mender = _Mender()
    for message in messages:
        mender.add(message)
    return mender


class _Mender:
    """Takes messages one after the other and holds the sound history that they make."""

    def __init__(self) -> None:
        self.faults: list[HistoryFault] = []
        self._index = -1
        self._out: list[Message] = []
        self._ids: set[str] = set()
        self._asked_at = 0
        self._open: dict[str, deque[str]] = {}
        """Calls that have no result yet: the id that the result will name, and the ids that stand in the history."""
        self._answered: set[str] = set()

    def add(self, message: Message) -> None:
        self._index += 1
        content = self._fitting(message)
        if not content:
            self._fault("empty_message", "nothing is in it; it is left out")
        elif message.role == "assistant":
            self._add_assistant(_with(message, content))
        else:
            self._add_user(message, content)

    def history(self) -> tuple[Message, ...]:
        """What has been written down, with an answer to every call."""
        return (*self._out[:-1], *self._last_answered())

    def all_faults(self) -> tuple[HistoryFault, ...]:
        """Everything that was wrong so far, with the calls that still have no result."""
        return (*self.faults, *self._unanswered())

    # ---- one message

    def _fitting(self, message: Message) -> Content:
        """The blocks of a message that its role can have, without empty texts."""
        fits = all(_belongs(block, message.role) and not _is_blank(block) for block in message.content)
        return message.content if fits else tuple(self._only_fitting(message))

    def _only_fitting(self, message: Message) -> Iterable[Block]:
        for block in message.content:
            if not _belongs(block, message.role):
                kind = getattr(block, "type", type(block).__name__)
                call = getattr(block, "id", "") or getattr(block, "tool_use_id", "")
                self._fault("wrong_role", f"a {kind} block in a message of the {message.role}; it is left out", call)
            elif not _is_blank(block):
                yield block
            elif isinstance(block, ToolResultBlock):
                self._fault("empty_text", "a result holds an empty text; it is left out", block.tool_use_id)
                yield replace(block, content=tuple(part for part in block.content if not _is_blank(part)))
            else:
                self._fault("empty_text", "an empty text; it is left out")

    def _add_assistant(self, message: Message) -> None:
        self._answer_open()
        message = self._with_new_ids(message)
        if not self._out:
            self._fault("no_beginning", "the assistant speaks first; a message of the user is put before it")
            self._out.append(Message("user", (TextBlock(NO_BEGINNING),)))
        if self._out[-1].role == "assistant":
            self._fault("roles_repeat", "two messages of the assistant in a row; they become one")
            self._out[-1] = replace(self._out[-1], content=(*self._out[-1].content, *message.content))
        else:
            self._out.append(message)
        self._asked_at = self._index

    def _with_new_ids(self, message: Message) -> Message:
        """The message with ids that no earlier call has; from now on its calls wait for their results."""
        self._answered = set()
        blocks: list[Block] = []
        for block in message.content:
            if isinstance(block, ToolUse):
                fresh = self._fresh(block.id)
                self._open.setdefault(block.id, deque()).append(fresh)
                blocks.append(block if fresh == block.id else replace(block, id=fresh))
            else:
                blocks.append(block)
        return _with(message, tuple(blocks))

    def _fresh(self, id: str) -> str:
        fresh, number = id or "toolu", 1
        while fresh in self._ids or not fresh:
            number += 1
            fresh = f"{id or 'toolu'}_{number}"
        self._ids.add(fresh)
        if fresh != id:
            self._fault("id_repeats", f"the id {id!r} stands for two calls; this one becomes {fresh}", id)
        return fresh

    def _add_user(self, message: Message, content: Content) -> None:
        results = tuple(block for block in content if isinstance(block, ToolResultBlock))
        if results:
            content = self._with_results_first(content, results)
            if not content:
                return
        message = _with(message, content)
        if self._out and self._out[-1].role == "user":
            self._fault("roles_repeat", "two messages of the user in a row; they become one")
            self._out[-1] = _joined(self._out[-1], message.content)
        else:
            self._out.append(message)

    def _with_results_first(self, content: Content, results: Sequence[ToolResultBlock]) -> Content:
        """The content with only such results as are waited for, and these first."""
        kept = tuple(answer for result in results if (answer := self._answer(result)) is not None)
        if not all(isinstance(block, ToolResultBlock) for block in content[: len(results)]):
            self._fault("result_after_text", "results stand behind something else; they are put first")
        return (*kept, *(block for block in content if not isinstance(block, ToolResultBlock)))

    def _answer(self, result: ToolResultBlock) -> ToolResultBlock | None:
        """The result under the id of the call that waits for it, ``None`` when none does."""
        waiting = self._open.get(result.tool_use_id)
        if not waiting:
            twice = result.tool_use_id in self._answered
            words = "its call has one already" if twice else "no call in the message before it has this id"
            kind: FaultKind = "result_twice" if twice else "result_without_use"
            self._fault(kind, f"a result for {result.tool_use_id}, but {words}; it is left out", result.tool_use_id)
            return None
        id = waiting.popleft()
        if not waiting:
            del self._open[result.tool_use_id]
        self._answered.add(result.tool_use_id)
        return result if id == result.tool_use_id else replace(result, tool_use_id=id)

    # ---- calls without a result

    def _answer_open(self) -> None:
        """The next answer begins: calls that have no result by now never get one."""
        if not self._open:
            return
        self.faults += self._unanswered()
        self._out[-1:] = self._last_answered()
        self._open.clear()

    def _last_answered(self) -> list[Message]:
        """The last message that was written down, with results for the calls that have none."""
        missing = self._missing() if self._open else ()
        if not missing:
            return self._out[-1:]
        last = self._out[-1]
        return [_joined(last, missing)] if last.role == "user" else [last, Message("user", missing)]

    def _missing(self) -> tuple[ToolResultBlock, ...]:
        ids = [id for waiting in self._open.values() for id in waiting]
        return tuple(ToolResultBlock(id, BROKEN_OFF, is_error=True) for id in ids)

    def _unanswered(self) -> list[HistoryFault]:
        said = "has no result in the message after it; one that says so is added"
        ids = [id for waiting in self._open.values() for id in waiting]
        return [_fault("use_without_result", self._asked_at, f"the call {id} {said}", id) for id in ids]

    def _fault(self, kind: FaultKind, text: str, tool_use_id: str = "") -> None:
        self.faults.append(_fault(kind, self._index, text, tool_use_id))


def _fault(kind: FaultKind, index: int, text: str, tool_use_id: str) -> HistoryFault:
    return HistoryFault(kind, index, f"message {index + 1}: {text}", tool_use_id)


def _with(message: Message, content: Content) -> Message:
    same = len(content) == len(message.content) and all(map(_is, content, message.content))
    return message if same else replace(message, content=content)


def _joined(message: Message, more: Sequence[Block]) -> Message:
    """One message of the user out of two; results come first in it, as providers want them."""
    blocks = (*message.content, *more)
    results = tuple(block for block in blocks if isinstance(block, ToolResultBlock))
    return replace(message, content=(*results, *(block for block in blocks if not isinstance(block, ToolResultBlock))))


_OF_ROLE: dict[str, tuple[type, ...]] = {
    "user": (TextBlock, ImageBlock, ToolResultBlock),
    "assistant": (TextBlock, ThinkingBlock, ToolUse),
}


def _belongs(block: Block, role: str) -> bool:
    return isinstance(block, _OF_ROLE.get(role, ()))


def _is_blank(block: Block) -> bool:
    """Whether it is a text, or a result with a text among its blocks, in which nothing is to be read."""
    if isinstance(block, TextBlock):
        return not block.text or block.text.isspace()
    return (
        isinstance(block, ToolResultBlock) and not isinstance(block.content, str) and any(map(_is_blank, block.content))
    )


def _is(one: object, other: object) -> bool:
    return one is other
