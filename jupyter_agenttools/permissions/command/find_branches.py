"""What the files have in common that a ``find`` expression comes to print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from typing import NamedTuple

from .programs import FIND_PATHS, FIND_PREDICATES

_PRINTS = frozenset({"-print", "-print0"})
_PLAIN_PATTERN = re.compile(r"[^\[\]\\]*")


class Found(NamedTuple):
    """Of everything that is printed: whether it is a plain file, and the patterns one of which its name fits (``None``
    when no pattern is known)."""

    only_files: bool
    names: tuple[re.Pattern[str], ...] | None


_ANYTHING = Found(False, None)


def what_is_printed(words: Sequence[str]) -> Found:
    """Read a ``find`` expression (the words behind the places where it starts)."""
    branches: list[Found] = []
    printed: list[Found] = []
    only_files, names = False, None
    at, negated = 0, False
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("!", "-not"):
            negated = not negated
            continue
        if word in ("-o", "-or"):
            branches.append(Found(only_files, names))
            only_files, names = False, None
        elif word == "(":
            end = _closing(words, at)
            if end is None or not _PRINTS.isdisjoint(words[at:end]):
                return _ANYTHING
            inner = what_is_printed(words[at:end])
            if not negated:
                only_files = only_files or inner.only_files
                names = names or inner.names
            at = end + 1
        elif word in _PRINTS:
            printed.append(_ANYTHING if negated else Found(only_files, names))
        elif word in (",", ")"):
            return _ANYTHING
        else:
            width = 1 if word in FIND_PATHS else FIND_PREDICATES.get(word, 0)
            value = words[at] if width and at < len(words) else ""
            at += width
            if not negated:
                only_files = only_files or (word == "-type" and value == "f")
                if word in ("-name", "-iname") and _PLAIN_PATTERN.fullmatch(value):
                    names = (re.compile(translate(value), re.IGNORECASE if word == "-iname" else 0),)
        negated = False
    branches.append(Found(only_files, names))
    return _together(printed or branches)


def _closing(words: Sequence[str], at: int) -> int | None:
    level = 0
    for i in range(at, len(words)):
        if words[i] == ")" and not level:
            return i
        level += {"(": 1, ")": -1}.get(words[i], 0)
    return None


def _together(found: Sequence[Found]) -> Found:
    names: list[re.Pattern[str]] = []
    for part in found:
        names.extend(part.names or ())
    all_named = all(part.names is not None for part in found)
    return Found(all(part.only_files for part in found), tuple(names) if all_named else None)
