"""What is known while a command line is followed: working directories and variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from .parsed import TooComplex

if TYPE_CHECKING:
    from .places import ReadPath

Kind = Literal["number", "hash", "path", "word", "words", "any"]
"""What is known of a text that is not known itself: digits; the hash of a revision; a path inside that was looked at;
one plain word; words without wildcards; nothing. The first three never become more than one word."""

_ORDER: tuple[Kind, ...] = ("number", "hash", "path", "word", "words", "any")
MAX_DIRECTORIES = 6


class Unknown(NamedTuple):
    """A text of which only the kind is known.

    Attributes:
        many: it holds any number of such words, one in a line.
        directories: of a path: the directories that it starts from. reads: what it lies in, or is.
        folders: of a path: it may be a link to a folder outside, so that only programs may get it that open no folders.
    """

    kind: Kind
    many: bool = False
    directories: tuple[str, ...] = ()
    reads: tuple[ReadPath, ...] = ()
    folders: bool = False


Value = str | Unknown
ANY, WORDS, PLAIN_WORD, NUMBER = Unknown("any"), Unknown("words"), Unknown("word"), Unknown("number")
HASH = Unknown("hash")

_NUMBER = re.compile(r"-?\d{1,15}")
_PLAIN = re.compile(r"[\w.,:@%+/=-]+", re.ASCII)
_NO_WILDCARD = re.compile(r"[^*?\[\\]*")
_SETTABLE = re.compile(
    r"[a-z_][a-z0-9_]*|[A-Z]|FILES?|DIRS?|NAMES?|COUNT|TOTAL|SUM|LINES?|RESULT|OUT|OUTPUT|BRANCH|MSG"
)
_NOT_SETTABLE = frozenset({"histchars", "auto_resume", "LINES", "_"})

SPECIAL: Mapping[str, Unknown] = {
    **dict.fromkeys(["?", "#", "$", "PPID", "UID", "EUID", "RANDOM", "SECONDS", "LINENO", "BASHPID", "SHLVL"], NUMBER),
    **dict.fromkeys(["USER", "LOGNAME", "HOSTNAME", "SHELL", "LANG", "OSTYPE", "HOSTTYPE", "MACHTYPE"], PLAIN_WORD),
    **dict.fromkeys(["BASH", "BASH_VERSION", "TERM", "PATH", "EPOCHSECONDS"], WORDS),
}
"""Variables that a hardened shell always has and that hold no secret."""


def settable(name: str) -> bool:
    """Whether a variable of this name means nothing to the shell or to programs."""
    return bool(_SETTABLE.fullmatch(name)) and name not in _NOT_SETTABLE


def kind_of(value: Value) -> Kind:
    if isinstance(value, Unknown):
        return value.kind
    if _NUMBER.fullmatch(value):
        return "number"
    if _PLAIN.fullmatch(value):
        return "word"
    return "words" if _NO_WILDCARD.fullmatch(value) else "any"


def join_values(one: Value, other: Value) -> Value:
    """What is known of a text that may be either."""
    if one == other:
        return one
    kind = max(kind_of(one), kind_of(other), key=_ORDER.index)
    if kind in ("hash", "path"):  # not the same one, or beside a number, which may begin with a dash
        kind = "word"
    if any(isinstance(value, Unknown) and value.many for value in (one, other)) and kind != "any":
        kind = "words"
    return Unknown(kind)


class State(NamedTuple):
    """What holds at one point of a command line.

    Attributes:
        directories: every directory that may be the working directory, as the shell names it (links unresolved).
        variables: what is known of variables that were set in the line.
    """

    directories: tuple[str, ...]
    variables: Mapping[str, Value] = {}

    def but(self, name: str, value: Value) -> State:
        return self._replace(variables={**self.variables, name: value})

    def value(self, name: str) -> Value | None:
        """What is known of a variable; ``None`` when it may be anything, also a secret."""
        if name in self.variables:
            return self.variables[name]
        if name == "PWD":
            return self.directories[0] if len(self.directories) == 1 else ANY
        if name == "HOME":
            return os.environ.get("HOME", ANY)
        return SPECIAL.get(name)


def join(one: State, other: State) -> State:
    """What holds when either may hold.

    Raises:
        TooComplex: too many directories come into question.
    """
    if one is other or one == other:
        return one
    directories = tuple(dict.fromkeys((*one.directories, *other.directories)))
    if len(directories) > MAX_DIRECTORIES:
        raise TooComplex("directories", "too many working directories come into question")
    variables: dict[str, Value] = {}
    for name in (*one.variables, *other.variables):
        left, right = one.variables.get(name), other.variables.get(name)
        # Where it is not set, it is whatever it was before: empty, or what a shell has by itself.
        variables[name] = ANY if left is None or right is None else join_values(left, right)
    return State(directories, variables)


class Ends(NamedTuple):
    """What holds after a command that succeeded, and after one that failed."""

    success: State
    failure: State

    @property
    def either(self) -> State:
        return join(self.success, self.failure)


def either_of(states: list[State]) -> Ends:
    """What holds after a choice, whichever of its ends was come to."""
    at = states[0]
    for state in states[1:]:
        at = join(at, state)
    return Ends(at, at)
