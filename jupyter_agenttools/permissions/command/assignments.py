"""Assignments in front of a call: which of them change nothing about what it does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .fields import Field, Follow, expand_to_text
from .parsed import TooComplex
from .script import Node
from .state import State

SAFE_ENV_VARS = frozenset(
    "GOEXPERIMENT GOOS GOARCH CGO_ENABLED GO111MODULE RUST_BACKTRACE RUST_LOG NODE_ENV "
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE LANG LANGUAGE LC_ALL LC_CTYPE LC_TIME LC_COLLATE LC_NUMERIC LC_MESSAGES "
    "CHARSET TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR COLUMNS TZ".split()
)
"""Variables that may be set before a command without a rule having to say so."""

_SAFE_VALUE = re.compile(r"(?!/|.*(?:\.\.|:/))[\w.@+:,=/-]*", re.ASCII)


_SAFE_PAIRS = frozenset(
    {("GIT_OPTIONAL_LOCKS", "0")}
    | {(name, value) for name in ("PAGER", "GIT_PAGER", "MANPAGER", "LESS") for value in ("cat", "")}
    | {("CI", value) for value in ("1", "true")}
) - {("LESS", "cat")}
"""Variables that may be set to certain values only."""


def is_safe_env(name: str, value: str) -> bool:
    """Whether this assignment before a program can change neither what the program is nor what it does."""
    return (name, value) in _SAFE_PAIRS or (name in SAFE_ENV_VARS and _SAFE_VALUE.fullmatch(value) is not None)


def check_prefix(node: Node, fields: Sequence[Field], state: State, follow: Follow) -> None:
    """Check the assignments in front of a call.

    Raises:
        TooComplex: one of them may change what the call does.
    """
    for assignment in node.assignments:
        value = expand_to_text(assignment.word, state, follow)
        is_separator = assignment.name == "IFS" and bool(fields) and fields[0].text == "read"
        if (
            assignment.appends
            or not isinstance(value, str)
            or not (is_separator or is_safe_env(assignment.name, value))
        ):
            said = f"`{assignment.name}=…` in front of a command may change what it does"
            raise TooComplex("environment", said, assignment.start, assignment.end)
