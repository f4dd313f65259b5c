"""What a turn is made of besides its answer, and which of its calls stand together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from ..core.faults import faults
from ..core.outcome import Outcome
from ..core.views import Tone
from .chars import count_of, visible
from .outcome_views import grouped_title


@dataclass(frozen=True)
class Thought:
    """What the model thought; folded away wherever it is shown."""

    text: str


@dataclass(frozen=True)
class Said:
    """What a person wrote while the turn went on."""

    text: str


@dataclass(frozen=True)
class TurnNote:
    """Something that happened beside texts and calls.

    Args:
        text: one line. detail: more of it, Markdown, folded away.
    """

    text: str
    tone: Tone = "info"
    detail: str = ""


Part = str | Outcome | Thought | Said | TurnNote
"""A text of the assistant is Markdown."""

_SIGNS = str.maketrans("", "", "*`#")

Together = Literal["alone", "looked", "alike", "overlapped"]


class Group(NamedTuple):
    """Neighbouring parts that are shown as one, and why: only looks around, of one tool, or ran at the same time."""

    together: Together
    parts: tuple[Part, ...]

    @property
    def calls(self) -> list[Outcome]:
        return [part for part in self.parts if isinstance(part, Outcome)]

    @property
    def at_once(self) -> bool:
        """Whether all of its calls ran at the same time."""
        return len(self.calls) > 1 and all(overlapping(*pair) for pair in pairwise(self.calls))


def groups(parts: Sequence[Part]) -> Iterator[Group]:
    """The parts in their order, each in one group."""
    at = 0
    while at < len(parts):
        together, end = _group_at(parts, at)
        yield Group(together, tuple(parts[at:end]))
        at = end


def _group_at(parts: Sequence[Part], at: int) -> tuple[Together, int]:
    """The kind of the group that begins here, and where it ends."""
    if (end := _end_of_looks(parts, at)) - at > 1:
        return "looked", end
    if (end := _end_of_run(parts, at, _alike)) - at > 1:
        return "alike", end
    if (end := _end_of_run(parts, at, _went_well_together)) - at > 1:
        return "overlapped", end
    return "alone", at + 1


def _end_of_looks(parts: Sequence[Part], at: int) -> int:
    """Where a run of calls that only look around ends. What the model thinks between two of them does not end it."""
    if not is_look(parts[at]):
        return at + 1
    end = at + 1
    for position in range(at + 1, len(parts)):
        if is_look(parts[position]):
            end = position + 1
        elif not isinstance(parts[position], Thought):
            break
    return end


def _end_of_run(parts: Sequence[Part], at: int, belong: Callable[[Outcome, Outcome], bool]) -> int:
    end = at + 1
    for left, right in pairwise(parts[at:]):
        if not (isinstance(left, Outcome) and isinstance(right, Outcome) and belong(left, right)):
            break
        end += 1
    return end


def is_look(part: Part) -> bool:
    """Whether this is a call that went well and only searched or read something."""
    if not isinstance(part, Outcome) or part.tool is None or part.status != "ok":
        return False
    try:
        return bool(part.tool.is_search_or_read_command(part.input))
    except faults():  # a flag of somebody's tool that fails says nothing
        return False


def overlapping(left: Outcome, right: Outcome) -> bool:
    """Whether the second call began before the first one was over."""
    if not left.events or not right.events:
        return False
    last = left.events[-1]
    return right.events[0].started < last.started + last.duration_ms / 1_000


def _alike(left: Outcome, right: Outcome) -> bool:
    """Whether two calls of one tool may share a line."""
    if left.tool is None or left.tool is not right.tool or not _went_well(left, right):
        return False
    return left.tool.render_grouped is not None


def _went_well_together(left: Outcome, right: Outcome) -> bool:
    return _went_well(left, right) and overlapping(left, right)


def _went_well(*calls: Outcome) -> bool:
    """One that failed is not to be lost among others: it stands by itself."""
    return all(call.status == "ok" for call in calls)


def group_title(calls: Sequence[Outcome]) -> str:
    """Which tools these calls used: ``Read 3 files · Grep 2 times · Bash``."""
    by_tool: dict[str, list[Outcome]] = {}
    for call in calls:
        by_tool.setdefault(call.tool_use.name, []).append(call)
    return " · ".join(_tool_words(name, of_one) for name, of_one in by_tool.items())


def _tool_words(name: str, calls: Sequence[Outcome]) -> str:
    tool = calls[0].tool
    if len(calls) == 1:
        return name
    if tool is not None and tool.render_grouped is not None:
        return grouped_title(calls)
    return f"{name} {len(calls)} times"


def thought_summary(thought: Thought, chars: int = 80, *, end: bool = False) -> str:
    """The line that stands for what was thought: how much it was, and how it began, or with ``end`` how it ended."""
    count = len(thought.text.split())
    if not count:
        return "thought (the provider keeps the text)"
    if end:
        kept = _plain(thought.text[-4 * chars :])
        return f"thinking · {count_of(count, 'word')} · …{visible(kept[-chars:])}"
    kept = _plain(thought.text[: 4 * chars])
    more = "…" if len(kept) > chars or len(thought.text) > 4 * chars else ""
    return f"thought · {count_of(count, 'word')} · {visible(kept[:chars])}{more}"


def _plain(text: str) -> str:
    """Markdown on one line, without the signs that only set it."""
    return " ".join(text.translate(_SIGNS).split())
