"""What has happened in a turn so far, gathered from what the query says."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from ..core.blocks import Message, TextBlock, ToolUse
from ..core.outcome import Outcome
from ..core.updates import (
    CallFinished,
    Compacted,
    MessageAdded,
    ModelRetry,
    TextDelta,
    ThinkingDelta,
    ToolUseReady,
    TurnEnded,
    Update,
    UsageAdded,
)
from ..core.usage import Usage
from ..render.chars import count_of
from ..render.markdown_pieces import GrowingText
from ..render.turn_parts import Part, Said, Thought, TurnNote
from ..render.words import duration


@dataclass
class CallLine:
    """One call of the turn; ``outcome`` is ``None`` while it runs or waits."""

    use: ToolUse
    outcome: Outcome | None = None


@dataclass
class GrowingThought:
    """What the model thinks, as it streams."""

    text: str


StoryPart = GrowingText | GrowingThought | CallLine | Said | TurnNote


class TurnStory:
    """The parts of a turn in their order, and what it took.

    Attributes:
        parts: texts, thoughts, calls and notes.
        ended: how it ended, ``None`` while it goes on.
        turns: how many answers of the model are over.
        usage: the tokens of those.
        cost_usd: what they cost, ``None`` where the price of one is not known.
        text_is_open: whether the last part still grows.
    """

    def __init__(self) -> None:
        self.parts: list[StoryPart] = []
        self.ended: TurnEnded | None = None
        self.turns = 0
        self.usage = Usage()
        self.cost_usd: float | None = None
        self.text_is_open = False
        self._unpriced = False
        self._said: deque[Said] = deque()
        self._calls: dict[str, CallLine] = {}
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._started

    def take(self, update: Update) -> None:
        """Add an update."""
        match update:
            case TextDelta(text=text):
                self._grow(GrowingText, text)
            case ThinkingDelta(text=text):
                self._grow(GrowingThought, text)
            case ToolUseReady(tool_use=use):
                self._calls[use.id] = CallLine(use)
                self._add(self._calls[use.id])
            case CallFinished(outcome=outcome):
                if (line := self._calls.get(outcome.tool_use.id)) is not None:
                    line.outcome = outcome
            case MessageAdded(message=message):
                self._take_message(message)
            case ModelRetry() | Compacted():
                self._add(retry_note(update) if isinstance(update, ModelRetry) else compacted_note(update))
            case UsageAdded(usage=usage, cost_usd=cost):
                self._take_usage(usage, cost)
            case TurnEnded():
                self._close_text()
                self.ended = update

    def said(self, text: str) -> None:
        """A person has written this while the turn goes on. The model is told before its next answer: so it stands
        behind the text that streams just now, and does not cut it in two."""
        self._said.append(Said(text))
        if not self.text_is_open:
            self._close_text()

    def _grow(self, kind: type[GrowingText] | type[GrowingThought], text: str) -> None:
        last = self.parts[-1] if self.parts and self.text_is_open else None
        if isinstance(last, GrowingText) and kind is GrowingText:
            last += text
        elif isinstance(last, GrowingThought) and kind is GrowingThought:
            last.text += text
        elif text:
            self._add(kind(text))
            self.text_is_open = True

    def _add(self, part: StoryPart) -> None:
        self._close_text()
        self.parts.append(part)

    def _close_text(self) -> None:
        self.text_is_open = False
        with suppress(IndexError):  # what is said may come on any thread
            while True:
                self.parts.append(self._said.popleft())

    def _take_message(self, message: Message) -> None:
        """A message closes what streamed: the next text is another answer's."""
        self._close_text()
        if message.role == "assistant":
            self.turns += 1

    def _take_usage(self, usage: Usage, cost: float | None) -> None:
        self.usage += usage
        self._unpriced = self._unpriced or cost is None
        self.cost_usd = None if self._unpriced else (self.cost_usd or 0.0) + (cost or 0.0)

    # ---- looking back

    @property
    def finished_parts(self) -> list[Part]:
        """The texts, thoughts and notes, and the outcomes of the calls that came to their end."""
        return [part for each in (*self.parts, *self._said) if (part := finished_part(each)) is not None]

    @property
    def outcomes(self) -> list[Outcome]:
        """The calls that came to their end."""
        return [part.outcome for part in self.parts if isinstance(part, CallLine) and part.outcome is not None]

    def ending(self, why: str) -> TurnEnded:
        """How the turn ended; where nobody has said so it was stopped, and ``why`` says by what."""
        if self.ended is not None:
            return self.ended
        last = next((str(part) for part in reversed(self.parts) if isinstance(part, GrowingText)), "")
        return TurnEnded("interrupted", last, why, self.usage, self.cost_usd, self.turns)


def finished_part(part: StoryPart) -> Part | None:
    """The part as it will stand in the record; ``None`` for a call that has no end."""
    match part:
        case GrowingText():
            return str(part)
        case GrowingThought(text=text):
            return Thought(text)
        case CallLine(outcome=outcome):
            return outcome
    return part


def retry_note(retry: ModelRetry) -> TurnNote:
    """The model is asked again."""
    wait = duration(retry.delay_s * 1_000)
    return TurnNote(f"the model did not answer ({retry.why}); try {retry.attempt} in {wait}", "warning")


def compacted_note(done: Compacted) -> TurnNote:
    """The conversation was shortened."""
    what = f"{count_of(done.messages, 'message')} became a summary"
    sizes = f"{done.tokens_before:,} → {done.tokens_after:,} tokens"
    return TurnNote(f"the conversation was shortened: {what}, {sizes}", "info", done.summary)


def texts_of(message: Message) -> Iterator[str]:
    """The texts of a message, one by one."""
    return (block.text for block in message.content if isinstance(block, TextBlock))
