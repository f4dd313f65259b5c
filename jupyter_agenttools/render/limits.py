"""How much of a view is shown, and how much of it is kept at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..core.views import Density
from .chars import clip

UNLIMITED = 1 << 60
FOLD_SLACK = 3
"""Opening a fold costs a person more than reading this many lines."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one view.

    Args:
        shown_lines: lines of a block that can be read at once; the rest is folded away between its head and its tail.
        kept_chars: characters of one block that are kept at all, folded lines included.
        line_chars: characters of one line.
        image_chars: characters of an image's base64 text. images_chars: of all images of a view together.
        blocks: blocks of a view.
    """

    shown_lines: int = UNLIMITED
    kept_chars: int = UNLIMITED
    line_chars: int = UNLIMITED
    image_chars: int = UNLIMITED
    images_chars: int = UNLIMITED
    blocks: int = UNLIMITED


EVERYTHING = Limits()
"""A person who is asked must see all of what would run, so nothing is folded or cut."""

RECORD = Limits(shown_lines=15, kept_chars=16_000, line_chars=2_000, image_chars=30_000, images_chars=30_000, blocks=40)
"""What stays in a notebook: its parts together stay below the bound on one call's saved output."""

BY_DENSITY: dict[Density, Limits] = {"condensed": RECORD, "verbose": EVERYTHING, "transcript": RECORD}


class Kept(NamedTuple):
    """The kept lines of a text: ``lines[:split]``, then ``lost`` lines that are not kept, then ``lines[split:]``."""

    lines: list[str]
    split: int
    lost: int

    def numbers(self, first: int) -> list[str]:
        """The numbers of the kept lines, of equal width, when the text's first line is ``first``."""
        numbers = [first + at + (self.lost if at >= self.split else 0) for at in range(len(self.lines))]
        width = len(str(max(numbers, default=1)))
        return [f"{number:>{width}}" for number in numbers]


def keep(text: str, limits: Limits) -> Kept:
    """Which lines of ``text`` fit: two thirds of the room for its beginning, the rest for its end."""
    lines, room = text.removesuffix("\n").split("\n"), limits.kept_chars
    if len(lines) <= room:  # else they cannot fit: a line takes one character at least
        cut = _cut(lines, limits)
        if sum(map(len, cut)) + len(cut) <= room:
            return Kept(cut, len(cut), 0)
    head = _fitting(_cut(lines[:room], limits), room * 2 // 3)
    rest = lines[len(head) :]
    tail = _fitting(_cut(rest[-room:], limits)[::-1], room // 3)[::-1]
    return Kept(head + tail, len(head), len(rest) - len(tail))


def _cut(lines: list[str], limits: Limits) -> list[str]:
    return lines if limits.line_chars >= UNLIMITED else [clip(line, limits.line_chars) for line in lines]


def _fitting(lines: list[str], room: int) -> list[str]:
    """The first lines that fit into ``room`` characters; at least one does."""
    for count, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return lines[: max(count, 1)]
    return lines


class Folded(NamedTuple):
    """Lines as they are shown: a head, what is folded away, a tail.

    ``lost`` lines are missing among the folded ones, after the first ``before_loss`` of them.
    """

    head: list[str]
    hidden: list[str]
    tail: list[str]
    lost: int
    before_loss: int


def fold(kept: Kept, lines: list[str], limits: Limits) -> Folded:
    """Lay out ``lines``, the rendered form of ``kept.lines``."""
    if len(lines) <= limits.shown_lines + FOLD_SLACK and not kept.lost:
        return Folded(lines, [], [], 0, 0)
    head = min(max(limits.shown_lines * 2 // 3, 1), kept.split)
    tail = max(min(limits.shown_lines - head, len(lines) - max(head, kept.split if kept.lost else head)), 0)
    end = len(lines) - tail
    return Folded(lines[:head], lines[head:end], lines[end:], kept.lost, kept.split - head)
