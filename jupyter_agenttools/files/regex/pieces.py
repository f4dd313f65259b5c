"""What a part of a pattern is in each of the two dialects."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ...core.errors import ToolValidationError

Engine = Literal["ripgrep", "python"]

_RUST_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~")
_PYTHON_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~ ")


class PatternError(ToolValidationError):
    """The text is no regular expression."""

    kind = "InvalidPattern"

    def __init__(self, pattern: str, position: int, why: str) -> None:
        shown = pattern if len(pattern) <= 200 else pattern[:200] + "…"
        super().__init__(
            f"the pattern {shown!r} is no regular expression: at position {position + 1}, {why}",
            check_id="grep-pattern",
        )
        self.position = position


class Mode(NamedTuple):
    """What holds for the part of a pattern that is being read.

    Attributes:
        by_line: matches stay within a line.
        raw_ends: the pattern speaks of CR itself, so a CR before a line end belongs to the line.
        dot_all: ``.`` is any character, line ends among them.
        ignore_case: letters match in either case.
    """

    by_line: bool = True
    raw_ends: bool = False
    dot_all: bool = False
    ignore_case: bool = False

    @property
    def line_ends(self) -> str:
        """The characters that no class may match, as they stand in a class; of a line alone."""
        if not self.by_line:
            return ""
        return r"\n" if self.raw_ends else r"\r\n"


class Piece(NamedTuple):
    """A part of a pattern.

    Attributes:
        rust, python: how it is written.
        required: texts of which a match of this part holds at least one; none when nothing is known.
        literal: the text that it is, when it is nothing else.
        may_be_empty: whether it can match nothing at all.
    """

    rust: str
    python: str
    required: tuple[str, ...] = ()
    literal: str | None = None
    may_be_empty: bool = False


EMPTY = Piece("", "", literal="", may_be_empty=True)


def literal(char: str) -> Piece:
    """One character that stands for itself."""
    return Piece(rust_char(char), python_char(char), literal=char)


def rust_char(char: str) -> str:
    if char in _RUST_SPECIAL:
        return "\\" + char
    return char if char.isprintable() or char == "\t" else f"\\x{{{ord(char):x}}}"


def python_char(char: str) -> str:
    if char in _PYTHON_SPECIAL:
        return "\\" + char
    if char.isascii() and char.isprintable():
        return char
    point = ord(char)
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}"


def joined(pieces: list[Piece]) -> Piece:
    """The parts one after the other. What is required of all of them is the longest that one, or plain text in a row,
    requires."""
    runs: list[tuple[str, ...]] = []
    run = ""
    for piece in pieces:
        if piece.literal is not None:
            run += piece.literal
            continue
        runs += [(run,)] if run else []
        runs += [piece.required] if piece.required else []
        run = ""
    whole = run if not runs and all(piece.literal is not None for piece in pieces) else None
    runs += [(run,)] if run else []
    required = max(runs, key=lambda texts: min(map(len, texts)), default=())
    may_be_empty = all(piece.may_be_empty for piece in pieces)
    return Piece("".join(p.rust for p in pieces), "".join(p.python for p in pieces), required, whole, may_be_empty)


def any_of(branches: list[Piece]) -> Piece:
    """One of the parts."""
    if len(branches) == 1:
        return branches[0]
    required = [branch.required for branch in branches]
    texts = tuple(text for texts in required for text in texts) if all(required) else ()
    may_be_empty = any(branch.may_be_empty for branch in branches)
    rust, python = ("|".join(forms) for forms in zip(*((b.rust, b.python) for b in branches), strict=True))
    return Piece(rust, python, texts, may_be_empty=may_be_empty)


def grouped(inside: Piece, opening: str = "(?:") -> Piece:
    """The part in a group; a capturing one is written alike in both."""
    forms = (f"{opening}{inside.rust})", f"{opening}{inside.python})")
    return Piece(*forms, inside.required, may_be_empty=inside.may_be_empty)


def nothing(rust: str, python: str) -> Piece:
    """A part that matches between characters."""
    return Piece(rust, python, may_be_empty=True)
