"""Finding, among many text patterns, those that could fit a text by how they begin."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from .patterns import Wildcard


class Heads:
    """Patterns by the plain text that they begin with.

    Args:
        patterns: each with the number by which it is found again. One that begins with a star could fit every text.
    """

    def __init__(self, patterns: Iterable[tuple[int, Wildcard]]) -> None:
        self._by_head: dict[str, list[int]] = {}
        self.open: list[tuple[int, str]] = []
        for at, pattern in patterns:
            if pattern.pieces[0]:
                self._by_head.setdefault(pattern.pieces[0], []).append(at)
            else:
                self.open.append((at, max(pattern.pieces, key=len)))
        self._lengths = sorted({len(head) for head in self._by_head})
        self._sorted = sorted(self._by_head)

    def fitting(self, text: str) -> Iterator[int]:
        """Those whose beginning ``text`` has; of those that begin with a star none."""
        for length in self._lengths:
            if length > len(text):
                return
            yield from self._by_head.get(text[:length], ())

    def beginning_with(self, prefix: str) -> Iterator[int]:
        """Those that begin with ``prefix``."""
        for head in self._sorted[bisect_left(self._sorted, prefix) :]:
            if not head.startswith(prefix):
                return
            yield from self._by_head[head]
