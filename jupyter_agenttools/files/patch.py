"""What changed between two texts, as hunks and as the stretch that a person has to look at."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

CONTEXT_LINES = 3
MAX_COMPARED_LINES = 4_000
"""Comparing takes time with the square of the lines; a longer changed stretch becomes one hunk."""


@dataclass(frozen=True)
class Hunk:
    """One changed place: where it starts (lines from 1) and how long it is on both sides.

    ``lines`` carry ``" "``, ``"-"`` or ``"+"`` in front and have no line ends.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]


def structured_patch(old: str, new: str) -> tuple[Hunk, ...]:
    """The hunks that turn ``old`` into ``new``, with three lines of context; none when the texts are equal."""
    return _hunks(_lines(old), _lines(new)) if old != new else ()


def changed_lines(old: str, new: str) -> tuple[int, int]:
    """How many lines came and how many went; what follows the last newline is a line only when it holds something."""
    hunks = _hunks(_ended_lines(old), _ended_lines(new)) if old != new else ()
    signs = [line[0] for hunk in hunks for line in hunk.lines]
    return signs.count("+"), signs.count("-")


def _hunks(before: list[str], after: list[str]) -> tuple[Hunk, ...]:
    head, tail = _common(before, after)
    first = max(head - CONTEXT_LINES, 0)
    end = max(tail - CONTEXT_LINES, 0)
    a, b = before[first : len(before) - end], after[first : len(after) - end]
    if max(len(a), len(b)) > MAX_COMPARED_LINES:
        codes = [[("replace", 0, len(a), 0, len(b))]]
    else:
        codes = list(difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT_LINES))
    return tuple(_hunk(group, a, b, first) for group in codes)


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _ended_lines(text: str) -> list[str]:
    """Each line with its end, so that a newline at the end of a file counts."""
    *ended, rest = text.split("\n")
    return [*(f"{line}\n" for line in ended), *([rest] if rest else [])]


def _common(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning, and of the rest at the end."""
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if before[-1 - i] != after[-1 - i]), rest)
    return head, tail


def _hunk(group: list[tuple[str, int, int, int, int]], a: list[str], b: list[str], shift: int) -> Hunk:
    lines: list[str] = []
    for tag, a1, a2, b1, b2 in group:
        if tag == "equal":
            lines += [f" {line}" for line in a[a1:a2]]
        else:
            lines += [f"-{line}" for line in a[a1:a2]]
            lines += [f"+{line}" for line in b[b1:b2]]
    first, last = group[0], group[-1]
    return Hunk(shift + first[1] + 1, last[2] - first[1], shift + first[3] + 1, last[4] - first[3], tuple(lines))


def changed_stretch(old: str, new: str) -> tuple[str, str, int]:
    """Both texts from the first to the last difference, with context, and the line at which that starts (from 1)."""
    before, after = _lines(old), _lines(new)
    head, tail = _common(before, after)
    first = max(head - CONTEXT_LINES, 0)
    end = max(tail - CONTEXT_LINES, 0)
    old_part, new_part = (
        "".join(f"{line}\n" for line in lines[first : len(lines) - end]) if end else "\n".join(lines[first:])
        for lines in (before, after)
    )
    return old_part, new_part, first + 1
