"""``xargs``: the words of its program come from what another program prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from .arguments import sort_arguments
from .feed import has_input
from .fields import GAP, Field
from .listing import listed_path
from .parsed import TooComplex
from .places import ReadPath
from .programs import TEXT_PROGRAMS, program
from .trees import AT_BLANKS, AT_NULS

if TYPE_CHECKING:
    from .follow import Call

_XARGS = program("0rtx", "nLPsdI", "null no-run-if-empty verbose exit", "max-args max-lines max-procs delimiter")
_VALUED = re.compile(r"-[0rtx]*[nLPsdI]|--(?:max-args|max-lines|max-procs|delimiter)")
TEXT_INNER = frozenset({"echo", "basename", "dirname"})
_WITH_PROGRAM = frozenset({"awk", "gawk", "jq", "mawk", "sed"})

Judge = Callable[[Sequence[Field]], Sequence[ReadPath]]
"""What a call with these words reads; raises when it is not known to only read."""


def xargs_reads(call: Call, judge: Judge) -> Iterator[ReadPath]:
    """What a program reads whose words another one prints.

    Raises:
        TooComplex: the printed words are not known to be plain paths inside, or the program does more than read them.
    """
    if has_input(call.node):
        raise TooComplex("redirection", "`xargs` that reads its words from elsewhere", call.start, call.end)
    options, inner = _split(call)
    found = sort_arguments("xargs", _XARGS, options)
    if not inner:
        return
    name = inner[0].text
    if inner[0].unknown is not None or not inner[0].written or inner[0].pattern is not None:
        raise TooComplex("dynamic-name", "`xargs` with a program that is not written out", call.start, call.end)
    if name in TEXT_INNER:
        if any(field.pattern is not None for field in inner):
            raise TooComplex("glob", "a wildcard behind `xargs`", call.start, call.end)
        return
    check_program(call, name)
    zero = bool({"-0", "--null"} & set(found.options))
    for option, field in found.values:
        if option in ("-d", "--delimiter") and field.text not in ("\\n", "\n"):
            raise TooComplex("option", f"`xargs {option} {field.text}`", field.start, field.end)
    path = listed_path(call, call.before, zero=zero, names=AT_NULS if zero else AT_BLANKS)
    listed = Field(GAP, call.start, call.end, None, path, True, False)
    marks = [field.text for option, field in found.values if option == "-I"]
    if marks:
        yield from judge(_replaced(call, inner, marks[-1], listed._replace(many=False)))
        return
    if name in TEXT_PROGRAMS:  # without any word in front, it is run with its own words alone
        yield from judge(inner)
    yield from judge([*inner, listed])


def check_program(call: Call, name: str) -> None:
    """Check that a program does nothing but read any number of paths that it is given.

    Raises:
        TooComplex: it is not known to.
    """
    if name in _WITH_PROGRAM:
        return
    found = TEXT_PROGRAMS.get(name)
    is_reader = found is not None and found.operands in ("paths", "files", "contents", "names", "pattern")
    if found is None or not is_reader or found.max_operands is not None or found.one_of:
        said = f"`{name}` is not known to only read what it is given"
        raise TooComplex("unknown-program", said, call.start, call.end)


def _replaced(call: Call, inner: Sequence[Field], mark: str, listed: Field) -> list[Field]:
    """The words with the path in the place of ``mark``, which has to be a word of its own."""
    words: list[Field] = []
    for field in inner:
        if field.text == mark and field.unknown is None:
            words.append(listed)
        elif not mark or mark in field.text or field.unknown is not None:
            raise TooComplex("path", "`xargs -I` with a word that only holds the path", field.start, field.end)
        else:
            words.append(field)
    return words


def _split(call: Call) -> tuple[list[Field], list[Field]]:
    """The options of ``xargs`` and the call behind them. Only options whose width is certain are let through."""
    at = 0
    fields = call.fields
    while at < len(fields) and fields[at].text.startswith("-"):
        at += 2 if _VALUED.fullmatch(fields[at].text) else 1
    return list(fields[:at]), list(fields[at:])
