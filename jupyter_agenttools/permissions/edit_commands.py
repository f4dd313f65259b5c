"""Which files does a command make, change or take away, when that is all it does?

For the mode acceptEdits: the small programs that handle files as an edit does. Whatever is not understood completely is
an ordinary command: options that are not listed here, wildcards, variables, redirections, other programs beside them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import NamedTuple

from .command.parse import parse_command
from .command.parsed import SimpleCommand
from .paths import PathForms, path_forms
from .sed_command import are_plain_files, read_sed_command, written_paths

_MORE_THAN_WORDS = frozenset("<>(){}`$*?[]~#!|\\")
"""Signs of more than programs with plain words, quoted or not: a redirection, a function, an expansion."""


class _Program(NamedTuple):
    """A program with the options that change nothing about which places it writes.

    Attributes:
        flags: letters of short options. long: long ones. reads: its operands but the last one are only read.
    """

    flags: str = ""
    long: frozenset[str] = frozenset()
    reads: bool = False


_LONG = frozenset({"--verbose"})
_PROGRAMS: Mapping[str, _Program] = {
    "cp": _Program("ipnv", _LONG | {"--interactive", "--no-clobber", "--preserve"}, reads=True),
    "mkdir": _Program("pv", _LONG | {"--parents"}),
    "mv": _Program("inv", _LONG | {"--interactive", "--no-clobber"}),
    "rm": _Program("fiv", _LONG | {"--force"}),
    "rmdir": _Program("pv", _LONG | {"--parents"}),
    "touch": _Program("acm", frozenset({"--no-create"})),
}
"""Without those that go through whole folders: what ``rm -r`` takes away nobody has seen listed."""


def written_by(command: str, cwd: str) -> tuple[PathForms, ...] | None:
    """Every path that the command writes, and what it copies or moves, both as given and where links lead.

    Returns:
        ``None`` when it does anything else, or it cannot be said for certain what it does.
    """
    parsed = parse_command(command) if _MORE_THAN_WORDS.isdisjoint(command) else None
    if parsed is None or parsed.kind != "simple" or any(op not in ("&&", ";", "\n") for op in parsed.operators):
        return None
    found: list[PathForms] = []
    for call in parsed.commands:
        paths = _written(call, cwd)
        if paths is None or (len(parsed.commands) > 1 and _moves_more_than_files(call, cwd)):
            return None
        found += paths
    return tuple(found) if all(_is_plain(paths.resolved) for paths in found) else None


def _moves_more_than_files(call: SimpleCommand, cwd: str) -> bool:
    """Whether a link or a folder is moved: in its new place it may lead somewhere else, for the commands after it."""
    places = [os.path.join(cwd, word) for word in call.argv[1:-1]]
    return call.argv[0] == "mv" and any(os.path.islink(place) or os.path.isdir(place) for place in places)


def _is_plain(path: str) -> bool:
    """Whether there is nothing yet, a folder, or an ordinary file without a second name elsewhere."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_nlink == 1)


def _written(call: SimpleCommand, cwd: str) -> list[PathForms] | None:
    if call.env or call.globs or call.dynamic or not call.argv:
        return None
    if call.argv[0] == "sed":
        sed = read_sed_command(call.text, cwd)
        if sed is None or not are_plain_files(sed, cwd):
            return None
        return [path_forms(path, cwd) for path in written_paths(sed, cwd)]
    program = _PROGRAMS.get(call.argv[0])
    operands = None if program is None else _operands(program, call.argv[1:])
    if program is None or not operands:
        return None
    if call.argv[0] in ("cp", "mv"):
        return _into(operands, cwd, reads=program.reads)
    return [path_forms(operand, cwd) for operand in operands]


def _operands(program: _Program, words: tuple[str, ...]) -> list[str] | None:
    """The words that are no options; ``None`` when an option is none of those that are known."""
    operands: list[str] = []
    for at, word in enumerate(words):
        if word == "--":
            return [*operands, *words[at + 1 :]]
        if word.startswith("--"):
            if word not in program.long:
                return None
        elif word.startswith("-") and word != "-":
            if not set(word[1:]) <= set(program.flags):
                return None
        elif not word:
            return None
        else:
            operands.append(word)
    return operands


def _into(operands: list[str], cwd: str, *, reads: bool) -> list[PathForms] | None:
    """What copying or moving touches: the target, what would lie in it when it is a folder, and the sources."""
    *sources, target = operands
    if not sources:
        return None
    folder = os.path.isdir(os.path.join(cwd, target))
    places = [os.path.join(target, os.path.basename(os.path.normpath(source))) for source in sources] if folder else []
    touched = [target, *places, *sources] if not folder else [*places, *sources]
    if reads and any(os.path.isdir(os.path.join(cwd, source)) for source in sources):
        return None
    return [path_forms(path, cwd) for path in touched]
