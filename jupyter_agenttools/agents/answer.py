"""One answer of a model: what it consists of while it streams, and what became of the calls in it."""

from __future__ import annotations

from ..core.blocks import Message, TextBlock, ThinkingBlock, ToolUse
from ..core.outcome import Outcome
from ..models import StopPart

NO_ANSWER = "(no answer)"


class Answer:
    """The assistant's message as it grows.

    Attributes:
        outcomes: what became of its calls, in their order, as far as that is known.
        stop: how the model ended it, ``None`` while it speaks and when it broke off.
        failure: what the provider raised, if anything.
    """

    def __init__(self) -> None:
        self._blocks: list[TextBlock | ThinkingBlock | ToolUse] = []
        self._open_text: list[str] = []
        """The last text as far as it is no block yet: joined when somebody asks, for it may come in 100,000 pieces."""
        self._thinking_is_open = False
        self.outcomes: list[Outcome] = []
        self.stop: StopPart | None = None
        self.failure: Exception | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come of it."""
        return not self._whole()

    @property
    def text(self) -> str:
        return "".join(b.text for b in self._whole() if isinstance(b, TextBlock))

    def add_text(self, text: str) -> None:
        if text:
            self._open_text.append(text)

    def _whole(self) -> list[TextBlock | ThinkingBlock | ToolUse]:
        """The blocks, with all of the text in them."""
        text = "".join(self._open_text)
        self._open_text.clear()
        if text and self._blocks and isinstance(last := self._blocks[-1], TextBlock):
            self._blocks[-1] = TextBlock(last.text + text)
        elif text:
            self._blocks.append(TextBlock(text))
        return self._blocks

    def add_thinking(self, text: str, signature: str | None) -> None:
        """A piece of a thinking block; a signature ends the block."""
        last = self._whole()[-1] if self._whole() else None
        if self._thinking_is_open and isinstance(last, ThinkingBlock):
            self._blocks[-1] = ThinkingBlock(last.thinking + text, signature)
        else:
            self._blocks.append(ThinkingBlock(text, signature))
        self._thinking_is_open = signature is None

    def add_call(self, use: ToolUse) -> None:
        self._whole().append(use)

    def so_far(self) -> Message:
        """The message as it is now: what a call sees as its parent that begins while the model still speaks."""
        return Message("assistant", tuple(self._whole()))

    def message(self) -> Message | None:
        """The message as it goes into the conversation; ``None`` for an answer that broke off before it said
        anything. Of a thought that broke off with it nothing is kept."""
        blocks = tuple(self._whole())
        if self.stop is None and blocks and isinstance(blocks[-1], ThinkingBlock) and blocks[-1].signature is None:
            blocks = blocks[:-1]
        if all(isinstance(block, ThinkingBlock) for block in blocks):
            return None if self.stop is None else Message("assistant", (*blocks, TextBlock(NO_ANSWER)))
        return Message("assistant", blocks)
