"""Does a command provably only read, inside the working directories?

``classify_read_only`` answers with the paths that would be read, so that rules about reading can be applied to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..roots import is_inside, resolve, resolve_all
from .matching import has_safe_env
from .parsed import SimpleCommand, TooComplex
from .programs import FIND_PREDICATES, PROGRAMS, TEXT_ONLY, Program
from .tokens import parse_command
from .wrappers import unwrap

MAX_CALLS = 50
"""More calls than this in one line always ask."""

MAX_GLOB_ENTRIES = 5_000
"""A folder with more entries than this is not searched for the hits of a wildcard."""

_QUICK_WRAPPERS = frozenset({"time", "nice", "command", "timeout"})
_PLAIN_NAME = re.compile(r"[\w.-]+", re.ASCII)
_COUNT = re.compile(r"-\d+")


class ReadPath(NamedTuple):
    """A path that a command reads.

    Attributes:
        path: absolute, with its links followed.
        given: absolute, as it is written.
        whole_tree: everything below it is read too.
    """

    path: str
    given: str
    whole_tree: bool = False


class ReadOnlyVerdict(NamedTuple):
    """Whether a command may run without asking.

    Attributes:
        ok: it provably only reads, inside the given roots.
        reason: when not: one sentence.
        check_id: when not: the stable id of the check that refused.
        reads: when ok: every path that it reads.
    """

    ok: bool
    reason: str = ""
    check_id: str = ""
    reads: tuple[ReadPath, ...] = ()


class _Judge(NamedTuple):
    """Where paths start and may lead; ``roots`` is ``None`` when paths are not looked at."""

    cwd: str
    roots: tuple[str, ...] | None


def classify_read_only(command: str, *, cwd: str, roots: Sequence[str]) -> ReadOnlyVerdict:
    """May this command run without asking, because it only reads below ``roots``?

    Args:
        command: the text for bash.
        cwd: absolute path in which it would run.
        roots: the working directories; links are resolved.

    Returns:
        The verdict. Whatever is not known is not ok. Never raises. The command has to be run in the hardened way for an
        ``ok`` to hold: a fixed PATH, and no variables that make programs read configuration.
    """
    return _classify(command, _Judge(cwd, resolve_all(roots)))


def is_read_only_shape(command: str) -> bool:
    """Whether the command has the form of one that only reads, wherever its paths lead."""
    return _classify(command, _Judge("/", None)).ok


def _classify(command: str, judge: _Judge) -> ReadOnlyVerdict:
    parsed = parse_command(command)
    if parsed.kind != "simple":
        return ReadOnlyVerdict(False, parsed.reason, parsed.check_id)
    if "&" in parsed.operators:
        return ReadOnlyVerdict(False, "`&` leaves a program running in the background", "background")
    if len(parsed.commands) > MAX_CALLS:
        return ReadOnlyVerdict(False, f"more than {MAX_CALLS} calls in one line", "too-many-calls")
    reads: list[ReadPath] = []
    try:
        for call in parsed.commands:
            reads.extend(_reads_of(call, judge))
    except (TooComplex, OSError, ValueError) as error:
        return ReadOnlyVerdict(False, str(error), getattr(error, "check_id", "path"))
    return ReadOnlyVerdict(True, reads=tuple(reads))


def reads_of_call(call: SimpleCommand, *, cwd: str, roots: Sequence[str]) -> tuple[ReadPath, ...] | None:
    """What one call reads, or ``None`` when it is not known to only read below ``roots``."""
    try:
        return tuple(_reads_of(call, _Judge(cwd, resolve_all(roots))))
    except (TooComplex, OSError, ValueError):
        return None


def _reads_of(call: SimpleCommand, judge: _Judge) -> Iterable[ReadPath]:
    if not has_safe_env(call):
        raise TooComplex("environment", f"`{call.env[0][0]}=…` in front of a command may change what it does")
    if call.argv[0] in _QUICK_WRAPPERS:
        call = unwrap(call)
    name, words = call.argv[0], call.argv[1:]
    globs = frozenset(i - 1 for i in call.globs)
    if name == "command" and words[:1] == ("-v",) and not globs:
        return ()
    if name in TEXT_ONLY:
        return _paths([words[i] for i in sorted(globs)], judge, wild=True)
    if name == "find":
        return _find_reads(words, globs, judge)
    program = PROGRAMS.get(name)
    if program is None:
        raise TooComplex("unknown-program", f"`{name}` is not on the list of programs that only read")
    return _program_reads(name, program, words, globs, judge)


class _Words(NamedTuple):
    operands: list[int]
    options: list[str]


def _sort_words(name: str, program: Program, words: Sequence[str], globs: frozenset[int]) -> _Words:
    """Positions of the operands and the names of the options. Raises TooComplex for whatever is not listed."""
    operands: list[int] = []
    options: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            operands.extend(range(at + 1, len(words)))
            break
        if not word.startswith("-") or word == "-":
            operands.append(at)
        elif at in globs:
            raise TooComplex("glob", f"`{word}`: a wildcard in an option")
        elif word.startswith("--"):
            at += _long_option(name, program, word, options)
        elif not (program.numeric and _COUNT.fullmatch(word)):
            at += _short_options(name, program, word, options)
        if at >= len(words) or (at in globs and at not in operands):
            raise TooComplex("option", f"`{name}`: the value of `{word}` is missing or a wildcard")
        at += 1
    return _Words(operands, options)


def _long_option(name: str, program: Program, word: str, options: list[str]) -> int:
    option, equals, _ = word.partition("=")
    options.append(option)
    if option in program.long_valued:
        return 0 if equals else 1
    if option in program.long:
        return 0
    raise TooComplex("option", f"`{name}`: `{option}` is not on the list of options that only read")


def _short_options(name: str, program: Program, word: str, options: list[str]) -> int:
    for i, letter in enumerate(word[1:], start=1):
        options.append("-" + letter)
        if letter in program.short_valued:
            return 0 if i + 1 < len(word) else 1
        if letter not in program.short:
            raise TooComplex("option", f"`{name}`: `-{letter}` is not on the list of options that only read")
    return 0


def _program_reads(
    name: str, program: Program, words: Sequence[str], globs: frozenset[int], judge: _Judge
) -> Iterator[ReadPath]:
    operands, options = _sort_words(name, program, words, globs)
    role = program.operands
    if role == "pattern":
        has_pattern = not program.pattern_options.isdisjoint(options)
        if not has_pattern and operands[:1] and operands[0] in globs:
            raise TooComplex("glob", f"`{name}`: an unquoted wildcard as the pattern")
        operands, role = operands[0 if has_pattern else 1 :], "paths"
    if program.max_operands is not None and (
        len(operands) > program.max_operands or any(at in globs for at in operands)
    ):
        raise TooComplex("operands", f"`{name}` takes at most {program.max_operands} operand(s) here")
    if role in ("paths", "files"):
        tree = program.walks or not program.recursive.isdisjoint(options)
        plain = [words[at] for at in operands if at not in globs]
        yield from _paths(plain or (["."] if not operands and (tree or name == "ls") else []), judge, role, tree)
        yield from _paths([words[at] for at in operands if at in globs], judge, role, tree, wild=True)
    else:
        _check_text_operands(name, role, [words[at] for at in operands], any(at in globs for at in operands))


def _check_text_operands(name: str, role: str, operands: Sequence[str], wild: bool) -> None:
    if wild:
        raise TooComplex("glob", f"`{name}`: an unquoted wildcard")
    if role == "none" and operands:
        raise TooComplex("operands", f"`{name}` takes no operands here")
    if role == "format" and any(not word.startswith("+") for word in operands):
        raise TooComplex("operands", f"`{name}` takes only a `+format` here")
    if role == "name" and any(not _PLAIN_NAME.fullmatch(word) for word in operands):
        raise TooComplex("operands", f"`{name}` takes only a plain name here")


def _find_reads(words: Sequence[str], globs: frozenset[int], judge: _Judge) -> Iterator[ReadPath]:
    starts = 0
    while starts < len(words) and not (words[starts].startswith("-") or words[starts] in ("(", ")", ",", "!")):
        starts += 1
    at = starts
    while at < len(words):
        arity = FIND_PREDICATES.get(words[at])
        if arity is None:
            raise TooComplex("option", f"`find`: `{words[at]}` is not on the list of what only tests or prints")
        at += 1 + arity
    if at > len(words) or any(i >= starts for i in globs):
        raise TooComplex("option", "`find`: a value is missing or an unquoted wildcard")
    plain = [words[i] for i in range(starts) if i not in globs]
    yield from _paths(plain or ([] if globs else ["."]), judge, "paths", True)
    yield from _paths([words[i] for i in range(starts) if i in globs], judge, "paths", True, wild=True)


def _paths(
    operands: Sequence[str], judge: _Judge, role: str = "paths", tree: bool = False, *, wild: bool = False
) -> Iterator[ReadPath]:
    """Each operand as a path that is read. Raises TooComplex for one that leads out of the roots."""
    for operand in operands:
        if operand == "-":
            continue
        for path in _hits(operand, judge) if wild else (operand,):
            yield _inside(path, judge, role, tree)


def _inside(operand: str, judge: _Judge, role: str, tree: bool) -> ReadPath:
    if judge.roots is None:
        return ReadPath(operand, operand, tree)
    given = os.path.normpath(os.path.join(judge.cwd, operand))
    path = resolve(operand, judge.cwd)
    if path == "/dev/null":
        return ReadPath(path, given)
    if not is_inside(path, judge.roots):
        raise TooComplex("path-outside", f"`{operand}` leads to {path}, outside of the working directories")
    if path.startswith(("/proc/", "/sys/", "/dev/")) or (tree and path == "/"):
        raise TooComplex("path-system", f"`{operand}` is not an ordinary file")
    if role == "files" and os.path.isdir(path):
        raise TooComplex("path-folder", f"`{operand}` is a folder")
    return ReadPath(path, given, tree)


def _hits(pattern: str, judge: _Judge) -> Iterator[str]:
    """What a file name wildcard may expand to, generously: hidden files and the pattern itself too."""
    folder, _, name = pattern.rpartition("/")
    if any(char in folder for char in "*?[") or "[" in name or "\\" in pattern:
        raise TooComplex("glob", f"`{pattern}`: only `*` and `?` in the last part of a path are followed")
    yield pattern
    if judge.roots is None:
        return
    base = resolve(folder + "/" if folder or pattern.startswith("/") else ".", judge.cwd)
    if not is_inside(base, judge.roots):
        raise TooComplex("path-outside", f"`{pattern}` leads to {base}, outside of the working directories")
    if not os.path.isdir(base):
        return
    with os.scandir(base) as entries:
        for count, entry in enumerate(entries):
            if count > MAX_GLOB_ENTRIES:
                raise TooComplex("glob", f"`{pattern}`: more than {MAX_GLOB_ENTRIES} entries to look through")
            if fnmatchcase(entry.name, name):
                if not folder and entry.name.startswith("-"):
                    raise TooComplex("glob", f"`{pattern}` matches `{entry.name}`, which would be read as an option")
                yield f"{folder}/{entry.name}" if "/" in pattern else entry.name
