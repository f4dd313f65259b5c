"""``xargs``: the words of its program come from what another program prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate

from .arguments import sort_arguments
from .fields import Field
from .find_words import find_reads
from .follow import Call
from .git_reads import git_reads
from .parsed import TooComplex
from .places import ReadPath
from .program_reads import program_reads
from .programs import TEXT_PROGRAMS, program
from .trees import check_plain_names

_XARGS = program("0rtx", "nLPsd", "null no-run-if-empty verbose exit", "max-args max-lines max-procs delimiter")
_TEXT_INNER = frozenset({"echo", "basename", "dirname"})
_FILTERS = frozenset({"head", "tail", "sort", "uniq"})
_LISTERS = frozenset({"find", "git", "rg"})


def xargs_reads(call: Call) -> Iterator[ReadPath]:
    """What a program reads whose words another one prints.

    Raises:
        TooComplex: the printed words are not known to be plain paths inside, or the program does more than read them.
    """
    options, inner = _split(call)
    sort_arguments("xargs", _XARGS, options)
    if not inner:
        return
    name = inner[0].text
    if inner[0].unknown is not None or not inner[0].written or inner[0].pattern is not None:
        raise TooComplex("dynamic-name", "`xargs` with a program that is not written out", call.start, call.end)
    if name in _TEXT_INNER:
        if any(field.pattern is not None for field in inner):
            raise TooComplex("glob", "a wildcard behind `xargs`", call.start, call.end)
        return
    found = TEXT_PROGRAMS.get(name)
    if found is None or found.operands not in ("paths", "files", "names", "pattern") or found.max_operands is not None:
        said = f"`xargs {name}` is not known to only read what it is given"
        raise TooComplex("unknown-program", said, call.start, call.end)
    if found.operands == "pattern":
        sorted_words = sort_arguments(name, found, inner[1:])
        if not sorted_words.operands and found.pattern_options.isdisjoint(sorted_words.options):
            raise TooComplex("operands", "the pattern would come from the other program", call.start, call.end)
    yield from program_reads(name, found, inner[1:], call.places)
    yield from _listed(call)


def _split(call: Call) -> tuple[list[Field], list[Field]]:
    """The options of ``xargs`` and the call behind them. Only options whose width is certain are let through."""
    at = 0
    fields = call.fields
    while at < len(fields) and fields[at].text.startswith("-"):
        at += 2 if re.fullmatch(r"-[nLPsd]|--(?:max-args|max-lines|max-procs|delimiter)", fields[at].text) else 1
    return list(fields[:at]), list(fields[at:])


def _listed(call: Call) -> Iterator[ReadPath]:
    """The files that the program in front lists: all of them have plain names and lie inside."""
    before = list(call.before)
    while before and before[-1] and before[-1][0].text in _FILTERS and _only_drops(before[-1]):
        before.pop()
    if len(before) != 1 or not before[0] or before[0][0].text not in _LISTERS:
        raise TooComplex("path", "the words come from a program that may print anything", call.start, call.end)
    lister = before[0]
    inner = call._replace(name=lister[0].text, fields=list(lister[1:]), every=list(lister))
    words = [field.text for field in lister[1:]]
    reads = list(_reads_of_lister(inner, words))
    wanted = _wanted(words)
    for read in reads:
        if call.places.roots is not None:
            check_plain_names(read.path, call.places.roots, Field("", call.start, call.end), wanted)
        yield read


def _only_drops(words: Sequence[Field]) -> bool:
    """Whether a filter only drops lines or changes their order: no file of its own, nothing added to a line."""
    return all(re.fullmatch(r"-[rufn]|-n?\d+|\d+", field.text) for field in words[1:])


def _reads_of_lister(call: Call, words: list[str]) -> Iterator[ReadPath]:
    if call.name == "find":
        if any(word in ("-printf", "-ls", "-L", "-H", "-follow") for word in words):
            raise TooComplex("path", "`find` that prints more than paths", call.start, call.end)
        yield from find_reads(call)
    elif call.name == "git":
        if words[:1] != ["ls-files"] or any(word.startswith("-") and word not in ("-z", "-m") for word in words[1:]):
            raise TooComplex("path", "`git` that prints more than paths", call.start, call.end)
        yield from git_reads(call)
    else:
        flags = {word for word in words if word.startswith("-")}
        if not flags or not flags <= {"--files", "-l", "--files-with-matches", "-g", "-t", "-i", "-0", "-F", "-w"}:
            raise TooComplex("path", "`rg` that prints more than paths", call.start, call.end)
        if not flags & {"--files", "-l", "--files-with-matches"}:
            raise TooComplex("path", "`rg` that prints more than paths", call.start, call.end)
        yield from program_reads("rg", TEXT_PROGRAMS["rg"], call.fields, call.places)


def _wanted(words: list[str]) -> re.Pattern[str] | None:
    """The names that are listed, when one ``-name`` outside of any ``-o`` and ``!`` says it."""
    if not {"-o", "-or", "!", "-not", ",", "("}.isdisjoint(words) or words.count("-name") != 1:
        return None
    if not {"-print", "-print0"}.isdisjoint(words[:-1]):
        return None
    at = words.index("-name")
    return re.compile(translate(words[at + 1])) if at + 1 < len(words) else None
