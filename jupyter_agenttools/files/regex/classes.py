"""Sets of characters: ``[…]``, ``\\w`` and their like."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..plain_search.words import NOT_WORD, WORD, Ranges, class_body, complement
from .pieces import Mode, PatternError, Piece, python_char, rust_char

SPACE: Ranges = (
    (0x9, 0xD), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
"""Unicode's White_Space. Python's own ``\\s`` has four control characters more."""

_UPPER, _LOWER, _DIGITS = (0x41, 0x5A), (0x61, 0x7A), (0x30, 0x39)
_NAMED: dict[str, Ranges] = {
    "alnum": (_DIGITS, _UPPER, _LOWER), "alpha": (_UPPER, _LOWER), "ascii": ((0, 0x7F),), "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)), "digit": (_DIGITS,), "graph": ((0x21, 0x7E),), "lower": (_LOWER,),
    "print": ((0x20, 0x7E),), "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x9, 0xD), (0x20, 0x20)), "upper": (_UPPER,), "word": (_DIGITS, _UPPER, (0x5F, 0x5F), _LOWER),
    "xdigit": (_DIGITS, (0x41, 0x46), (0x61, 0x66)),
}  # fmt: skip
"""``[:name:]``: of ASCII alone, as in ripgrep."""


class Member(NamedTuple):
    """One member of a class in both dialects.

    Attributes:
        point: its code point when it is a single character.
        reaches_line_ends: whether it may stand for CR or LF.
        is_line_end: whether it is nothing but a line end.
    """

    rust: str
    python: str
    point: int | None = None
    reaches_line_ends: bool = False
    is_line_end: bool = False


def shorthand(letter: str) -> Member:
    """``\\d``, ``\\w``, ``\\s`` and their opposites, as they stand in a class."""
    python = {
        "d": r"\d",
        "D": r"\D",
        "w": WORD,
        "W": NOT_WORD,
        "s": class_body(SPACE),
        "S": class_body(complement(SPACE)),
    }[letter]
    return Member(f"\\{letter}", python, reaches_line_ends=letter in "DWs")


def single(char: str) -> Member:
    is_end = char in "\r\n"
    return Member(rust_char(char), python_char(char), ord(char), is_end, is_end)


def set_of(members: list[Member], negated: bool, mode: Mode) -> Piece:
    """The class of these members.

    In a search by line no class matches a line end, whatever it says. Bytes that are no text, which Python sees as
    lone surrogates, are in no class either.
    """
    kept = [member for member in members if not (mode.by_line and _is_left_out(member, mode))]
    rust, python = "".join(m.rust for m in kept), "".join(m.python for m in kept)
    if negated:
        return Piece(f"[^{rust}{mode.line_ends}]" if rust or mode.line_ends else "(?s:.)", _negated(kept, python, mode))
    if not kept:
        return Piece(r"[a&&b]", r"(?!)")
    if mode.by_line and any(member.reaches_line_ends for member in kept):
        return Piece(f"[{rust}&&[^{mode.line_ends}]]", f"(?![{mode.line_ends}])(?![\\ud800-\\udfff])[{python}]")
    return Piece(f"[{rust}]", f"[{python}]" if r"\D" not in python else f"(?![\\ud800-\\udfff])[{python}]")


def _is_left_out(member: Member, mode: Mode) -> bool:
    return member.is_line_end and (member.point == 0xA or not mode.raw_ends)


def _negated(kept: list[Member], python: str, mode: Mode) -> str:
    return f"[^{python}{mode.line_ends}\\ud800-\\udfff]"


def any_character(mode: Mode) -> Piece:
    """``.``"""
    if mode.by_line or not mode.dot_all:
        ends = mode.line_ends or (r"\n" if mode.raw_ends else r"\r\n")
        return Piece(f"[^{ends}]", f"[^{ends}\\ud800-\\udfff]")
    return Piece("(?s:.)", r"[^\ud800-\udfff]")


class NestedClassError(Exception):
    """A class within a class, or an operation on classes: only ripgrep knows these."""


class ClassReader:
    """Reads one ``[…]``.

    Args:
        text: the whole pattern. at: behind the opening bracket.
        escape: reads an escape at a position and returns a member and the position behind it.
    """

    def __init__(self, text: str, at: int, escape: Callable[[int], tuple[Member, int]]) -> None:
        self._text, self.at, self._opened = text, at, at - 1
        self._escape = escape

    def read(self) -> tuple[list[Member], bool]:
        """The members, and whether all others are meant. ``at`` is then behind the closing bracket.

        Raises:
            PatternError: never closed, or a range that is none. NestedClassError: for ripgrep alone.
        """
        negated = self._text.startswith("^", self.at)
        self.at += negated
        members: list[Member] = []
        first = True
        while first or not self._text.startswith("]", self.at):
            if self.at >= len(self._text):
                raise PatternError(self._text, self._opened, r"the class is never closed; a plain `[` is written `\[`")
            members.append(self._range() if not self._text.startswith("[:", self.at) else self._named())
            first = False
        self.at += 1
        return members, negated

    def _named(self) -> Member:
        end = self._text.find(":]", self.at)
        name = self._text[self.at + 2 : end] if end > 0 else ""
        opposite, name = name.startswith("^"), name.removeprefix("^")
        if name not in _NAMED:
            return self._range()
        self.at = end + 2
        ranges = _NAMED[name]
        reaches = opposite != any(first <= 0xD and last >= 0xA for first, last in ranges)
        body = class_body(complement(ranges) if opposite else ranges)
        return Member(f"[:{'^' * opposite}{name}:]", body, reaches_line_ends=reaches)

    def _range(self) -> Member:
        start = self.at
        low = self._member()
        dash = self._text.startswith("-", self.at) and self._text[self.at + 1 : self.at + 2] not in ("]", "")
        if not dash or low.point is None:
            return low
        self.at += 1
        high = self._member()
        if high.point is None or high.point < low.point:
            raise PatternError(self._text, start, f"{self._text[start : self.at]!r} is no range of characters")
        reaches = low.point <= 0xD and high.point >= 0xA
        return Member(f"{low.rust}-{high.rust}", f"{low.python}-{high.python}", reaches_line_ends=reaches)

    def _member(self) -> Member:
        text, at = self._text, self.at
        char = text[at : at + 1]
        if char == "":
            raise PatternError(text, self._opened, r"the class is never closed; a plain `[` is written `\[`")
        if char == "\\":
            member, self.at = self._escape(at)
            return member
        if text[at : at + 2] in ("&&", "--", "~~") or (char == "[" and self._closes_twice()):
            raise NestedClassError
        self.at += 1
        return single(char)

    def _closes_twice(self) -> bool:
        """Whether a bracket in the class opens a class that is closed, and after it this one: else it is plain."""
        inner = self._text.find("]", self.at + 2)
        return inner > 0 and self._text.find("]", inner + 1) > 0
