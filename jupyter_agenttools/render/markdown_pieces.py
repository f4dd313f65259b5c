"""Markdown that grows: where can it be cut so that what stands before the cut will not change any more?"""

from __future__ import annotations

import re

PIECE_CHARS = 1_500
"""A piece gets at least this long, so that a long text consists of few of them."""

PARSED_CHARS = 20_000
"""As much is parsed at once: some hundredths of a second."""

_FENCE = re.compile(r"\s*^ {0,3}(`{3,}|~{3,})", re.M)
_NEW_BLOCK = re.compile(r"^[ \t]*\r?\n(?=[A-Za-z#])", re.M)
"""An empty line with a line behind it that begins with a letter: nothing but a fence goes on there."""


def settled_prefix(text: str) -> str:
    """The blocks of a Markdown text but its last one, as they stand there; ``""`` for a text of one block."""
    from .markdown_html import top_level_lines

    starts = top_level_lines(text)
    if len(starts) < 2:
        return ""
    return "".join(text.splitlines(keepends=True)[: starts[-1]])


class GrowingText:
    """A Markdown text as it streams in.

    What it costs to ask for its pieces has a bound, however long it is and however fast it grows: at most
    ``PARSED_CHARS`` are parsed. A block that is longer than that is only looked through for its end, each line once.

    Attributes:
        settled: pieces of it that will not change.
    """

    def __init__(self, text: str = "") -> None:
        self.settled: list[str] = []
        self._tail, self._new = text, [""]
        self._parsed = 0
        self._long: _LongBlock | None = None

    def __str__(self) -> str:
        return "".join((*self.settled, self.tail))

    def __iadd__(self, text: str) -> GrowingText:
        self._new.append(text)
        return self

    @property
    def tail(self) -> str:
        """What may change."""
        if self._new:
            self._tail += "".join(self._new)
            self._new.clear()
        return self._tail

    def pieces(self) -> tuple[str, ...]:
        """The pieces that will not change, and then the one that may."""
        if len(self.tail) >= PIECE_CHARS and len(self._tail) != self._parsed:
            self._settle(self._settled_chars())
        return (*self.settled, self._tail)

    def _settle(self, chars: int) -> None:
        self._parsed = len(self._tail)
        if chars:
            self.settled.append(self._tail[:chars])
            self._tail = self._tail[chars:]
            self._parsed, self._long = 0, None

    def _settled_chars(self) -> int:
        if self._long is None:
            if head := settled_prefix(self._tail[:PARSED_CHARS]):
                return len(head)
            if len(self._tail) <= PARSED_CHARS:
                return 0
            self._long = _LongBlock(self._tail)
        return self._long.end(self._tail)


class _LongBlock:
    """Finds the end of a block that is too long to be parsed. It may be found late, and never too early."""

    def __init__(self, text: str) -> None:
        fence = _FENCE.match(text)
        self._end = re.compile(rf"^ {{0,3}}{fence[1]}{fence[1][0]}*[ \t]*\n", re.M) if fence else _NEW_BLOCK
        self._at = fence.end() if fence else 0

    def end(self, text: str) -> int:
        """How many characters of ``text`` are the block, 0 while that is not known."""
        if found := self._end.search(text, self._at):
            return found.end()
        self._at = max(self._at, text.rfind("\n", 0, text.rfind("\n")) + 1)
        return 0
