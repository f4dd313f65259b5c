"""What is known while a command line is followed: working directories and variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from .parsed import TooComplex

Kind = Literal["number", "word", "words", "any"]
"""What is known of a text that is not known itself: digits; one plain word; words without wildcards; nothing."""

_ORDER: tuple[Kind, ...] = ("number", "word", "words", "any")
MAX_DIRECTORIES = 6


class Unknown(NamedTuple):
    """A text of which only the kind is known."""

    kind: Kind


Value = str | Unknown
ANY, WORDS, PLAIN_WORD, NUMBER = Unknown("any"), Unknown("words"), Unknown("word"), Unknown("number")

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
    if one == other:
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
