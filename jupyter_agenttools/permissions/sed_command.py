"""Which commands are a plain ``sed -i`` whose whole effect can be shown beforehand?

Understood is GNU sed with options, addresses and commands of which it is sure what they do: substitute, delete, print,
transliterate. Of everything else this module says nothing, and it is an ordinary command.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .command import SimpleCommand
from .command.plain import plain_calls

MAX_FILES = 50
MAX_SCRIPT_CHARS = 20_000

_FLAGS = {"E": "-E", "r": "-E", "n": "-n", "s": ""}
"""Short options without a value, and how they are given to the sed that makes the preview."""

_LONG_FLAGS = {"--regexp-extended": "-E", "--quiet": "-n", "--silent": "-n", "--separate": ""}
_S_FLAGS = re.compile(r"(?:[gpiIMm]|[1-9]\d{0,3})*")
_LINE_ADDRESS = re.compile(r"\d+(?:~\d+)?|\$")
_AFTER_COMMA = re.compile(r"\d+|\$|[+~]\d+")
_BLANKS = re.compile(r"[ \t]*")
_SEPARATORS = re.compile(r"[ \t;\n]*")


class SedCommand(NamedTuple):
    """A recognised command.

    Attributes:
        options: words for a sed that reads its standard input and does the same, without ``-i``.
        files: as they are written, wildcards expanded.
        suffix: of the copies that it makes of the old files, ``""`` for none.
    """

    options: tuple[str, ...]
    files: tuple[str, ...]
    suffix: str = ""


class _NotSure(Exception):
    """Something that this reader does not claim to understand."""


def read_sed_command(command: str, cwd: str) -> SedCommand | None:
    """The plain ``sed -i`` that this command is; ``None`` for everything else.

    Args:
        command: the text for bash. cwd: where wildcards are looked up.
    """
    if "sed" not in command or "-" not in command:
        return None
    calls = plain_calls(command)
    if calls is None or len(calls) != 1 or calls[0].env or _has_more_than_words(command, calls[0]):
        return None
    try:
        return _read(calls[0], cwd)
    except _NotSure:
        return None


def _has_more_than_words(command: str, call: SimpleCommand) -> bool:
    """Whether there is an operator, a redirection or a comment."""
    is_line = command.rstrip(" \t").endswith("\n")
    return is_line or "".join(command.split()) != "".join("".join(call.raw).split())


def _read(call: SimpleCommand, cwd: str) -> SedCommand:
    if call.argv[0] != "sed" or 0 in call.globs:
        raise _NotSure
    words = _Words([], [], [])
    at = 1
    while at < len(call.argv):
        at = _take(call, at, words)
    in_place = words.in_place
    if in_place is None or any(sign in in_place for sign in "/*"):
        raise _NotSure
    if not words.scripts:
        if not words.operands or words.operands[0] in call.globs:
            raise _NotSure
        words.scripts.append(call.argv[words.operands.pop(0)])
    for script in words.scripts:
        check_script(script)
    files = tuple(name for at in words.operands for name in _names(call, at, cwd))
    if not 0 < len(files) <= MAX_FILES:
        raise _NotSure
    scripts = (word for script in words.scripts for word in ("-e", script))
    found = SedCommand((*dict.fromkeys(filter(None, words.options)), *scripts), files, in_place)
    paths = written_paths(found, cwd)
    if len(set(paths)) != len(paths):  # a file that is edited twice
        raise _NotSure
    return found


@dataclass
class _Words:
    """What the words of a call are: options for the preview, scripts, positions of the others, the suffix of ``-i``."""

    options: list[str]
    scripts: list[str]
    operands: list[int]
    in_place: str | None = None


def _take(call: SimpleCommand, at: int, words: _Words) -> int:
    """Read the word at ``at``; returns where the next one is."""
    word = call.argv[at]
    if word == "--":
        words.operands += range(at + 1, len(call.argv))
        return len(call.argv)
    if at in call.globs or not word.startswith("-") or word == "-":
        words.operands.append(at)
        return at + 1
    return _long(word, at, words) if word.startswith("--") else _short(call.argv, at, words)


def _short(argv: Sequence[str], at: int, words: _Words) -> int:
    """A word of short options. What follows ``i`` in it is the suffix: ``-ie`` makes copies named ``FILEe``."""
    letters = argv[at][1:]
    for position, letter in enumerate(letters):
        rest = letters[position + 1 :]
        if letter == "i":
            words.in_place = rest
            return at + 1
        if letter == "e":
            words.scripts += [rest] if rest else argv[at + 1 : at + 2]
            if not rest and at + 1 >= len(argv):
                raise _NotSure
            return at + 1 if rest else at + 2
        if letter not in _FLAGS:
            raise _NotSure
        words.options.append(_FLAGS[letter])
    return at + 1


def _long(word: str, at: int, words: _Words) -> int:
    name, has_value, value = word.partition("=")
    if name == "--in-place":
        words.in_place = value
    elif name == "--expression" and has_value:
        words.scripts.append(value)
    elif name in _LONG_FLAGS and not has_value:
        words.options.append(_LONG_FLAGS[name])
    else:
        raise _NotSure
    return at + 1


def _names(call: SimpleCommand, position: int, cwd: str) -> list[str]:
    word = call.argv[position]
    if position not in call.globs:
        if word.startswith("-") or not word:
            raise _NotSure
        return [word]
    if any(sign in word for sign in "[]\\{}~"):
        raise _NotSure
    found = sorted(glob.glob(word, root_dir=cwd))
    if not found or any(name.startswith("-") for name in found):
        raise _NotSure
    return found


def check_script(script: str) -> None:
    """Do nothing for a script of which it is sure what it does.

    Raises:
        _NotSure: for any other.
    """
    if len(script) > MAX_SCRIPT_CHARS or not script.strip():
        raise _NotSure
    at = _SEPARATORS.match(script).end()  # type: ignore[union-attr]
    while at < len(script):
        at = _command(script, _addresses(script, at))
        ended = at == len(script)
        following = _SEPARATORS.match(script, at)
        assert following is not None
        if not ended and not any(sign in following[0] for sign in ";\n") and following.end() != len(script):
            raise _NotSure
        at = following.end()


def _addresses(script: str, at: int) -> int:
    at, has_first = _address(script, at, _LINE_ADDRESS)
    if has_first and script.startswith(",", _skip(script, at)):
        at, has_second = _address(script, _skip(script, _skip(script, at) + 1), _AFTER_COMMA)
        if not has_second:
            raise _NotSure
    at = _skip(script, at)
    if script.startswith("!", at):
        at = _skip(script, at + 1)
    return at


def _skip(script: str, at: int) -> int:
    blanks = _BLANKS.match(script, at)
    assert blanks is not None
    return blanks.end()


def _address(script: str, at: int, plain: re.Pattern[str]) -> tuple[int, bool]:
    if found := plain.match(script, at):
        return found.end(), True
    if script.startswith("/", at):
        at = _part(script, at + 1, "/")
        while script[at : at + 1] in ("I", "M"):
            at += 1
        return at, True
    return at, False


def _part(script: str, at: int, delimiter: str) -> int:
    """Where the part of a command ends that begins at ``at``: after its delimiter. A bracket may hold it as it is."""
    while at < len(script):
        sign = script[at]
        if sign == "\n":
            raise _NotSure
        if sign == "\\":
            at += 2
        elif sign == delimiter:
            return at + 1
        elif sign == "[":
            close = script.find("]", at + 2)
            inside = script[at + 1 : close]
            if close < 0 or any(odd in inside for odd in (delimiter, "\\", "\n", "[")):
                raise _NotSure  # where it ends depends on how sed reads brackets
            at = close + 1
        else:
            at += 1
    raise _NotSure


def _command(script: str, at: int) -> int:
    """Where the command at ``at`` ends."""
    name = script[at : at + 1]
    if name in ("d", "p"):
        return at + 1
    if name not in ("s", "y") or at + 1 >= len(script):
        raise _NotSure
    delimiter = script[at + 1]
    if delimiter.isalnum() or delimiter in "\\\n; \t[]" or not delimiter.isascii():
        raise _NotSure
    end = _part(script, _part(script, at + 2, delimiter), delimiter)
    if name == "y":
        return end
    flags = _S_FLAGS.match(script, end)
    assert flags is not None
    return flags.end()


def written_paths(sed: SedCommand, cwd: str) -> tuple[str, ...]:
    """The absolute paths of everything that the command writes: the files, and the copies of what they held."""
    files = (os.path.normpath(os.path.join(cwd, name)) for name in sed.files)
    return tuple(path for file in files for path in ((file, file + sed.suffix) if sed.suffix else (file,)))


def are_plain_files(sed: SedCommand, cwd: str) -> bool:
    """Whether sed would rewrite each file where it is: no links, no other names, nothing odd at the copies' places."""
    if any(name.startswith("~") for name in sed.files):
        return False
    for name in sed.files:
        path = os.path.join(cwd, name)
        if os.path.islink(path) or not os.path.isfile(path) or os.stat(path).st_nlink != 1:
            return False
        copy = path + sed.suffix
        if sed.suffix and os.path.lexists(copy) and (os.path.islink(copy) or not os.path.isfile(copy)):
            return False
    return True
