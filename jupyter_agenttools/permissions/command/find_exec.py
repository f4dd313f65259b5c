"""``find`` that hands what it finds to a program (``-exec``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .fields import GAP, Field
from .find_branches import what_is_printed
from .find_words import find_reads
from .listing import Listed, path_of
from .parsed import TooComplex
from .places import ReadPath
from .trees import AT_NULS
from .xargs import TEXT_INNER, Judge, check_program

if TYPE_CHECKING:
    from .follow import Call


def find_exec_reads(call: Call, judge: Judge) -> Iterator[ReadPath]:
    """What ``find`` and the programs that it runs read. The paths are handed over whole, whatever they hold.

    Raises:
        TooComplex: one of the programs is not known to only read, or what is found may lead outside.
    """
    plain, inner = _taken_apart(call)
    texts = [field.text for field in plain]
    if not {"-L", "-H", "-follow"}.isdisjoint(texts):
        raise TooComplex("option", "`find -exec` that follows links", call.start, call.end)
    reads = tuple(find_reads(call._replace(fields=plain)))
    if any(read.given.rpartition("/")[2].startswith(("@", "+")) for read in reads):
        raise TooComplex("path", "a path with an odd name", call.start, call.end)
    yield from reads
    start = next((i for i, text in enumerate(texts) if text.startswith("-") or text in ("(", "!", ",")), len(texts))
    listed = Listed(reads, found=what_is_printed(texts[start:]))
    path = path_of(call, listed, AT_NULS)
    for words, many in inner:
        if not words or not words[0].written or words[0].unknown is not None or words[0].pattern is not None:
            raise TooComplex(
                "dynamic-name", "`find -exec` with a program that is not written out", call.start, call.end
            )
        if words[0].text in TEXT_INNER:
            continue
        check_program(call, words[0].text)
        handed = Field(GAP, call.start, call.end, None, path, many, False)
        yield from judge([handed if field.text == "{}" else _without_braces(field) for field in words])


def _without_braces(field: Field) -> Field:
    if "{}" in field.text:
        raise TooComplex("path", "`find -exec` with a word that only holds the path", field.start, field.end)
    return field


def _taken_apart(call: Call) -> tuple[list[Field], list[tuple[list[Field], bool]]]:
    """The words with ``-print`` in the place of each ``-exec``, and the calls, with whether each gets many paths."""
    plain: list[Field] = []
    inner: list[tuple[list[Field], bool]] = []
    at, fields = 0, call.fields
    while at < len(fields):
        field = fields[at]
        at += 1
        if field.text != "-exec":
            plain.append(field)
            continue
        start = at
        while at < len(fields) and fields[at].text != ";" and (fields[at].text != "+" or fields[at - 1].text != "{}"):
            if fields[at].process or fields[at].many:
                raise TooComplex(
                    "option", "`find -exec` with words that are not known", fields[at].start, fields[at].end
                )
            at += 1
        if at >= len(fields):
            raise TooComplex("option", "`find -exec` without an end", field.start, field.end)
        inner.append((list(fields[start:at]), fields[at].text == "+"))
        plain.append(field._replace(text="-print"))
        at += 1
    return plain, inner
