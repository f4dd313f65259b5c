"""Which files does a command certainly write, as far as it can be followed?

For rules that deny editing: what a redirection writes, and what the programs change whose operands are files. Of a line
that cannot be followed to its end, what was found until there. That a branch may not be taken does not matter.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .calls import judge_call
from .fields import GAP, Field
from .follow import Follower
from .handed import find_calls, find_writes, xargs_call
from .outcome import Result
from .parse import understand
from .parsed import TooComplex
from .script import Node
from .state import State
from .wrappers import SHELLS, inner_start, program_name

_ANY_CHILD = ".any-file-of-it"
"""A name that only a rule about everything in a folder fits."""


class Write(NamedTuple):
    """A file that a command writes, makes or takes away.

    Attributes:
        path: absolute, as it is written, or any file below it where ``tree`` is set.
        start, end: of the call, in the command.
    """

    path: str
    start: int
    end: int
    tree: bool = False

    def forms(self) -> Iterator[str]:
        """What a rule has to be about to be about this."""
        yield self.path
        if self.tree:
            yield os.path.join(self.path, _ANY_CHILD)


class _Program(NamedTuple):
    """How a program names what it writes.

    Attributes:
        into: its last operand is written, or lies in the folder that ``-t`` names; the others are read.
        takes: and the others are taken away. valued: letters of short options with a value of their own.
        only: options whose value is what is written; without one nothing is known.
    """

    into: bool = False
    takes: bool = False
    valued: str = ""
    only: tuple[str, ...] = ()


_PROGRAMS: Mapping[str, _Program] = {
    "cp": _Program(into=True, valued="St"),
    "curl": _Program(only=("-o", "--output", "--output-dir")),
    "dd": _Program(only=("of",)),
    "ed": _Program(),
    "ex": _Program(),
    "install": _Program(into=True, valued="gmoSt"),
    "ln": _Program(into=True, valued="St"),
    "mkdir": _Program(valued="m"),
    "mv": _Program(into=True, takes=True, valued="St"),
    "perl": _Program(),
    "rm": _Program(),
    "rmdir": _Program(),
    "rsync": _Program(into=True, valued="efTBM"),
    "scp": _Program(into=True, valued="cDFiJloPSX"),
    "sed": _Program(),
    "shred": _Program(valued="ns"),
    "sort": _Program(only=("-o", "--output")),
    "sponge": _Program(),
    "tee": _Program(),
    "touch": _Program(valued="drt"),
    "truncate": _Program(valued="rs"),
    "unlink": _Program(),
    "wget": _Program(only=("-O", "--output-document", "-P", "--directory-prefix")),
}
_MAY_WRITE = re.compile(r">|\b(?:find|" + "|".join(_PROGRAMS) + r")\b")
_EDITS_IN_PLACE = re.compile(r"-[A-Za-z0-9]*i.*|--in-place(?:=.*)?", re.DOTALL)
_SCRIPT = re.compile(r"-[A-Za-z0-9]*[eEf]|--expression|--file")
_ENV_SETS = re.compile(r"[A-Za-z_]\w*=|-i\Z")


def certain_writes(command: str, cwd: str) -> tuple[Write, ...]:
    """What the command would write if all of it ran. Never raises.

    Args:
        cwd: absolute path in which it would run.
    """
    if _MAY_WRITE.search(command) is None:
        return ()
    found: list[Write] = []

    def judged(
        follower: Follower, node: Node, fields: list[Field], state: State, before: tuple[tuple[Field, ...], ...]
    ) -> Result:
        for directory in state.directories:
            for inner in _handed_to_shell(fields):
                found.extend(Write(write.path, node.start, node.end) for write in certain_writes(inner, directory))
            for path, tree in _written(fields, directory):
                found.append(Write(os.path.normpath(os.path.join(directory, path)), node.start, node.end, tree))
        return judge_call(follower, node, fields, state, before)

    def redirected(given: str, resolved: str) -> bool:
        writing = follower.writing
        found.append(Write(given, writing.start if writing else 0, writing.end if writing else len(command)))
        return True

    follower = Follower(("/",), cwd, judged, lambda node, fields, refusal: True, redirected, in_background=True)
    try:
        follower.run(understand(command).root)
    except (TooComplex, OSError, ValueError, RecursionError):
        pass  # what comes behind is not known
    return tuple(dict.fromkeys(found))


def _handed_to_shell(fields: Sequence[Field]) -> Iterator[str]:
    """The text that a shell is told to run with ``-c``, or ``eval``."""
    words = [field.text for field in fields if GAP not in field.text and field.unknown is None]
    at = _program_at(tuple(words)) if words else 0
    if words and words[at] == "eval":
        yield " ".join(words[at + 1 :])
    if words and program_name(words[at]) in SHELLS:
        yield from words[words.index("-c") + 1 :][:1] if "-c" in words else ()


def _written(fields: Sequence[Field], directory: str) -> Iterator[tuple[str, bool]]:
    """What one call writes, with whether everything below it is meant."""
    start = _program_at(tuple(field.text for field in fields))
    words = [word for field in fields[start + 1 :] for word in _expanded(field, directory)]
    yield from written_by_call(program_name(fields[start].text), words, directory)


def written_by_call(name: str, words: Sequence[str], directory: str) -> Iterator[tuple[str, bool]]:
    """What a program writes that is run with these words, with whether everything below it is meant."""
    if name in ("find", "xargs"):
        yield from _written_for(name, words, directory)
    else:
        yield from _written_by(name, words, directory)


def _written_for(name: str, words: Sequence[str], directory: str) -> Iterator[tuple[str, bool]]:
    """What ``find`` and ``xargs`` write, and what the calls write that they run."""
    if name == "find":
        yield from find_writes(words)
    for call in find_calls(words) if name == "find" else filter(None, (xargs_call(words),)):
        start = _program_at(call.words)
        inner, behind = program_name(call.words[start]), call.words[start + 1 :]
        program = _PROGRAMS.get(inner)
        if call.is_open and program is not None and program.into and not _operands(behind, program)[1]:
            continue  # which of its words is written is not known
        for path, tree in _written_by(inner, behind, directory):
            if not call.elsewhere or path in call.below or os.path.isabs(path):
                yield path, tree or path in call.below


def _written_by(name: str, words: Sequence[str], directory: str) -> Iterator[tuple[str, bool]]:
    """What a program writes that is run with these words."""
    program = _PROGRAMS.get(name)
    if program is None:
        return
    if program.only:
        yield from ((value, False) for value in _values(words, program.only))
        return
    operands, target = _operands(words, program)
    if name in ("sed", "perl"):
        if any(map(_EDITS_IN_PLACE.fullmatch, words)):
            yield from ((path, False) for path in _without_script(words, operands))
        return
    if not program.into:
        recursive = name == "rm" and any(re.fullmatch(r"-[a-zA-Z]*[rR][a-zA-Z]*|--recursive", word) for word in words)
        yield from ((path, recursive) for path in operands)
        return
    sources, last = copied(name, words)
    if last:
        yield last, False
        if target or os.path.isdir(os.path.join(directory, last)):
            yield from ((os.path.join(last, os.path.basename(os.path.normpath(path))), False) for path in sources)
    if program.takes:
        yield from ((path, os.path.isdir(os.path.join(directory, path))) for path in sources)


def copied(name: str, words: Sequence[str]) -> tuple[list[str], str]:
    """What a program copies, moves or links, and where to; nothing for a program that does none of these."""
    program = _PROGRAMS.get(name)
    if program is None or not program.into:
        return [], ""
    operands, target = _operands(words, program)
    return (operands, target) if target else (operands[:-1], operands[-1] if len(operands) > 1 else "")


def writes_files(name: str) -> bool:
    """Whether it is known how this program names what it writes."""
    return name in _PROGRAMS or name in ("find", "xargs")


def _program_at(argv: tuple[str, ...]) -> int:
    """Where the program stands behind those that run it as it is."""
    at = 0
    while (inner := inner_start(argv, at)) is not None:
        at = inner
    if argv[at] == "env":
        behind = next((i for i in range(at + 1, len(argv)) if not _ENV_SETS.match(argv[i])), None)
        return at if behind is None or argv[behind].startswith("-") else _behind(argv, behind)
    is_sudo = argv[at] == "sudo" and at + 1 < len(argv) and not argv[at + 1].startswith("-")
    return at + 1 if is_sudo else at


def _behind(argv: tuple[str, ...], start: int) -> int:
    return start + _program_at(argv[start:])


def _expanded(field: Field, directory: str) -> list[str]:
    """The words that a field becomes here; none where that is not known."""
    if GAP in field.text or field.unknown is not None or field.process:
        return []
    if field.pattern is None:
        return [field.text]
    return sorted(glob.glob(field.text, root_dir=directory)) or [field.text]


def _operands(words: Sequence[str], program: _Program) -> tuple[list[str], str]:
    """The words that are no options, and the folder that ``-t`` names."""
    operands: list[str] = []
    target, at = "", 0
    while at < len(words):
        word, at = words[at], at + 1
        if word == "--":
            return [*operands, *words[at:]], target
        if word.startswith("--"):
            name, is_set, value = word.partition("=")
            if program.into and name == "--target-directory":
                target = value if is_set else next(iter(words[at : at + 1]), "")
                at += not is_set
        elif word.startswith("-") and len(word) > 1:
            letter = next((sign for sign in word[1:] if sign in program.valued), "")
            if letter:
                value = word.partition(letter)[2]
                attached = bool(value)
                value = value or next(iter(words[at : at + 1]), "")
                at += not attached
                target = value if letter == "t" and program.into else target
        else:
            operands.append(word)
    return operands, target


def _without_script(words: Sequence[str], operands: list[str]) -> list[str]:
    """The files of a program that edits in place: of its operands the first one may be the script."""
    return operands if any(map(_SCRIPT.fullmatch, words)) else operands[1:]


def _values(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """What stands behind these options: ``-o x``, ``-ox``, ``--output=x``, ``of=x``."""
    for at, word in enumerate(words):
        for name in names:
            if word == name:
                yield from words[at + 1 : at + 2]
            elif word.startswith(f"{name}="):
                yield word[len(name) + 1 :]
            elif len(name) == 2 and word.startswith(name):
                yield word[2:]
