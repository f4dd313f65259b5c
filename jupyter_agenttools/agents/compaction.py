"""When a conversation no longer fits: its older part becomes a summary that the model writes itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ..core.blocks import Message, ToolResultBlock
from ..core.cancel import Cancellation
from ..core.rough_tokens import message_tokens
from ..core.todos import Todo
from ..core.updates import Compacted
from ..core.usage import Usage
from ..models import Model, ModelRequest
from .summary import Summary, summary_message, write_summary
from .tokens import TokenMeter, compaction_threshold, context_window

Trigger = Literal["auto", "manual"]

ADVICE = "Start a new conversation, or ask for a compaction with words on what matters."

MAX_FAILURES = 3
"""So many failures in a row, and nothing is shortened any more until somebody asks for it: each costs a request."""

KEPT_WINDOW_SHARE = 0.2
"""Of the window: so much of the newest messages stays word for word at most."""

KEPT_CONVERSATION_SHARE = 0.25
"""Of the conversation itself, where that is less."""


class CompactionHooks(Protocol):
    """Who has a say before a conversation is shortened, and hears of it after. None of these raises."""

    async def before_compaction(self, trigger: Trigger, instructions: str) -> str | None:
        """Why it must not be done, ``None`` when it may."""
        ...

    async def after_compaction(self, trigger: Trigger, summary: str) -> None:
        """It was done, and this is the summary."""
        ...


class NoCompactionHooks:
    """Nobody has a say."""

    async def before_compaction(self, trigger: Trigger, instructions: str) -> str | None:
        return None

    async def after_compaction(self, trigger: Trigger, summary: str) -> None:
        return None


@dataclass(frozen=True)
class KeptFacts:
    """What the session knows itself and the model should not have to remember.

    Args:
        todos: the list as it is now.
        files: paths of files that matter, beside those that the conversation names.
        plan: the file of the plan, or the plan itself, ``""`` for none.
    """

    todos: tuple[Todo, ...] = ()
    files: tuple[str, ...] = ()
    plan: str = ""


@dataclass(frozen=True)
class CompactionResult:
    """What became of a try to shorten a conversation.

    Args:
        messages: the conversation from now on; what was given where nothing was done.
        update: what was done, ``None`` for nothing.
        usage: what the model used up for it, also for a summary that was no good; ``None`` where it does not say.
        problem: why nothing was done and what to do, ``""`` where it was done.
    """

    messages: tuple[Message, ...]
    update: Compacted | None = None
    usage: Usage | None = None
    problem: str = ""


class Compactor:
    """Shortens one conversation when it is due, or when somebody asks.

    The caller puts the result's messages in the conversation's place. What the model is not sent any more it has not
    read: see ``FileStateCache.forget_unshown``.

    Args:
        hooks: who has a say.
        facts: what goes into each summary as it is.

    Attributes:
        failures: how often in a row it did not help.
    """

    def __init__(self, hooks: CompactionHooks | None = None, facts: Callable[[], KeptFacts] = KeptFacts) -> None:
        self._hooks = hooks or NoCompactionHooks()
        self._facts = facts
        self.failures = 0

    @property
    def has_given_up(self) -> bool:
        """Whether it failed so often that only a person's wish starts it again."""
        return self.failures >= MAX_FAILURES

    def is_due(
        self, tokens: int, model: Model, conversation: Sequence[Message], answer_tokens: int | None = None
    ) -> bool:
        """Whether a request of so many tokens is near the model's window, and shortening its conversation may help."""
        window = context_window(model)
        if self.has_given_up or tokens < compaction_threshold(window, answer_tokens):
            return False
        return kept_from(conversation, window) > 0

    async def compact(
        self,
        request: ModelRequest,
        model: Model,
        cancellation: Cancellation,
        *,
        trigger: Trigger,
        instructions: str = "",
        conversation: Sequence[Message] | None = None,
    ) -> CompactionResult:
        """Have the model write a summary, and put it in the place of the older messages.

        Whatever fails leaves the conversation as it was, and is told in ``problem``. A stop ends it at once.

        Args:
            request: what the model would be asked next; the summary is asked for at its end, so that the provider can
                read the rest from its cache.
            instructions: what a person wants of the summary.
            conversation: the session's own messages, where the request holds them in another form.
        """
        messages = tuple(request.messages if conversation is None else conversation)
        if trigger == "auto" and self.has_given_up:
            said = f"The conversation was not shortened: that failed {self.failures} times in a row. {ADVICE}"
            return CompactionResult(messages, problem=said)
        cut = kept_from(messages, context_window(model))
        if cut == 0:
            return CompactionResult(messages, problem="There is nothing to shorten yet.")
        blocked = await self._hooks.before_compaction(trigger, instructions)
        if blocked is not None:
            return CompactionResult(messages, problem=f"The conversation was not shortened: {blocked}")
        summary = await write_summary(request, model, cancellation, instructions)
        if summary.problem:
            return self._failed(messages, summary, cancellation)
        shorter = _shortened(messages, cut, summary.text, self._facts())
        return await self._done(messages, shorter, cut, request, model, trigger, summary)

    def _failed(self, messages: tuple[Message, ...], summary: Summary, cancellation: Cancellation) -> CompactionResult:
        if cancellation.cancelled:
            said = f"The conversation was not shortened: stopped ({cancellation.reason})."
            return CompactionResult(messages, usage=summary.usage, problem=said)
        self.failures += 1
        problem = f"The conversation could not be shortened and stays as it is: {summary.problem.rstrip('.')}. {ADVICE}"
        return CompactionResult(messages, usage=summary.usage, problem=problem)

    async def _done(
        self,
        messages: tuple[Message, ...],
        shorter: tuple[Message, ...],
        cut: int,
        request: ModelRequest,
        model: Model,
        trigger: Trigger,
        summary: Summary,
    ) -> CompactionResult:
        meter = TokenMeter()
        before, after = meter.count(request), meter.count(replace(request, messages=shorter))
        if trigger == "auto" and after >= before:
            longer = replace(summary, problem=f"with the summary it would have {after:,} tokens instead of {before:,}")
            return self._failed(messages, longer, Cancellation())
        still_big = after >= compaction_threshold(context_window(model), request.max_tokens)
        self.failures = self.failures + 1 if trigger == "auto" and still_big else 0
        text = shorter[0].content[0].text
        await self._hooks.after_compaction(trigger, text)
        return CompactionResult(shorter, Compacted(text, cut, before, after), summary.usage)


def kept_from(messages: Sequence[Message], window: int) -> int:
    """From which message on a conversation stays word for word: as many of the newest as there is room for.

    No call is parted from its result, and a request that nobody has answered stays. ``len(messages)`` when nothing
    else stays, 0 when nothing would be replaced.
    """
    sizes = [message_tokens(message) for message in messages]
    room = min(window * KEPT_WINDOW_SHARE, sum(sizes) * KEPT_CONVERSATION_SHARE)
    cut, tail = len(messages), 0
    for at in range(len(messages) - 1, 0, -1):
        tail += sizes[at]
        if not _may_begin(messages[at]):
            continue
        unanswered = at == len(messages) - 1 and messages[at].role == "user"
        if tail > room and not unanswered:
            break
        cut = at
    replaced = messages[:cut]
    return cut if any(message.role == "assistant" for message in replaced) else 0


def _may_begin(message: Message) -> bool:
    return not any(isinstance(block, ToolResultBlock) for block in message.content)


def _shortened(messages: Sequence[Message], cut: int, text: str, facts: KeptFacts) -> tuple[Message, ...]:
    """The summary and what stays after it; a kept message of the user becomes one with it."""
    kept = tuple(messages[cut:])
    first = summary_message(messages[:cut], text, len(kept), facts.todos, facts.files, facts.plan)
    if kept and kept[0].role == "user":
        return (replace(first, content=(*first.content, *kept[0].content)), *kept[1:])
    return (first, *kept)
