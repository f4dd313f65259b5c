"""Markdown that grows: where can it be cut so that what stands before the cut will not change any more?"""

from __future__ import annotations

PIECE_CHARS = 1_500
"""A piece gets at least this long, so that a long text consists of few of them."""


def settled_prefix(text: str) -> str:
    """The blocks of a Markdown text but its last one, as they stand there; ``""`` for a text of one block."""
    from .markdown_html import top_level_lines

    starts = top_level_lines(text)
    if len(starts) < 2:
        return ""
    return "".join(text.splitlines(keepends=True)[: starts[-1]])


class GrowingText:
    """A Markdown text as it streams in.

    Attributes:
        settled: pieces of it that will not change.
        tail: what may.
    """

    def __init__(self, text: str = "") -> None:
        self.settled: list[str] = []
        self.tail = text

    def __str__(self) -> str:
        return "".join((*self.settled, self.tail))

    def __iadd__(self, text: str) -> GrowingText:
        self.tail += text
        return self

    def pieces(self) -> tuple[str, ...]:
        """The pieces that will not change, and then the one that may."""
        if len(self.tail) >= PIECE_CHARS and (head := settled_prefix(self.tail)):
            self.settled.append(head)
            self.tail = self.tail[len(head) :]
        return (*self.settled, self.tail)
