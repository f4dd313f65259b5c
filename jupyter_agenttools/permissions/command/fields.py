"""The words that a program really gets: what becomes of a word when the shell expands it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .braces import Atoms, expand_braces
from .parsed import TooComplex
from .script import Node, Piece, Word
from .state import ANY, NUMBER, PLAIN_WORD, WORDS, State, Unknown, Value, kind_of
from .wildcards import STAR, whole_regex

_WILD = re.compile(r"[*?\[]")
_SPLIT = re.compile(r"[^ \t\n]+")
_ESCAPE_WILD = re.compile(r"([*?\[\\])")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_ARITHMETIC_SET = re.compile(r"(?<![=<>!])=(?!=)|\+\+|--")
_PARAM = re.compile(r"(#?)(\w+)((?::?[-+]|%%?|##?)?)(.*)", re.DOTALL)

Follow = Callable[[Node, State], Value]
"""Judges what a substitution runs and says what is known of its output."""


GAP = "\0"
"""Stands in a text for what is not known; no word of a shell can hold it."""


class Field(NamedTuple):
    """One word as the program gets it.

    Attributes:
        text: the text, with a :data:`GAP` wherever something is not known.
        start, end: where it comes from.
        pattern: when it is a file name wildcard that is still to be expanded: the pattern, quoted signs escaped by a
            backslash.
        unknown: what is known of it when it is not known itself.
        many: it may become several words, or none.
        written: no part of it was expanded: it stands there in so many letters.
        process: a pipe to another program that was judged.
    """

    text: str
    start: int
    end: int
    pattern: str | None = None
    unknown: Unknown | None = None
    many: bool = False
    written: bool = True
    process: bool = False


def expand(word: Word, state: State, follow: Follow) -> list[Field]:
    """The fields that come of one word.

    Args:
        state: the variables and the directory. follow: judges substitutions.

    Raises:
        TooComplex: something in it expands in a way that is not followed.
    """
    if len(word.pieces) == 1:
        piece = word.pieces[0]
        if piece.kind == "text" or (piece.kind == "bare" and not _NEEDS_WORK.search(piece.value)):
            return [Field(piece.value, word.start, word.end)]
    return [field for atoms in expand_braces(word) for field in _expand_atoms(atoms, word, state, follow)]


_ONE_WORD = frozenset({"number", "hash", "path"})
_NEEDS_WORK = re.compile(r"[*?\[{}~]")


def expand_to_text(word: Word, state: State, follow: Follow) -> Value:
    """The one text that a word becomes where nothing is split or looked for: in assignments, ``case``, here-strings.

    Raises:
        TooComplex: as :func:`expand`.
    """
    parts: list[str] = []
    unknown: list[Unknown] = []
    for i, piece in enumerate(word.pieces):
        if piece.kind == "bare" and "~" in piece.value and (i == 0 or ":" in piece.value):
            raise TooComplex("tilde", "`~` in a value", word.start, word.end)
        value = _value_of(piece, word, state, follow)
        if isinstance(value, Unknown):
            unknown.append(value)
        parts.append("" if isinstance(value, Unknown) else value)
    if not unknown:
        return "".join(parts)
    if len(word.pieces) == 1:
        return WORDS if unknown[0].many and word.pieces[0].quoted else unknown[0]
    kinds = {kind_of(part) for part in parts if part} | {value.kind for value in unknown}
    return ANY if "any" in kinds else Unknown("words")


def _expand_atoms(atoms: Atoms, word: Word, state: State, follow: Follow) -> Iterator[Field]:
    text, pattern, wild, written = "", "", False, True
    unknown: Unknown | None = None
    pending = list(_with_tilde(atoms, word))
    for piece in pending:
        value = _value_of(piece, word, state, follow)
        written = written and piece.kind in ("bare", "text")
        if piece.kind == "proc":
            yield Field("/dev/fd/63", word.start, word.end, written=False, process=True)
            return
        if isinstance(value, Unknown):
            unknown = value if unknown is None else ANY
            if not piece.quoted and (value.many or value.kind not in _ONE_WORD):
                yield _many(text, word, value, pending)
                return
            if value.many:
                unknown = ANY
        elif piece.kind in ("var", "sub", "param") and not piece.quoted:
            if _WILD.search(value) or "\\" in value:
                raise TooComplex("expansion", "a wildcard in an expanded text", word.start, word.end)
            parts = _SPLIT.findall(value)
            if len(pending) == 1:
                yield from (Field(part, word.start, word.end, written=False) for part in parts)
                return
            if len(parts) != 1 or parts[0] != value:
                raise TooComplex("expansion", "blanks in an expanded text that is joined to others", *_span(word))
        known = GAP if isinstance(value, Unknown) else value
        text += known
        wild = wild or (piece.kind == "bare" and bool(_WILD.search(known)))
        pattern += known if piece.kind == "bare" else _ESCAPE_WILD.sub(r"\\\1", known)
    if wild and unknown is not None:
        raise TooComplex("expansion", "a wildcard beside a text that is not known", word.start, word.end)
    is_wild = wild and text != "["
    yield Field(text, word.start, word.end, pattern if is_wild else None, unknown, False, written)


def _span(word: Word) -> tuple[int, int]:
    return word.start, word.end


def _many(text: str, word: Word, value: Unknown, pieces: list[Piece]) -> Field:
    if value.kind == "any":
        raise TooComplex("expansion", "an unquoted text that is not known may hold wildcards", word.start, word.end)
    if value.many and len(pieces) == 1:
        return Field(GAP, word.start, word.end, None, value._replace(many=False), True, False)
    single = value.kind == "word" and len(pieces) == 1
    return Field(text + GAP, word.start, word.end, None, PLAIN_WORD if single else Unknown("words"), True, False)


def _with_tilde(atoms: Atoms, word: Word) -> Iterator[Piece]:
    """The pieces with a leading ``~`` replaced by the home folder."""
    first = atoms[0] if atoms else None
    if first is None or first.kind != "bare" or not first.value.startswith("~"):
        yield from atoms
        return
    name, slash, rest = first.value.partition("/")
    home = os.environ.get("HOME", "")
    if name != "~" or (not slash and len(atoms) > 1) or not home.startswith("/"):
        raise TooComplex("tilde", f"`{name}` expands to a folder", word.start, word.end)
    yield Piece("text", home, True)
    yield Piece("bare", slash + rest)
    yield from atoms[1:]


def _value_of(piece: Piece, word: Word, state: State, follow: Follow) -> Value:
    if piece.kind in ("bare", "text"):
        return piece.value
    if piece.kind == "var":
        return _variable(piece.value, word, state)
    if piece.kind in ("sub", "proc"):
        assert piece.script is not None
        return follow(piece.script, state)
    if piece.kind == "arith":
        return arithmetic(piece.value, state, word.start, word.end)
    return _parameter(piece.value, word, state)


def _variable(name: str, word: Word, state: State) -> Value:
    value = state.value(name)
    if value is None:
        raise TooComplex("expansion", f"`${name}` is not known beforehand", word.start, word.end)
    return value


def _parameter(inner: str, word: Word, state: State) -> Value:
    """``${#x}``, ``${x%…}`` and the like; the word in it is plain text."""
    match = _PARAM.fullmatch(inner)
    if match is None:
        raise TooComplex("expansion", f"`${{{inner}}}` is not followed", word.start, word.end)
    length, name, operator, argument = match.groups()
    value = _variable(name, word, state)
    if length:
        return NUMBER
    if operator in ("%", "%%", "#", "##"):
        if isinstance(value, Unknown):
            return value if value.kind not in _ONE_WORD else WORDS if value.many else PLAIN_WORD
        return _trimmed(value, operator, argument)
    if operator in (":-", "-") and isinstance(value, str):
        return value or (argument if operator == ":-" else "")
    if operator in (":+", "+") and isinstance(value, str):
        return argument if value or operator == "+" else ""
    if operator in (":-", "-", ":+", "+"):
        return ANY
    raise TooComplex("expansion", f"`${{{inner}}}` is not followed", word.start, word.end)


def _trimmed(value: str, operator: str, pattern: str) -> str:
    """What is left of ``value`` when the shortest or longest part that fits ``pattern`` is cut from one end."""
    body = whole_regex(STAR if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    cuts = range(len(value) + 1)
    at_end = operator[0] == "%"
    fits = [i for i in cuts if re.fullmatch(body, value[i:] if at_end else value[:i], re.DOTALL)]
    if not fits:
        return value
    widest = len(operator) == 2
    cut = min(fits) if at_end == widest else max(fits)
    return value[:cut] if at_end else value[cut:]


def arithmetic(expression: str, state: State, start: int, end: int) -> Value:
    """What is known of an arithmetic expression: a number, if every name in it is known to be one.

    Raises:
        TooComplex: a variable in it may hold any text, which the shell would evaluate in turn; or one is set.
    """
    for name in _IDENTIFIER.findall(re.sub(r"\b\d\w*", "", expression)):
        value = state.value(name)
        if value is None or kind_of(value) != "number":
            raise TooComplex("expansion", f"`{name}` in an arithmetic expression may hold any text", start, end)
    if _ARITHMETIC_SET.search(expression):
        raise TooComplex("expansion", "an arithmetic expression that sets a variable", start, end)
    if re.search(r"\$(?![A-Za-z_])", expression):
        raise TooComplex("expansion", "an arithmetic expression that is not followed", start, end)
    return NUMBER
