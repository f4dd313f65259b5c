"""The change from one text to another, as the lines of a unified diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import repeat
from typing import Literal, NamedTuple

from .word_diff import Pieces, WordDiff

CONTEXT_LINES = 3
MAX_COMPARED_LINES = 4_000
"""difflib is quadratic at worst; beyond this many differing lines a side is shown as replaced as a whole."""

NO_NEWLINE = "\\ No newline at end of file"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Only a newline ends a line: `str.splitlines` also breaks at form feeds and separators, which are content here."""

Kind = Literal["add", "del", "same", "hunk", "note"]


class DiffLine(NamedTuple):
    """One line of a diff. ``text`` begins with its sign, so that it reads without colour.

    ``pieces`` are what follows the sign, and which of it changed; none where there is nothing to tell apart.
    """

    kind: Kind
    text: str
    pieces: Pieces = ()


class Diff(NamedTuple):
    lines: list[DiffLine]
    added: int
    removed: int


def unified(old: str, new: str, first_lines: tuple[int, int] = (1, 1)) -> Diff:
    """What changed, with three lines around each change; line ends count as content.

    Args:
        first_lines: what the first lines of both texts are numbered.
    """
    left, right = (first - 1 for first in first_lines)
    before, after = _LINE.findall(old), _LINE.findall(new)
    lines: list[DiffLine] = []
    words = WordDiff()
    for group in _groups(before, after):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        lines.append(DiffLine("hunk", f"@@ -{_span(i1 + left, i2 + left)} +{_span(j1 + right, j2 + right)} @@"))
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                lines += _signed("same", " ", before[a1:a2])
            else:
                old_pieces, new_pieces = words.pieces(_bare(before[a1:a2]), _bare(after[b1:b2]))
                lines += _signed("del", "-", before[a1:a2], old_pieces)
                lines += _signed("add", "+", after[b1:b2], new_pieces)
    counts = [sum(line.kind == kind for line in lines) for kind in ("add", "del")]
    return Diff(lines, *counts)


Opcode = tuple[str, int, int, int, int]


def _groups(before: Sequence[str], after: Sequence[str]) -> list[list[Opcode]]:
    """Changed regions with their context. Equal ends are set aside first: most edits are small and files are long."""
    start = max(_common(before, after) - CONTEXT_LINES, 0)
    end = max(_common(before[start:][::-1], after[start:][::-1]) - CONTEXT_LINES, 0)
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(left), len(right)) > MAX_COMPARED_LINES:
        return [[("replace", start, start + len(left), start, start + len(right))]]
    matcher = difflib.SequenceMatcher(None, left, right)
    return [
        [(tag, i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in group]
        for group in matcher.get_grouped_opcodes(CONTEXT_LINES)
        if any(tag != "equal" for tag, *_ in group)
    ]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """How many first lines two texts have in common."""
    differing = (at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(left), len(right)))


def _span(start: int, end: int) -> str:
    """A range in a hunk's head: lines count from 1, an empty range names the line before it."""
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\n") for line in lines]


def _signed(kind: Kind, sign: str, lines: Sequence[str], pieces: Sequence[Pieces] = ()) -> list[DiffLine]:
    signed = []
    for line, parts in zip(lines, pieces or repeat(()), strict=False):
        signed.append(DiffLine(kind, f"{sign}{line}".removesuffix("\n"), parts))
        if not line.endswith("\n"):
            signed.append(DiffLine("note", NO_NEWLINE))
    return signed
