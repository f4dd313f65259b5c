"""Judging one call: wrappers taken off, then by the list of programs, each in its own way."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence

from ..look import Look
from .assignments import SAFE_ENV_VARS, is_safe_env
from .builtin_calls import BUILTINS
from .facts import FACTS, PRINTABLE_VARIABLES, asks_for_version
from .fields import Field
from .find_exec import find_exec_reads
from .find_words import find_reads
from .follow import Call, Follower
from .git_reads import find_repository, git_reads
from .outcome import Result
from .parsed import TooComplex
from .places import Places, ReadPath
from .program_reads import program_reads
from .program_texts import awk_reads, jq_reads, sed_reads, yq_reads
from .programs import TEXT_ONLY, TEXT_PROGRAMS
from .script import Node
from .small_programs import SMALL
from .state import ANY, HASH, NUMBER, WORDS, Ends, State, Value
from .system_programs import SYSTEM
from .wrappers import inner_start
from .xargs import xargs_reads

_SYSTEM_FOLDERS = ("/usr/bin", "/bin")
_QUICK_WRAPPERS = frozenset({"command", "env", "nice", "stdbuf", "time", "timeout"})
_PROGRAMS_WRAPPING = _QUICK_WRAPPERS - {"command", "time"}
_CHANGES_THE_SHELL = frozenset({"cd", "popd", "pushd", "read"})
_NUMBERS = frozenset({"nproc", "wc"})
_WORDS = frozenset("arch date hostname id uname uptime whoami seq expr md5sum sha1sum sha256sum cksum factor".split())
_GIT_WORDS = frozenset({"rev-parse", "rev-list", "describe", "merge-base", "log"})

Reader = Callable[[Call], Iterable[ReadPath]]

READERS: dict[str, Reader] = {
    "awk": awk_reads,
    "find": find_reads,
    "gawk": awk_reads,
    "git": git_reads,
    "jq": jq_reads,
    "mawk": awk_reads,
    "sed": sed_reads,
    "yq": yq_reads,
    **SMALL,
    **SYSTEM,
}
"""Programs whose words are read by a function of their own."""

_RUNNERS = {"find": find_exec_reads, "xargs": xargs_reads}
"""Programs that hand paths to another program."""


def judge_call(
    follower: Follower, node: Node, fields: list[Field], state: State, before: tuple[tuple[Field, ...], ...]
) -> Result:
    """What one call reads, and what holds after it.

    Raises:
        TooComplex: it is not known to only read.
    """
    places = follower.places(state)
    fields = [_settled(field, places) for field in fields]
    start = _inner(fields)
    name = program_name_of(fields[start])
    call = Call(node, name, fields[start + 1 :], fields, state, places, follower.directory, before)
    runs = _RUNNERS.get(name)
    if runs is not None and (name == "xargs" or any(field.text == "-exec" for field in call.fields)):

        def judge(words: Sequence[Field]) -> Sequence[ReadPath]:
            return judge_call(follower, node, list(words), state, ()).reads

        return Result(Ends(state, state), tuple(runs(call, judge)))
    builtin = BUILTINS.get(name)
    if builtin is not None:
        if name in _CHANGES_THE_SHELL and any(field.text in _PROGRAMS_WRAPPING for field in fields[:start]):
            raise TooComplex("shell-state", f"`{name}` behind a program changes nothing here", call.start, call.end)
        return builtin(follower, call)
    return Result(Ends(state, state), tuple(_reads(call)), _output(call))


def _settled(field: Field, places: Places) -> Field:
    """An option with an unquoted wildcard (``--include=*.py``) stays as it is as long as no file has such a name."""
    if field.pattern is None or not field.text.startswith("-") or places.roots is None:
        return field
    return places.single(field) or field


def _inner(fields: Sequence[Field]) -> int:
    """Where the program stands behind wrappers that change nothing about it."""
    at = 0
    while fields[at].text in _QUICK_WRAPPERS and fields[at].unknown is None:
        known = [f.text if f.unknown is None and f.pattern is None and not f.process else "\0" for f in fields]
        inner = _after_env(known, at) if known[at] == "env" else inner_start(tuple(known), at)
        if inner is None:
            break
        at = inner
    return at


def _after_env(words: Sequence[str], at: int) -> int | None:
    at += 1
    while at < len(words) and re.match(r"[A-Za-z_]\w*=", words[at]):
        name, _, value = words[at].partition("=")
        if not is_safe_env(name, value):
            return None
        at += 1
    return at if at < len(words) and not words[at].startswith("-") else None


def program_name_of(field: Field) -> str:
    """The name that the lists know a program by.

    Raises:
        TooComplex: the name is expanded, a wildcard, or a path to somewhere else than the system's own folders.
    """
    if field.unknown is not None or field.pattern is not None or field.many or not field.written:
        raise TooComplex("dynamic-name", "the program's name is not written out", field.start, field.end)
    folder, slash, name = field.text.rpartition("/")
    if not slash:
        return name
    if folder in _SYSTEM_FOLDERS and name not in BUILTINS and _is_system(folder):
        return name
    raise TooComplex("unknown-program", f"`{field.text}` is not a program of the system's own", field.start, field.end)


def _is_system(folder: str) -> bool:
    status = os.stat(folder)
    return status.st_uid == 0 and not status.st_mode & 0o022


def _reads(call: Call) -> Iterable[ReadPath]:
    name = call.name
    if name in TEXT_ONLY:
        return _folders_of_wildcards(call)
    words = tuple([field.text for field in call.fields])
    if not [field for field in call.fields if field.unknown is not None]:
        if asks_for_version(name, words):
            return ()
        if name == "command" and words[:1] in (("-v",), ("-V",)) and not any(f.pattern for f in call.fields):
            return ()
        if name == "printenv" and len(words) == 1 and words[0] in PRINTABLE_VARIABLES | SAFE_ENV_VARS:
            return ()
    reader = READERS.get(name)
    if reader is not None:
        return reader(call)
    program = TEXT_PROGRAMS.get(name) or FACTS.get(name)
    if program is None:
        said = f"`{name}` is not on the list of programs that only read"
        raise TooComplex("unknown-program", said, call.start, call.end)
    return program_reads(name, program, call.fields, call.places)


def _folders_of_wildcards(call: Call) -> Iterable[ReadPath]:
    """For programs that only print their words: the folders that a wildcard lists."""
    for field in call.fields:
        if field.pattern is not None:
            for directory in call.state.directories:
                call.places.hits(field, directory)
    return ()


def _output(call: Call) -> Value:
    """What is known of the output, for where it is used unquoted."""
    words = [field.text for field in call.fields]
    if "--help" in words or any(f.unknown is not None or f.pattern is not None or f.process for f in call.fields):
        return ANY
    if call.name == "seq" and words and all(re.fullmatch(r"-?\d{1,9}", word) for word in words):
        return NUMBER._replace(many=True)
    if call.name == "pgrep" and not any(word.startswith("-") for word in words):
        return NUMBER._replace(many=True)
    if call.name == "wc" and not any(word and not word.startswith("-") for word in words):
        return NUMBER if len(words) == 1 else WORDS
    if call.name in _NUMBERS or call.name in _WORDS:
        return WORDS if not any("*" in word or "?" in word or "[" in word for word in words) else ANY
    if call.name == "git" and words and (words[0] in _GIT_WORDS or words[:2] == ["branch", "--show-current"]):
        return _git_output(call, words)
    if call.name == "basename" and len(words) == 1:
        return os.path.basename(words[0].rstrip("/")) or ANY
    if call.name == "dirname" and len(words) == 1 and words[0].strip("/"):
        return os.path.dirname(words[0].rstrip("/")) or "."
    if call.name == "echo" and words and not any("\\" in word or word.startswith("-") for word in words):
        return " ".join(words)
    return ANY


_REVISION = re.compile(r"[A-Za-z][\w.]*(?:[~^]\d*|\^\{\w*\}|@\{\w*\})*", re.ASCII)
_ONE_HASH = re.compile(
    r"rev-parse(?: --short(?:=\d+)?| --verify| -q| --quiet)* (?P<revision>\S+)"
    r"|merge-base(?: --fork-point)?(?: [A-Za-z][\w./~^-]*){1,2}"
    r"|(?:rev-list|log)(?: -1| -n ?1| --max-count=1| --no-merges| --first-parent"
    r"| --(?:format|pretty)=(?:format:)?%[hH])*(?: [A-Za-z][\w./~^-]*)?(?: -- [\w./ -]+)?",
    re.ASCII,
)
_HASH_FORMAT = re.compile(r" --(?:format|pretty)=(?:format:)?%[hH](?: |$)")


def _prints_hashes(words: list[str]) -> bool:
    line = " ".join(words)
    found = _ONE_HASH.fullmatch(line)
    if found is None or any(" " in word for word in words):
        return False
    if words[0] == "log":
        return _HASH_FORMAT.search(line) is not None
    return found["revision"] is None or _REVISION.fullmatch(found["revision"]) is not None


def _git_output(call: Call, words: list[str]) -> Value:
    if not any(field.unknown is not None for field in call.fields) and _prints_hashes(words):
        one = words[0] in ("rev-parse", "merge-base") or re.search(r" -n ?1 | -1 |=1 ", " ".join(words) + " ")
        return HASH if one else HASH._replace(many=True)
    if words == ["rev-parse", "--show-toplevel"] and len(call.state.directories) == 1:
        found = find_repository(call.state.directories[0], call.places.known or Look())
        return os.path.dirname(found) if found is not None and _is_trusted(found) else ANY
    odd = words[0] == "log" or "--git-path" in words or any(sign in word for word in words for sign in "*?[")
    return ANY if odd else WORDS


def _is_trusted(repository: str) -> bool:
    """Whether git works in it: in one that somebody else owns it stops with an error, and prints nothing."""
    folder, name = os.path.split(repository)
    return name == ".git" and all(os.stat(path).st_uid == os.geteuid() for path in (folder, repository))
