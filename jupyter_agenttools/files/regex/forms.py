"""Reading a pattern, and its forms for both engines.

The dialect is ripgrep's. Where that is an error and what was meant is clear, it is read as meant: a brace that counts
nothing is plain (``interface{}``), so is a bracket that opens nothing (``[^[]``). Looking around and back references,
which ripgrep's own engine does not know, are for Python; ``\\p{…}`` and operations on classes are for ripgrep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .pieces import Mode, PatternError, Piece
from .reader import PatternReader

MAX_PATTERN_CHARS = 20_000


@dataclass(frozen=True)
class PatternForms:
    """A pattern for both engines.

    Args:
        source: as it was given.
        rust: for ripgrep; ``None`` when only Python can search for it, and ``python_only`` says why.
        python: for Python, with the marks of ``plain_search.words``; ``None`` when only ripgrep can, and
            ``ripgrep_only`` says why.
        required: texts of which a match holds at least one; none when nothing is known.
        ignore_case: no letter's case counts.
        mixed_case: in some places no letter's case counts.
        by_line: matches stay within a line.
        raw_ends: a CR before a line end belongs to the line.
        may_be_empty: it also matches nothing at all.
    """

    source: str
    rust: str | None
    python: str | None
    required: tuple[str, ...]
    ignore_case: bool
    mixed_case: bool
    by_line: bool
    raw_ends: bool
    may_be_empty: bool
    python_only: str = ""
    ripgrep_only: str = ""


def read_pattern(source: str, *, ignore_case: bool = False, multiline: bool = False) -> PatternForms:
    """What does this pattern look for, in the words of each engine?

    Args:
        ignore_case: no letter's case counts.
        multiline: matches may span lines, and ``.`` is any character.

    Raises:
        PatternError: it is no regular expression; says where.
    """
    if len(source) > MAX_PATTERN_CHARS:
        raise PatternError(source, MAX_PATTERN_CHARS, f"it is longer than {MAX_PATTERN_CHARS:,} characters")
    if "\0" in source:
        raise PatternError(source, source.index("\0"), "it holds a NUL character, which no text file does")
    if any("\ud800" <= char <= "\udfff" for char in source):
        raise PatternError(source, 0, "it holds half of a character (a lone surrogate)")
    speaks_of_cr = "\r" in source or any(spelled in source.lower() for spelled in (r"\r", r"\x0d", r"\u000d", r"\x{d}"))
    mode = Mode(not multiline, speaks_of_cr, dot_all=multiline, ignore_case=ignore_case)
    reader = PatternReader(source, mode)
    piece = reader.read()
    return _forms(source, piece, reader, mode)


def _forms(source: str, piece: Piece, reader: PatternReader, mode: Mode) -> PatternForms:
    required = (piece.literal,) if piece.literal else piece.required
    made = PatternForms(
        source,
        piece.rust,
        piece.python,
        required if not reader.mixed_case else (),
        mode.ignore_case,
        reader.mixed_case,
        mode.by_line,
        mode.raw_ends,
        piece.may_be_empty,
        reader.python_only,
        reader.ripgrep_only,
    )
    if made.python_only and made.ripgrep_only:
        position = max(reader.python_only_at, reader.ripgrep_only_at)
        why = f"{made.python_only} and {made.ripgrep_only} are known to different engines; use only one of them"
        raise PatternError(source, position, why)
    if made.python_only:
        return replace(made, rust=None)
    if made.ripgrep_only:
        return replace(made, rust=source if reader.is_raw else made.rust, python=None, required=())
    return made
