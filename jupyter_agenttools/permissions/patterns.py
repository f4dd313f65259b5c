"""Text patterns in which only ``*`` is special: the one wildcard that permission rules share.

A backslash matters only in a run of backslashes that ends at a star: each pair stands for one backslash, and an odd
one out makes the star a plain character. Every other backslash is itself, so ``grep '\\.py$' *`` needs no escapes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_STARS = re.compile(r"(\\*)\*")


class Wildcard(NamedTuple):
    """A compiled pattern.

    Attributes:
        pieces: the plain texts between the stars; one piece means that there is no star.
        boundary: the pattern ended in `` *`` or ``:*``: what is before it matches alone, or followed by a blank.
    """

    pieces: tuple[str, ...]
    boundary: bool = False

    @property
    def exact(self) -> bool:
        return len(self.pieces) == 1 and not self.boundary

    def matches(self, text: str) -> bool:
        """Whether the whole of ``text`` fits. Linear in its length."""
        if not text.startswith(self.pieces[0]):
            return False
        if not self.boundary:
            return _fits(self.pieces, text)
        return _fits(self.pieces, text) or _fits((*self.pieces[:-1], self.pieces[-1] + " ", ""), text)


def _fits(pieces: tuple[str, ...], text: str) -> bool:
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    end = len(text) - len(last)
    if end < len(first) or not text.startswith(first) or not text.endswith(last):
        return False
    at = len(first)
    for piece in pieces[1:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


@lru_cache(maxsize=8192)
def compile_wildcard(pattern: str, *, word_boundary: bool = False) -> Wildcard:
    """The compiled form of ``pattern``.

    Args:
        pattern: text with stars.
        word_boundary: give a trailing `` *`` or ``:*`` its meaning in command rules (a word ends there).
    """
    pieces = _split(pattern)
    if not word_boundary or len(pieces) < 2 or pieces[-1]:
        return Wildcard(pieces)
    before = pieces[-2]
    if before.endswith((" ", ":")) and (before.rstrip(" :") or len(pieces) > 2):
        return Wildcard((*pieces[:-2], before[:-1].rstrip(" ")), boundary=True)
    return Wildcard(pieces)


def _split(pattern: str) -> tuple[str, ...]:
    pieces, piece, at = [], "", 0
    for match in _STARS.finditer(pattern):
        slashes = match.group(1)
        piece += pattern[at : match.start()] + "\\" * (len(slashes) // 2)
        at = match.end()
        if len(slashes) % 2:
            piece += "*"
        else:
            pieces.append(piece)
            piece = ""
    return (*pieces, piece + pattern[at:])


def escape_wildcards(text: str) -> str:
    """The pattern that matches ``text`` and nothing else."""
    return _STARS.sub(lambda match: match.group(1) * 2 + "\\*", text)
