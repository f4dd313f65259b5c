"""What does a transcript hold? The conversation, the state and the totals of its session, from one walk through it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from ..agents.conversation import check_history, repair_history
from ..core.blocks import Message, TextBlock, ToolResultBlock, ToolUse
from ..core.immutable import freeze
from ..core.todos import Todo, TodoStatus
from ..core.usage import Usage
from .transcript_lines import Line, read_lines
from .wire_messages import MessageReader

TRANSCRIPT_NAME = "transcript.jsonl"
WAITING_RESULTS = 200
"""So many results of calls are kept that may be on their way into the conversation."""
NAMED_LINES = 5
"""So many numbers of unreadable lines are given."""


def _empty() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class LoadedTranscript:
    """A session as its transcript tells it.

    Args:
        path: the file.
        version: of its format: 1, which has no head, or 2.
        session_id, name, model, cwd, mode: as they were at the end; ``""`` where the file does not say.
        began_in: the working directory that the session was made with.
        created, ended: the times of its first and last line, seconds since the epoch; 0 where it does not say.
        parent: of a fork: where it comes from.
        messages: the conversation as it was at the end, in a form in which it can go on.
        recorded: the same before it was repaired: what the file itself says.
        usage, cost_usd: of all answers; the cost is ``None`` where that of none is known.
        turns: queries that came to their end.
        calls: how many calls there were.
        app_state: the state of tools. todos: the main agent's list, out of that.
        session_rules: the rules that were added in the session, by behaviour.
        session_folders: working directories that were added in it.
        exported: names of variables that commands had exported.
        replaced: results of calls that stand in requests as another text.
        used_ids: of every call that the file names, also of those that the conversation has no more.
        notes: what could not be read, and what was repaired, one sentence each.
    """

    path: Path
    version: int = 1
    session_id: str = ""
    name: str = ""
    model: str = ""
    cwd: str = ""
    mode: str = ""
    began_in: str = ""
    created: float = 0.0
    ended: float = 0.0
    parent: Mapping[str, Any] | None = None
    messages: tuple[Message, ...] = ()
    recorded: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    turns: int = 0
    calls: int = 0
    app_state: Mapping[str, Any] = field(default_factory=_empty)
    session_rules: Mapping[str, tuple[str, ...]] = field(default_factory=_empty)
    session_folders: tuple[str, ...] = ()
    exported: tuple[str, ...] = ()
    replaced: Mapping[str, str] = field(default_factory=_empty)
    used_ids: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def todos(self) -> tuple[Todo, ...]:
        """What the main agent had on its list."""
        return tuple(Todo(**todo) for todo in self.app_state.get("todos", {}).get("", ()))


def load_transcript(path: Path | str) -> LoadedTranscript:
    """What does the transcript at ``path`` (or in that folder) hold? Takes time linear in its length, and runs nothing.

    A line that cannot be read is left out, and named in ``notes``; a conversation that broke off is repaired, so that
    every call has its one result. Where the file holds several sessions, one after the other, it is the last one.

    Raises:
        UsageError: there is no such file, or it cannot be read.
    """
    file = Path(path).expanduser()
    file = file / TRANSCRIPT_NAME if file.is_dir() else file
    walk = TranscriptWalk(file)
    for line in read_lines(file):
        walk.take(line)
    return walk.loaded()


class TranscriptWalk:
    """One walk through a transcript, line after line.

    Args:
        with_messages: whether the conversation is wanted, and not only the facts about the session.
    """

    def __init__(self, path: Path, *, with_messages: bool = True) -> None:
        self._path = path
        self._reader = MessageReader(path.parent)
        self._unreadable: list[int] = []
        self._unknown: Counter[str] = Counter()
        self._sessions = 0
        self._used_ids: set[str] = set()
        """Also those of an earlier session in the file: its results lie in the same folder."""
        self._take: dict[str, Callable[[Line], None]] = {
            "session": self._session,
            "resumed": self._resumed,
            "name": self._name,
            "state": self._state,
            "message": self._message,
            "history": self._history,
            "replacements": self._replacements,
            "call_start": self._call_start,
            "call_end": self._call_end,
            "usage": self._usage,
            "turn_end": self._turn_end,
            **dict.fromkeys(_ONLY_TOLD, _pass),
        }
        if not with_messages:
            self._take.update(dict.fromkeys(("message", "history", "call_end"), _pass))
        self._begin()

    def _begin(self) -> None:
        self._facts: dict[str, Any] = {"session_id": self._path.parent.name}
        self._messages: list[Message] = []
        self._replaced: dict[str, str] = {}
        self._ends: dict[str, dict[str, Any]] = {}
        self._begun: list[ToolUse] = []
        """The calls of an answer that has no line of its own yet, and what it said before them."""
        self._said = ""
        self._totals = Usage()
        self._cost: float | None = None
        self._turns = self._calls = 0
        self._created = self._ended = 0.0

    @property
    def version(self) -> int:
        """Of the format, as far as the walk has come."""
        version = self._facts.get("version", 1)
        return version if isinstance(version, int) else 1

    def take(self, line: Line) -> None:
        """Take in the next line."""
        if not line.kind:
            self._unreadable.append(line.number)
            return
        take = self._take.get(line.kind)
        if take is None:
            self._unknown[line.kind] += 1
            return
        take(line)
        self._created = self._created or line.count("time")
        self._ended = line.count("time") or self._ended

    # ---- one kind of line each

    def _session(self, line: Line) -> None:
        self._sessions += 1
        self._begin()
        self._resumed(line)
        self._facts["began_in"] = line.text("began_in") or line.text("cwd")

    def _resumed(self, line: Line) -> None:
        self._facts.update((name, value) for name, value in line.fields.items() if name in _HEAD and value is not None)

    def _name(self, line: Line) -> None:
        self._facts["name"] = line.text("name")

    def _state(self, line: Line) -> None:
        self._facts.update((name, value) for name, value in line.fields.items() if name in _HEAD)

    def _message(self, line: Line) -> None:
        message = self._reader.message(line.fields, line.tool_use_id)
        if message is not None:
            self._messages.append(message)
            self._used_ids.update(use.id for use in message.tool_uses)
            self._begun.clear()
            self._said = ""
            if self._ends:
                for block in message.content:
                    if isinstance(block, ToolResultBlock):
                        self._ends.pop(block.tool_use_id, None)

    def _history(self, line: Line) -> None:
        self._begun.clear()
        kept = int(line.count("kept"))
        if kept > len(self._messages):
            self._reader.problems.append(
                f"line {line.number} keeps {kept} messages, and only {len(self._messages)} are left"
            )
        read = [
            self._reader.message(data, data.get("tool_use_id"))
            for data in line.items("messages")
            if isinstance(data, dict)
        ]
        self._messages = [*(each for each in read if each is not None), *(self._messages[-kept:] if kept > 0 else ())]

    def _replacements(self, line: Line) -> None:
        self._replaced.update((id, text) for id, text in line.mapping("replaced").items() if isinstance(text, str))

    def _call_start(self, line: Line) -> None:
        self._calls += 1
        if line.tool_use_id:
            self._used_ids.add(line.tool_use_id)
        if line.fields.get("of_answer") is True:
            use = self._reader.block(line.mapping("tool_use"))
            self._begun += [use] if isinstance(use, ToolUse) else []
            self._said = line.text("said") or self._said

    def _call_end(self, line: Line) -> None:
        if line.tool_use_id is not None:
            self._ends[line.tool_use_id] = line.mapping("block")
            if len(self._ends) > WAITING_RESULTS:
                del self._ends[next(iter(self._ends))]

    def _usage(self, line: Line) -> None:
        told = line.mapping("usage")
        counts = {
            name: int(n)
            for name, n in told.items()
            if name in Usage.__dataclass_fields__ and isinstance(n, (int, float))
        }
        self._totals += Usage(**counts)
        if isinstance(line.fields.get("cost_usd"), (int, float)):
            self._cost = (self._cost or 0.0) + line.count("cost_usd")

    def _turn_end(self, line: Line) -> None:
        self._turns += 1
        self._begun.clear()

    # ---- the end

    def loaded(self) -> LoadedTranscript:
        """Everything, with the conversation repaired."""
        recorded = tuple(self._messages)
        unfinished = self._unfinished_answer()
        asked = (*recorded, unfinished) if unfinished is not None else recorded
        blocks = map(self._reader.block, self._ends.values()) if asked and asked[-1].tool_uses else ()
        ends = {block.tool_use_id: block for block in blocks if isinstance(block, ToolResultBlock)}
        messages, repairs = sound_messages(asked, ends)
        if unfinished is not None:
            repairs = (
                "the last answer broke off; of it there is what its calls tell, and they may have had effects",
                *repairs,
            )
        facts = self._facts
        return LoadedTranscript(
            path=self._path,
            version=self.version,
            **{name: _text(facts.get(name)) for name in ("session_id", "name", "model", "cwd", "mode", "began_in")},
            created=self._created,
            ended=self._ended,
            parent=freeze(facts["parent"]) if isinstance(facts.get("parent"), dict) else None,
            messages=messages,
            recorded=recorded,
            usage=self._totals,
            cost_usd=self._cost,
            turns=self._turns,
            calls=self._calls,
            app_state=freeze(_app_state(facts.get("app_state"))),
            session_rules=_rules(facts.get("session_rules")),
            session_folders=_texts(facts.get("session_folders")),
            exported=_texts(facts.get("exported")),
            replaced=freeze(self._replaced),
            used_ids=frozenset(self._used_ids),
            notes=(*self._notes(), *repairs),
        )

    def _unfinished_answer(self) -> Message | None:
        """The answer during which everything ended, made of the calls that it had begun; ``None`` for none."""
        if not self._begun or not self._messages or self._messages[-1].role != "user":
            return None
        said = (TextBlock(self._said),) if self._said.strip() else ()
        return Message("assistant", (*said, *self._begun))

    def _notes(self) -> Sequence[str]:
        notes = []
        if self._unreadable:
            more = len(self._unreadable) - NAMED_LINES
            numbers = ", ".join(map(str, self._unreadable[:NAMED_LINES])) + (f" and {more:,} more" if more > 0 else "")
            plural = "s" if len(self._unreadable) > 1 else ""
            notes.append(f"line{plural} {numbers} could not be read (torn by a crash, say)")
        notes += [
            f"{count:,} lines of the unknown kind {kind[:50]!r} were left out" for kind, count in self._unknown.items()
        ]
        if self._sessions > 1:
            notes.append(f"the file holds {self._sessions} sessions; this is the last one")
        return [
            *notes,
            *(f"{text} ({n} times)" if n > 1 else text for text, n in Counter(self._reader.problems).items()),
        ]


def sound_messages(
    messages: Sequence[Message], ends: Mapping[str, ToolResultBlock]
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The conversation in a form in which it can go on, and what was done to it.

    Args:
        ends: results of calls that came to their end, and may have missed their way into the conversation.
    """
    history, notes = tuple(messages), ()
    if history and (found := [ends[use.id] for use in history[-1].tool_uses if use.id in ends]):
        history = (*history, Message("user", tuple(found)))
        notes = (f"the results of {len(found)} calls were not yet in the conversation when it broke off; now they are",)
    if all(fault.kind == "roles_repeat" for fault in check_history(history)):
        return history, notes
    repaired, repairs = repair_history(history)
    return repaired, (*notes, *(text for text in repairs))


_HEAD = frozenset(
    "version session_id name model parent cwd mode app_state session_rules session_folders exported".split()
)
_ONLY_TOLD = (
    "stage", "progress", "schedule", "job", "hook_note", "settings", "permission_request", "permission_answer",
    "retry", "compacted",
)  # fmt: skip
"""Kinds that are for readers, and not needed to go on."""


def _pass(line: Line) -> None:
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _rules(value: Any) -> Mapping[str, tuple[str, ...]]:
    given = value if isinstance(value, dict) else {}
    return MappingProxyType({b: texts for b in ("allow", "ask", "deny") if (texts := _texts(given.get(b)))})


def _app_state(value: Any) -> dict[str, Any]:
    """The state of tools, without todo lists that are none."""
    state = dict(value) if isinstance(value, dict) else {}
    lists = state.pop("todos", None)
    kept = {agent: todos for agent, todos in lists.items() if _are_todos(todos)} if isinstance(lists, dict) else {}
    return {**state, "todos": kept} if kept else state


def _are_todos(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(todo, dict)
        and todo.keys() == set(Todo._fields)
        and all(isinstance(text, str) for text in todo.values())
        and todo["status"] in get_args(TodoStatus)
        for todo in value
    )
