"""Which calls does a program run that hands them paths: ``find`` and ``xargs``.

Of what they hand over only this much is known: what ``find`` finds lies below the folders that it is told to search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_FIND_LEADING = re.compile(r"-[HLP]+|-O\d*")
_XARGS_ALONE = re.compile(r"-[0oprtx]+|--(?:null|no-run-if-empty|interactive|open-tty|verbose|exit|show-limits)")
_XARGS_VALUED = re.compile(r"-[aEnLPsdI]|--(?:arg-file|max-args|max-chars|max-procs|delimiter|process-slot-var)")
_XARGS_ATTACHED = re.compile(r"-[aEeilnLPsdI].+|--[a-z-]+=.*", re.DOTALL)
_MARK = re.compile(r"(?:-I|-i|--replace=)(.+)", re.DOTALL)


class Handed(NamedTuple):
    """A call that is run with paths which only the program that runs it knows.

    Attributes:
        words: the call; where a path is put in, the folder that it lies in stands instead.
        below: those folders: what is meant is anything below them.
        is_open: there are words beside them that are not known.
        elsewhere: it runs in folders that are not known.
    """

    words: tuple[str, ...]
    below: frozenset[str] = frozenset()
    is_open: bool = False
    elsewhere: bool = False


def find_starts(words: Sequence[str]) -> tuple[str, ...]:
    """The folders that ``find`` with these words (its name left out) searches."""
    starts = []
    for word in words:
        if _FIND_LEADING.fullmatch(word):
            continue
        if word.startswith("-") or word in ("(", "!", ","):
            break
        starts.append(word)
    return tuple(starts) or (".",)


def find_calls(words: Sequence[str]) -> Iterator[Handed]:
    """What ``find`` runs, once for each folder that it searches."""
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word not in _FIND_RUNS:
            continue
        end = at
        while end < len(words) and words[end] != ";" and (words[end] != "+" or words[end - 1] != "{}"):
            end += 1
        call, at = words[at:end], end + 1
        for start in find_starts(words) if call else ():
            put = tuple(start if part == "{}" else part for part in call if part == "{}" or "{}" not in part)
            below = frozenset({start}) if "{}" in call else frozenset()
            yield Handed(put, below, len(put) < len(call), word.endswith("dir"))


def find_writes(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The files that ``find`` itself writes, and the folders of which it takes away everything that it finds."""
    for word, following in zip(words, (*words, "")[1:], strict=True):
        if word in _FIND_WRITES and following:
            yield following, False
        if word == "-delete":
            yield from ((start, True) for start in find_starts(words))


def xargs_call(words: Sequence[str]) -> Handed | None:
    """What ``xargs`` with these words (its name left out) runs, ``None`` when that is not certain."""
    at, mark = 0, None
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word in ("-i", "--replace"):
            mark = "{}"
        elif word == "-I":
            mark = next(iter(words[at + 1 : at + 2]), None)
        elif (attached := _MARK.fullmatch(word)) is not None:
            mark = attached[1]
        is_valued = _XARGS_VALUED.fullmatch(word) is not None
        if not is_valued and not _XARGS_ALONE.fullmatch(word) and not _XARGS_ATTACHED.fullmatch(word) and mark is None:
            return None
        at += 2 if is_valued else 1
    call = tuple(words[at:])
    if mark is not None:
        call = tuple(word for word in call if mark not in word)
    return Handed(call, is_open=True) if call else None
