"""Putting a text in place of others, byte for byte: what stands outside of them stays as it is.

A line end that is written LF in the new text becomes the one that its surroundings have: the nearest one in the text
that is replaced, else that of the line in which it is put, else that of the last line that has one. What the old and
the new text have in common at both ends is not touched at all, so that in a file of mixed line ends each line that
stays keeps its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .encoding import TextFormat, encode_part
from .feeds import Feeds
from .matching import Match

_TOKEN = re.compile(r"\r\n|.", re.DOTALL)


class Change(NamedTuple):
    """The bytes ``start`` to ``end`` of the old content became ``new``."""

    start: int
    end: int
    new: bytes


class Splice(NamedTuple):
    """A content with some of its bytes replaced.

    Attributes:
        data: the new content.
        changes: what became what, in order, in places of the old content.
        line_ends: the kinds of line ends that were put in where the new text has LF; both where a file mixes them.
    """

    data: bytes
    changes: tuple[Change, ...]
    line_ends: frozenset[str]


def splice(data: bytes, form: TextFormat, matches: Sequence[Match], new: str) -> Splice:
    """Put ``new`` in place of each of ``matches``, which do not overlap and are in order.

    Raises:
        ToolValidationError: ``new`` holds a character that the encoding does not have.
    """
    encode_part(new, form)
    ends = _LineEnds(data, form)
    known: dict[bytes, _Difference] = {}
    changes, position, whole = [], 0, memoryview(data)  # pieces of a view are no copies
    pieces: list[bytes | memoryview] = []
    for match in matches:
        old = data[match.start : match.end]
        difference = known.get(old) or known.setdefault(old, _difference(old, new, form))
        start, end = match.start + difference.head, match.end - difference.tail
        put = difference.put
        if "\n" in put:
            put = tuple(ends.around(match, difference) if char == "\n" else char for char in put)
        changes.append(Change(start, end, encode_part("".join(put), form)))
        pieces += [whole[position:start], changes[-1].new]
        position = end
    return Splice(b"".join([*pieces, whole[position:]]), tuple(changes), frozenset(ends.used))


class _Difference(NamedTuple):
    """How an old and a new text differ.

    Attributes:
        head, tail: how many bytes they share at both ends.
        put: the characters of the new one in between.
        line_end: the line end of the old text that is nearest to these, ``""`` for none.
    """

    head: int
    tail: int
    put: tuple[str, ...]
    line_end: str


def _difference(old: bytes, new: str, form: TextFormat) -> _Difference:
    before, after = _TOKEN.findall(old.decode(form.encoding)), _TOKEN.findall(new)
    head = tail = 0
    if encode_part("".join(before), form) == old:  # else a character of it can be written in two ways
        shorter = min(len(before), len(after))
        head = next((i for i in range(shorter) if not _same(before[i], after[i])), shorter)
        rest = shorter - head
        tail = next((i for i in range(rest) if not _same(before[-1 - i], after[-1 - i])), rest)
    kept, middle, behind = before[:head], before[head : len(before) - tail], before[len(before) - tail :]
    ends = (middle, kept[::-1], behind)
    line_end = next((char for part in ends for char in part if char in ("\n", "\r\n")), "")
    first, last = (len(encode_part("".join(part), form)) for part in (kept, behind))
    return _Difference(first, last, tuple(after[head : len(after) - tail]), line_end)


def _same(old: str, new: str) -> bool:
    """Whether a character stays. LF stands for whichever end the old line has, CR LF is meant as it is written."""
    return old == new or (new == "\n" and old == "\r\n")


class _LineEnds:
    """Which line ends does a content have around a place? Asked for places in their order."""

    def __init__(self, data: bytes, form: TextFormat) -> None:
        self._feeds = Feeds(data, form)
        self._next, self._last = self._feeds.after(0), self._feeds.before(len(data))
        self.used: set[str] = set()

    def around(self, match: Match, difference: _Difference) -> str:
        """The line end for what is put in place of ``match``."""
        line_end = difference.line_end or self._of_line(match.end)
        self.used.add(line_end)
        return line_end

    def _of_line(self, position: int) -> str:
        """The end of the line at ``position``; of the last line, when that has none, the end of the one before."""
        if 0 <= self._next < position:
            self._next = self._feeds.after(position)
        feed = self._next if self._next >= 0 else self._last
        return self._feeds.end_before(feed) if feed >= 0 else "\n"
