"""A whole conversation as data, for a page or a document of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..core.views import Tone, ViewBlock
from .limits import Limits

PAGE = Limits(
    shown_lines=25, kept_chars=40_000, line_chars=4_000, image_chars=3_000_000, images_chars=6_000_000, blocks=60
)
"""What a page holds of each text. A person who wants all of it has the transcript."""

Speaker = Literal["person", "assistant", "thinking", "summary", "told"]


class PageStage(NamedTuple):
    """One stage of a call: how it went, why, and how long it took."""

    name: str
    status: str
    reason: str
    duration_ms: float


@dataclass(frozen=True)
class PageCall:
    """One call.

    Args:
        id: of the call. title: what it did, on one line.
        status: ``ok``, ``error``, ``denied``, ``interrupted``; ``""`` when its end is not known.
        duration_ms: wall time, ``None`` when it is not known.
        asked: its input. result: what came of it.
        stages: what it went through. notes: who was asked and answered what, why it had to wait.
        tool: the name of its tool.
    """

    id: str
    title: str
    status: str = ""
    duration_ms: float | None = None
    asked: tuple[ViewBlock, ...] = ()
    result: tuple[ViewBlock, ...] = ()
    stages: tuple[PageStage, ...] = ()
    notes: tuple[str, ...] = ()
    tool: str = ""


@dataclass(frozen=True)
class PageMessage:
    """What somebody said. ``begins_turn``: a person's prompt, with which a turn begins."""

    speaker: Speaker
    blocks: tuple[ViewBlock, ...]
    begins_turn: bool = False


@dataclass(frozen=True)
class PageNote:
    """Something that happened between two messages, in one sentence."""

    text: str
    tone: Tone = "neutral"


PageItem = PageMessage | PageCall | PageNote


@dataclass(frozen=True)
class PageHead:
    """What stands above the conversation.

    Args:
        title: what the session is called.
        facts: names and values. notes: what a reader should know, e.g. that lines were torn.
        turns: the beginnings of the prompts, for a table of contents.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    turns: tuple[str, ...] = field(default=())


SPEAKERS: dict[Speaker, str] = {
    "person": "Person",
    "assistant": "Assistant",
    "thinking": "Thinking",
    "summary": "Summary of what came before",
    "told": "Told to the model",
}
