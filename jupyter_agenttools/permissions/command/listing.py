"""Paths that one program prints and another one gets: those of them that can be relied on to be plain and inside."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..look import Look
from ..roots import is_inside
from .arguments import sort_arguments
from .fields import Field
from .find_branches import Found, what_is_printed
from .find_words import find_reads
from .git_index import index_names
from .git_reads import find_repository, git_reads
from .parsed import TooComplex
from .places import ReadPath
from .program_reads import program_reads
from .programs import TEXT_PROGRAMS
from .state import Unknown
from .trees import AT_NULS, BARE_AT_NULS, BY_THE_SHELL, Names

if TYPE_CHECKING:
    from .follow import Call

Stage = Sequence[Field]
"""One call in front of a pipe: all of its words, none when it is more than a plain call."""

_FILTERS: dict[str, re.Pattern[str]] = {
    "head": re.compile(r"head(?: -\d+| -n ?-?\d+| --lines=\d+| -z)*"),
    "sort": re.compile(r"sort(?: -[rufnVz]+)*"),
    "tail": re.compile(r"tail(?: -\d+| -n ?[+-]?\d+| --lines=\d+| -z)*"),
    "uniq": re.compile(r"uniq(?: -[uz])*"),
}
"""Filters that only drop lines or change their order."""

_GREPS = frozenset({"grep", "egrep", "fgrep"})
_GREP_FILTER = re.compile(r"-[vEFiwxP]+")
_GREP_LISTS = frozenset({"-l", "-L", "--files-with-matches", "--files-without-match"})
_GREP_MORE = frozenset({"-R", "--dereference-recursive", "--color", "--colour", "-c", "--count", "--label"})
_RG_LISTS = frozenset({"-l", "--files-with-matches", "--files", "--files-without-match"})
_RG_OPTIONS = _RG_LISTS | frozenset(
    "-g --glob --iglob -t --type -T --type-not -i -w -F -e -S -s -P -U -0 --null --hidden -. -u --no-ignore".split()
)
_FD_OPTIONS = frozenset(
    "-e --extension -t --type -E --exclude -H --hidden -I --no-ignore -u -g --glob -s -i -F -d -0 --print0".split()
)
_LS = re.compile(r"-[1trSAd]+")
_GIT_LISTS = frozenset({"-z", "-m", "-c", "--cached", "--modified"})
_GIT_GREP = frozenset({"-l", "--name-only", "--files-with-matches", "-i", "-w", "-E", "-F", "-P", "-e"})
_SUFFIX = re.compile(r"\*(\.\w+)")
_UNPLAIN = re.compile(r"[\s'\"\\*?\[]|^[-@+]")


class Listed(NamedTuple):
    """What a program prints.

    Attributes:
        reads: the files, and the folders in which they lie. zero: each path ends with a NUL.
        found: what is known of them. flat: only what stands in the folders itself.
        paths: all of them as they are printed, where they need not be looked for. folders: among these are links to
            folders outside.
    """

    reads: tuple[ReadPath, ...]
    zero: bool = False
    found: Found = Found(False, None)
    flat: bool = False
    paths: tuple[str, ...] | None = None
    folders: bool = False


def known_output(call: Call, stages: Sequence[Stage], *, zero: bool) -> Unknown | None:
    """One of the paths or words that ``stages`` print for the shell; ``None`` when they may print anything."""
    try:
        return listed_path(call, stages, zero=zero, names=AT_NULS if zero else BY_THE_SHELL)
    except (TooComplex, OSError):
        pass
    try:
        return None if zero else listed_words(call, stages)
    except (TooComplex, OSError):
        return None


def listed_path(call: Call, stages: Sequence[Stage], *, zero: bool, names: Names) -> Unknown:
    """One of the paths that come out of ``stages``, as a text that is not known.

    Args:
        call: where they go; gives the directories. stages: the calls of the pipe, the first one first.
        zero: they are taken apart at NULs. names: how plain the names have to be.

    Raises:
        TooComplex: they may be anything, or one is not plain or leads outside.
    """
    kept = list(stages)
    while len(kept) > 1 and kept[-1] and _only_drops(kept[-1], zero):
        kept.pop()
    if len(kept) != 1 or not kept[0]:
        raise _anything(call)
    stage = kept[0]
    inner = call._replace(name=stage[0].text, fields=list(stage[1:]), every=list(stage))
    lister = _LISTERS.get(inner.name)
    if lister is None or not stage[0].written or any(field.process or field.many for field in stage):
        raise _anything(call)
    listed = lister(inner)
    if listed.zero != zero:
        raise _anything(call)
    return path_of(inner, listed, names)


def path_of(call: Call, listed: Listed, names: Names) -> Unknown:
    """One of the paths that this call prints, all of which are looked at.

    Raises:
        TooComplex: one of them is not plain or leads outside.
    """
    return Unknown("path", False, call.places.directories, listed.reads, _check(call, listed, names))


def _anything(call: Call) -> TooComplex:
    return TooComplex("path", "the words come from a program that may print anything", call.start, call.end)


def _only_drops(stage: Stage, zero: bool) -> bool:
    words = [field.text for field in stage]
    if any(field.unknown is not None or field.pattern is not None for field in stage):
        return False
    if words[0] in _GREPS:
        options = [word for word in words[1:-1] if word != "-e"]
        return not zero and len(words) > 1 and words[-1][:1] != "-" and all(map(_GREP_FILTER.fullmatch, options))
    known = _FILTERS.get(words[0])
    if known is None or known.fullmatch(" ".join(words)) is None:
        return False
    return any("z" in word for word in words[1:]) == zero


def _check(call: Call, listed: Listed, names: Names) -> bool:
    """Look at every name; whether a link to a folder outside is among them."""
    roots = call.places.roots
    if roots is None:
        return False
    at, folders = Field("", call.start, call.end), listed.folders
    if names.odd is None and call.name != "find":  # the others print names without the folder in front
        names = BARE_AT_NULS
    if listed.paths is not None:
        for path in listed.paths:
            names.check(path, at)
        return folders
    absolute = any(field.text.startswith(("/", "~")) for field in call.fields)
    for read in listed.reads:
        base = call.places.directories[0]
        shown = read.given if absolute or not read.given.startswith(f"{base}/") else read.given[len(base) + 1 :]
        names.check(shown if shown != base else ".", at)
        if read.whole_tree and os.path.isdir(read.path):
            folders = names.look_through(read.path, roots, at, listed.found, listed.flat) or folders
    return folders


def _texts(call: Call) -> list[str]:
    for field in call.fields:
        if field.unknown is not None:
            raise _anything(call)
    return [field.text for field in call.fields]


def _find(call: Call) -> Listed:
    words = _texts(call)
    if any(word in ("-printf", "-ls", "-L", "-H", "-follow", "-exec") for word in words):
        raise _anything(call)
    if {"-print", "-print0"} <= set(words):
        raise _anything(call)
    start = next((i for i, word in enumerate(words) if word.startswith("-") or word in ("(", "!", ",")), len(words))
    reads = tuple(find_reads(call))
    return Listed(reads, "-print0" in words, what_is_printed(words[start:]))


def _grep(call: Call) -> Listed:
    _texts(call)
    found = sort_arguments(call.name, TEXT_PROGRAMS["grep"], call.fields)
    options = set(found.options)
    recursive = bool({"-r", "--recursive"} & options)
    if not _GREP_LISTS & options or _GREP_MORE & options or not (recursive or len(found.operands) > 1):
        raise _anything(call)
    reads = tuple(program_reads(call.name, TEXT_PROGRAMS["grep"], call.fields, call.places))
    return Listed(reads, bool({"-Z", "--null"} & options), Found(True, None))


def _rg(call: Call) -> Listed:
    _texts(call)
    found = sort_arguments("rg", TEXT_PROGRAMS["rg"], call.fields)
    options = set(found.options)
    if not _RG_LISTS & options or not options <= _RG_OPTIONS:
        raise _anything(call)
    reads = tuple(program_reads("rg", TEXT_PROGRAMS["rg"], call.fields, call.places))
    return Listed(reads, bool({"-0", "--null"} & options), Found(True, None))


def _fd(call: Call) -> Listed:
    _texts(call)
    found = sort_arguments(call.name, TEXT_PROGRAMS["fd"], call.fields)
    options = set(found.options)
    if not options <= _FD_OPTIONS:
        raise _anything(call)
    types = [field.text for option, field in found.values if option in ("-t", "--type")]
    ends = [field.text for option, field in found.values if option in ("-e", "--extension")]
    names = tuple(re.compile(rf".*\.{re.escape(end)}", re.IGNORECASE) for end in ends) or None
    reads = tuple(program_reads(call.name, TEXT_PROGRAMS["fd"], call.fields, call.places))
    return Listed(reads, bool({"-0", "--print0"} & options), Found(types in (["f"], ["file"]), names))


def _ls(call: Call) -> Listed:
    """``ls`` prints files as they are given, of a folder the names: these mean something only where one is."""
    options = [field for field in call.fields if field.text.startswith("-")]
    operands = [field for field in call.fields if not field.text.startswith("-")]
    _texts(call)
    if not all(_LS.fullmatch(field.text) for field in options):
        raise _anything(call)
    if not [field for field in operands if field.text not in (".", "./")]:
        if any("d" in field.text for field in options):
            raise _anything(call)
        return Listed(tuple(call.places.inside(".", Field(".", call.start, call.end), "paths", True)), flat=True)
    reads = tuple(read for field in operands for read in call.places.read(field))
    if any(os.path.isdir(read.path) for read in reads):
        raise _anything(call)
    return Listed(reads)


def _words(call: Call) -> Listed:
    """``echo`` and ``printf '%s\\n'`` with paths."""
    fields = call.fields
    _texts(call)
    if call.name == "printf":
        if not fields or fields[0].text not in ("%s\\n", "%s "):
            raise _anything(call)
        fields = fields[1:]
    if not fields or any(field.text[:1] in ("", "-") or _UNPLAIN.search(field.text) for field in fields):
        raise _anything(call)
    return Listed(tuple(read for field in fields for read in call.places.read(field)))


def _git(call: Call) -> Listed:
    words = _texts(call)
    verb, rest = (words[0], words[1:]) if words else ("", [])
    options = {word for word in rest if word.startswith("-") and word != "--"}
    operands = [word for word in rest if not word.startswith("-")]
    if verb == "grep" and options & {"-l", "--name-only", "--files-with-matches"} and options <= _GIT_GREP:
        if "--" not in rest and len(operands) > 1:
            raise _anything(call)
        operands = operands[1:]
    elif verb != "ls-files" or not options <= _GIT_LISTS:
        raise _anything(call)
    reads = tuple(git_reads(call))
    if call.places.roots is None:
        return Listed(reads)
    paths: list[str] = []
    folders = False
    top, names = _indexed(call, operands)
    here = os.path.realpath(call.places.directories[0])
    at_top = here == top
    inside: dict[str, bool] = {}
    for name in names:
        path = os.path.join(top, name)
        folder = os.path.dirname(path)
        if folder not in inside:  # what the index has as a folder may be a link by now
            inside[folder] = is_inside(os.path.realpath(folder), call.places.roots)
        if not inside[folder]:
            raise TooComplex("path-outside", f"{folder} leads outside", call.start, call.end)
        if os.path.islink(path) and not is_inside(os.path.realpath(path), call.places.roots):
            if not os.path.isdir(path):
                raise TooComplex("path-outside", f"{path} leads outside", call.start, call.end)
            folders = True
        paths.append(name if at_top else os.path.relpath(path, here))
    return Listed(reads, "-z" in options, paths=tuple(paths), folders=folders)


def _indexed(call: Call, operands: Sequence[str]) -> tuple[str, list[str]]:
    """The top of the work tree, and the files that the index names; it may name what is not there."""
    directory = os.path.realpath(call.places.directories[0])
    repository = find_repository(directory, call.places.known or Look())
    names = index_names(repository) if repository and os.path.basename(repository) == ".git" else None
    if names is None or repository is None or len(call.places.directories) > 1:
        raise _anything(call)
    top = os.path.dirname(repository)
    prefix = os.path.relpath(directory, top)
    wanted = [name for name in names if prefix == "." or name.startswith(f"{prefix}/")]
    if operands and all(map(_SUFFIX.fullmatch, operands)):
        wanted = [name for name in wanted if name.endswith(tuple(word[1:] for word in operands))]
    elif operands and prefix == "." and all(re.fullmatch(r"\w[\w./-]*", word) for word in operands):
        starts = tuple(word.rstrip("/") for word in operands)
        wanted = [name for name in wanted if name.startswith(starts)]
    return top, wanted


def listed_words(call: Call, stages: Sequence[Stage]) -> Unknown | None:
    """The names that ``ls`` prints of folders, when all of them are plain words; ``None`` when that is not certain."""
    stage = stages[0] if len(stages) == 1 else ()
    if not stage or stage[0].text != "ls" or any(field.unknown is not None for field in stage):
        return None
    if not all(_LS.fullmatch(field.text) for field in stage if field.text.startswith("-")):
        return None
    operands = [field for field in stage[1:] if not field.text.startswith("-")] or [Field(".", call.start, call.end)]
    at = Field("", call.start, call.end)
    for field in operands:
        for read in call.places.read(field):
            BY_THE_SHELL.check(os.path.relpath(read.given, call.places.directories[0]), at)
            for name in os.listdir(read.path) if os.path.isdir(read.path) else ():
                BY_THE_SHELL.check(name, at)
    return Unknown("word", many=True)


_LISTERS: dict[str, Callable[[Call], Listed]] = {
    **dict.fromkeys(_GREPS, _grep),
    "echo": _words,
    "fd": _fd,
    "fdfind": _fd,
    "find": _find,
    "git": _git,
    "ls": _ls,
    "printf": _words,
    "rg": _rg,
}
"""Programs that may print nothing but paths, with what each prints."""
