"""What ``find`` reads, by the list of what only tests or prints."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .fields import Field
from .parsed import TooComplex
from .places import ReadPath
from .programs import FIND_PATHS, FIND_PREDICATES
from .trees import check_links_stay

if TYPE_CHECKING:
    from .follow import Call

_SIGNS = frozenset({"(", ")", ",", "!"})


def find_reads(call: Call) -> Iterator[ReadPath]:
    """Every folder that is searched and every file that is compared with.

    Raises:
        TooComplex: a word that is not known to only test or print.
    """
    words, at, follows = call.fields, 0, False
    if len(words) == 1 and words[0].text in ("--version", "--help") and words[0].unknown is None:
        return
    while at < len(words) and words[at].text in ("-L", "-P", "-H") and words[at].unknown is None:
        follows = follows or words[at].text in ("-L", "-H")
        at += 1
    starts: list[Field] = []
    while at < len(words) and not (words[at].text.startswith("-") or words[at].text in _SIGNS):
        starts.append(words[at])
        at += 1
    yield from _expression(call, words[at:])
    for field in starts or [Field(".", call.start, call.end)]:
        for read in call.places.read(field, "paths", True):
            if follows and call.places.roots is not None and os.path.isdir(read.path):
                check_links_stay(read.path, call.places.roots, field)
            yield read


def _expression(call: Call, words: list[Field]) -> Iterator[ReadPath]:
    at = 0
    while at < len(words):
        field = words[at]
        at += 1
        if field.unknown is not None or field.pattern is not None or field.process:
            raise TooComplex("option", "`find` with a word that is not known", field.start, field.end)
        if field.text in FIND_PATHS:
            _value(call, words, at, field)
            yield from call.places.read(words[at])
            at += 1
            continue
        arity = FIND_PREDICATES.get(field.text)
        if arity is None:
            said = f"`find`: `{field.text}` is not on the list of what only tests or prints"
            raise TooComplex("option", said, field.start, field.end)
        for _ in range(arity):
            _value(call, words, at, field)
            at += 1


def _value(call: Call, words: list[Field], at: int, field: Field) -> None:
    """The value may be an unquoted wildcard as long as it becomes one word."""
    if at < len(words) and words[at].pattern is not None and (single := call.places.single(words[at])) is not None:
        words[at] = single
    if at >= len(words) or words[at].pattern is not None or words[at].many:
        said = f"`find`: the value of `{field.text}` is missing or an unquoted wildcard"
        raise TooComplex("option", said, field.start, field.end)
