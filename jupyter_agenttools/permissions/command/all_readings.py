"""What the words of a command may become, from every folder that a line may be in by then."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping

from .spellings import Forms
from .wrappers import Argv, program_name

_MOVES = frozenset({"cd", "pushd"})
_IN_FOLDER = re.compile(r"(?:-C|--chdir|--directory|-D)(?:=(.*))?", re.DOTALL)
_MAX_FOLDERS = 16
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")
_NUMBER = re.compile(r"\$\(\([^()]*\)\)|\$(?:[$?#!]|\{?(?:RANDOM|SECONDS|EPOCHSECONDS|BASHPID|UID|EUID|LINENO)\b\}?)")
_HARMLESS = re.compile(
    r"(?:\$\(|`)(?:(?:date|hostname|whoami|id|nproc|uname|seq|wc|mktemp)\b[^()`/$]*"
    r"|(?:basename|git rev-parse|git describe|git branch --show-current)\b[^()`]*)(?:\)|`)"
)
"""Programs whose output is no path that anybody chose, or only one name out of one."""

_OWN_FOLDER = re.compile(r"/+proc/+(?:self|thread-self|\d+|\$\$|\$BASHPID)/+(?:task/+\d+/+)?(cwd|root)(?=/|\Z)")


class AllReadings:
    """A command line with the folders and variables that it may use.

    Args:
        forms: its calls. cwd: absolute path in which it would run. environment: what its shell starts with.
        dotted: wildcards find what is hidden too.
    """

    def __init__(self, forms: Forms, cwd: str, environment: Mapping[str, str], dotted: bool) -> None:
        self.forms, self.cwd, self.environment, self.dotted = forms, cwd, environment, dotted
        self.folders: tuple[str, ...] | None = None
        self.is_lost = False

    def directories(self) -> tuple[str, ...]:
        """Every folder that a part of the line may run in."""
        if self.folders is None:
            found = [self.cwd]
            for argv, _ in self.forms.calls:
                for word in _folders_named(argv):
                    self.is_lost = self.is_lost or self.paths(word, self.cwd) is None
                    more = [path for folder in found for path in self.paths(word, folder) or ()]
                    found = list(dict.fromkeys((*found, *more)))
                    self.is_lost = self.is_lost or len(found) > _MAX_FOLDERS
                    del found[_MAX_FOLDERS:]
            self.folders = tuple(found)
        return self.folders

    def words(self, words: Argv, directory: str) -> tuple[list[str], bool]:
        """The words as the program gets them, and whether one of them is not known."""
        found: list[str] = []
        unclear = False
        for word in words:
            if not is_expanded(word):
                found.append(word)
            elif (paths := self.paths(word, directory, absolute=False)) is not None:
                found.extend(paths)
            else:
                unclear = True
        return found, unclear

    def paths(self, text: str, directory: str, *, absolute: bool = True) -> list[str] | None:
        """What a word that names a file may become here; ``None`` when that is not known."""
        if text.startswith("~"):
            text = _home(text, directory)
        text = _OWN_FOLDER.sub(lambda match: directory if match[1] == "cwd" else "", text)
        if "$" in text or "`" in text:
            text = _NUMBER.sub("0", _HARMLESS.sub("gap", text)).replace("$(pwd)", directory)
            text = _VARIABLE.sub(lambda match: self.value(match[1] or match[2], directory), text)
            if "$" in text or "`" in text:
                return None
        if "\0" in text or text.startswith(("<(", ">(")):
            return []
        found = [text]
        if glob.has_magic(text):
            found = sorted(glob.glob(text, root_dir=directory, include_hidden=self.dotted)) or [text]
        return [os.path.normpath(os.path.join(directory, path)) for path in found] if absolute else found

    def value(self, name: str, directory: str) -> str:
        if name in ("PWD", "OLDPWD"):
            return self.cwd if name == "OLDPWD" else directory
        return self.environment.get(name, "$")


def _folders_named(argv: Argv) -> Iterator[str]:
    """The folders that a call moves to, or lets another one run in."""
    if program_name(argv[0]) in _MOVES:
        words = [word for word in argv[1:] if not word.startswith("-")]
        yield words[0] if words else "~"
    for at, word in enumerate(argv):
        if (match := _IN_FOLDER.fullmatch(word)) is not None:
            yield from (match[1],) if match[1] else argv[at + 1 : at + 2]


def _home(text: str, directory: str) -> str:
    head, slash, rest = text.partition("/")
    return f"{directory}{slash}{rest}" if head in ("~+", "~-") else os.path.expanduser(text)


def is_expanded(word: str) -> bool:
    """Whether the shell, or the system, may make another path of a word."""
    return word.startswith("~") or any(sign in word for sign in "$`*?[") or "/proc/" in word
