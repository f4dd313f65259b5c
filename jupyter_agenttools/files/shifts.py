"""Which lines of a text became which, and what does somebody who knew some of them know now?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .encoding import TextFormat
from .feeds import Feeds
from .splice import Change


class LineShift(NamedTuple):
    """The lines ``first`` to ``last`` (from 1; ``last < first`` for none) became ``count`` lines."""

    first: int
    last: int
    count: int

    @property
    def delta(self) -> int:
        """How many lines there are more than before."""
        return self.count - (self.last - self.first + 1)


def line_shifts(data: bytes, form: TextFormat, changes: Iterable[Change]) -> tuple[LineShift, ...]:
    """What ``changes`` of the content ``data``, in order, did to its lines."""
    feeds, shifts, line, position = Feeds(data, form), [], 1, 0
    for change in changes:
        line += feeds.count(position, change.start)
        removed = feeds.count(change.start, change.end)
        added = feeds.count_in(change.new)
        at_start = change.start == 0 or data[max(change.start - len(feeds.feed), 0) : change.start] == feeds.feed
        whole = at_start and _is_lines(data[change.start : change.end], feeds) and _is_lines(change.new, feeds)
        shifts.append(LineShift(line, line + removed - whole, added + 1 - whole))
        line, position = line + removed, change.end
    return tuple(shifts)


def _is_lines(piece: bytes, feeds: Feeds) -> bool:
    return not piece or piece.endswith(feeds.feed)


def shifted(known: Iterable[tuple[int, int]], shifts: Sequence[LineShift]) -> tuple[tuple[int, int], ...]:
    """The stretches of lines that are known after a change by somebody who knew ``known`` before, and made it.

    Returns:
        first and last line of each, in order and apart from each other.
    """
    moved = [(_moved(first, shifts, to_end=False), _moved(last, shifts, to_end=True)) for first, last in known]
    delta = 0
    for shift in shifts:
        moved.append((shift.first + delta, shift.first + delta + shift.count - 1))
        delta += shift.delta
    return tuple(_merged(moved))


def _moved(line: int, shifts: Sequence[LineShift], *, to_end: bool) -> int:
    delta = 0
    for shift in shifts:
        if line < shift.first:
            break
        if line <= shift.last:
            return shift.first + delta + (shift.count - 1 if to_end else 0)
        delta += shift.delta
    return line + delta


def _merged(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(stretch for stretch in stretches if stretch[0] <= stretch[1]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged
