"""What counts as part of a word? Python and ripgrep differ beyond ASCII, so a pattern for both is written with marks
that are spelled out here the way ripgrep understands ``\\w`` and ``\\b``."""

from __future__ import annotations

import unicodedata
from functools import cache

WORD, NOT_WORD, BOUNDARY, NOT_BOUNDARY = "\ue000", "\ue001", "\ue002", "\ue003"
"""Marks in a pattern: the first two inside ``[…]``, the others between characters. No character of a pattern stands as
itself in this range, so a mark cannot be mistaken."""

_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Me", "Nd", "Pc"})
_ALSO = ((0x200C, 0x200D), (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Joiners, and letters in circles and squares: alphabetic to Unicode, symbols by their category."""

_LAST_LETTER = 0x323AF
_VARIATION_SELECTORS = (0xE0100, 0xE01EF)
SURROGATES = (0xD800, 0xDFFF)

Ranges = tuple[tuple[int, int], ...]


def spelled_out(pattern: str, *, ascii_only: bool) -> str:
    """The pattern with its marks replaced: by Python's own classes when the text is ASCII, else by ranges."""
    if not any(mark in pattern for mark in (WORD, NOT_WORD, BOUNDARY, NOT_BOUNDARY)):
        return pattern
    if ascii_only:
        word, not_word, boundary, not_boundary = r"\w", r"\W", r"\b", r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))"
    else:
        ranges = word_ranges()
        word, not_word = class_body(ranges), class_body(complement(ranges))
        before, after = f"(?<=[{word}])", f"(?=[{word}])"
        not_before, not_after = f"(?<![{word}])", f"(?![{word}])"
        boundary = f"(?:{before}{not_after}|{not_before}{after})"
        text_only = r"(?<![\ud800-\udfff])(?![\ud800-\udfff])"  # between bytes that are no text nothing is known
        not_boundary = f"(?:{text_only}(?:{before}{after}|{not_before}{not_after}))"
    for mark, text in ((WORD, word), (NOT_WORD, not_word), (BOUNDARY, boundary), (NOT_BOUNDARY, not_boundary)):
        pattern = pattern.replace(mark, text)
    return pattern


@cache
def word_ranges() -> Ranges:
    """The characters of words, as ranges in order."""
    extra = {point for first, last in _ALSO for point in range(first, last + 1)}
    category = unicodedata.category
    points = [p for p in range(_LAST_LETTER + 1) if category(chr(p)) in _CATEGORIES or p in extra]
    ranges: list[tuple[int, int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return (*ranges, _VARIATION_SELECTORS)


def complement(ranges: Ranges) -> Ranges:
    """Every other character. Lone surrogates, which stand for bytes that are no text, are in neither."""
    taken = sorted((*ranges, SURROGATES))
    found, at = [], 0
    for first, last in taken:
        if first > at:
            found.append((at, first - 1))
        at = max(at, last + 1)
    if at <= 0x10FFFF:
        found.append((at, 0x10FFFF))
    return tuple(found)


def class_body(ranges: Ranges) -> str:
    """The ranges as they stand between ``[`` and ``]`` in a pattern."""
    return "".join(
        _escaped(first) if first == last else f"{_escaped(first)}-{_escaped(last)}" for first, last in ranges
    )


def _escaped(point: int) -> str:
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}"
