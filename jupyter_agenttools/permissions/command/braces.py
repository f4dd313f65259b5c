"""Brace expansion: ``{a,b}`` and ``{1..9}`` become several words before anything else is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .parsed import TooComplex
from .script import Piece, Word

MAX_WORDS = 200
"""More words than this from one word are not looked through."""

_SEQUENCE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,4}))?|([A-Za-z])\.\.([A-Za-z])")

Atoms = tuple[Piece, ...]
"""A word cut so that every unquoted ``{``, ``,`` and ``}`` is a piece of its own."""


def has_braces(word: Word) -> bool:
    """Whether the shell may look for braces to expand in this word."""
    for piece in word.pieces:
        if piece.kind == "bare" and "{" in piece.value:
            return True
    return False


def expand_braces(word: Word) -> list[Atoms]:
    """The words that come of ``word``, in order; just itself when there is nothing to expand.

    Raises:
        TooComplex: braces that shells read in different ways, or too many words.
    """
    if not has_braces(word):
        return [word.pieces]
    try:
        expanded = [atoms for atoms in _expand(tuple(_atoms(word))) if atoms]  # `{,}` is no word at all
    except _Unclear:
        raise TooComplex("braces", "braces that do not pair up plainly", word.start, word.end) from None
    if len(expanded) > MAX_WORDS:
        raise TooComplex("braces", f"braces that make more than {MAX_WORDS} words", word.start, word.end)
    return expanded


class _Unclear(Exception):
    pass


def _atoms(word: Word) -> Iterator[Piece]:
    for piece in word.pieces:
        if piece.kind != "bare":
            yield piece
        else:
            yield from (Piece("bare", part) for part in re.split(r"([{},])", piece.value) if part)


def _is(piece: Piece, char: str) -> bool:
    return piece.kind == "bare" and piece.value == char


def _expand(atoms: Atoms) -> Iterator[Atoms]:
    opening = next((i for i, piece in enumerate(atoms) if _is(piece, "{")), None)
    if opening is None:
        if any(_is(piece, "}") for piece in atoms):
            raise _Unclear
        yield atoms
        return
    closing, commas = _closing(atoms, opening)
    head, inner, tail = atoms[:opening], atoms[opening + 1 : closing], atoms[closing + 1 :]
    if any(_is(piece, "}") for piece in head):
        raise _Unclear
    if not inner:  # `{}` is itself
        for rest in _expand(tail):
            yield (*head, Piece("bare", "{}"), *rest)
        return
    plain = not commas and _is_plain(inner)
    if plain:  # `HEAD@{1}` is itself
        inner = (Piece("bare", "{"), *inner, Piece("bare", "}"))
    middles = _alternatives(atoms, opening, closing, commas) if commas else [inner] if plain else _sequence(inner)
    tails = list(_expand(tail))
    for count, middle in enumerate(middles):
        if count * len(tails) > MAX_WORDS:
            raise _Unclear
        for rest in tails:
            yield (*head, *middle, *rest)


def _is_plain(inner: Atoms) -> bool:
    """Whether braces around this stay as they are: one piece of text that is no sequence."""
    return len(inner) == 1 and inner[0].kind == "bare" and ".." not in inner[0].value and inner[0].value not in "{}"


def _closing(atoms: Atoms, opening: int) -> tuple[int, list[int]]:
    level, commas = 0, []
    for i in range(opening, len(atoms)):
        if _is(atoms[i], "{"):
            level += 1
        elif _is(atoms[i], "}"):
            level -= 1
            if not level:
                return i, commas
        elif level == 1 and _is(atoms[i], ","):
            commas.append(i)
    raise _Unclear


def _alternatives(atoms: Atoms, opening: int, closing: int, commas: Sequence[int]) -> Iterator[Atoms]:
    borders = [opening, *commas, closing]
    for left, right in pairwise(borders):
        yield from _expand(atoms[left + 1 : right])


def _sequence(inner: Atoms) -> list[Atoms]:
    text = "".join(piece.value for piece in inner) if all(piece.kind == "bare" for piece in inner) else ""
    match = _SEQUENCE.fullmatch(text)
    if match is None:
        raise _Unclear
    first, last, step, low, high = match.groups()
    if low is not None:
        start, stop = ord(low), ord(high)
        if low.isupper() != high.isupper():
            raise _Unclear
    else:
        start, stop = int(first), int(last)
        if any(len(number.lstrip("-")) > 1 and number.lstrip("-")[0] == "0" for number in (first, last)):
            raise _Unclear
    width = abs(int(step or 1)) or 1
    if abs(stop - start) // width > MAX_WORDS:
        raise _Unclear
    numbers = range(start, stop + 1, width) if start <= stop else range(start, stop - 1, -width)
    return [(Piece("bare", chr(number) if low is not None else str(number)),) for number in numbers]
