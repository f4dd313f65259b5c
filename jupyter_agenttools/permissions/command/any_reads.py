"""Which files may a command read that it does not spell as they are called?

Beside the exact reading of programs that are known: wildcards, variables and other names of the working directory,
what an inner shell is told to run, and files that the small languages open by themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .all_readings import AllReadings, is_expanded
from .spellings import forms_of
from .wrappers import Argv, program_name

_PRINTERS = frozenset({"echo", "printf", "true", ":", "test", "["})
_PACKERS = frozenset({"7z", "bsdtar", "cpio", "rsync", "scp", "tar", "zip"})
_LANGUAGES = re.compile(r"(?:[gmn]?awk|python[\d.]*|perl|ruby|node|php|lua|Rscript)")
_AWK_OPENS = re.compile(r"getline|ARG[VC]|\|")
_TEXT = re.compile(r"\"((?:[^\"\\\n]|\\.)+)\"|'((?:[^'\\\n]|\\.)+)'")
_SED_FILE = re.compile(r"[rR][ \t]*([^\n;}]+)")
_ADDRESS = re.compile(r"file:(?://(?:localhost)?)?(/.*)", re.DOTALL)
_INNER = re.compile(r"(?:\A|[\s;|&(/])(?:(?:ba|da|z|k)?sh\s+-|eval\s|xargs\s)")


class Reached(NamedTuple):
    """What a command may read.

    Attributes:
        paths: single files and folders. trees: folders with everything below them. All absolute.
    """

    paths: tuple[str, ...]
    trees: tuple[str, ...]


def any_reads(command: str, cwd: str, environment: Mapping[str, str]) -> Reached:
    """What the command may read in other words than it is written in.

    Args:
        cwd: absolute path in which it would run. environment: the variables that its shell starts with.
    """
    forms = forms_of(command)
    look = _Reads(forms, cwd, environment, "dotglob" in command)
    is_nested = _INNER.search(command) is not None
    texts = [text for operator, text in forms.targets if operator in ("<", "<>")]
    trees: list[str] = []
    for argv, _ in forms.calls:
        texts.extend(look.named(argv, is_nested))
        if program_name(argv[0]) in _PACKERS:
            trees.extend(word for word in argv[1:] if not word.startswith("-"))
    found, below = look.all_paths(texts), look.all_paths(trees)
    return Reached(found, tuple(path for path in below if os.path.isdir(path)))


class _Reads(AllReadings):
    def named(self, argv: Argv, is_nested: bool) -> Iterator[str]:
        name = program_name(argv[0])
        if name in _PRINTERS:
            return
        for word in argv[1:]:
            if is_nested or is_expanded(word) or word not in self.forms.line:
                yield word
            if (address := _ADDRESS.fullmatch(word)) is not None:
                yield address[1]
            if name == "sed":
                yield from (match.strip() for match in _SED_FILE.findall(word))
            if _LANGUAGES.fullmatch(name) and (not name.endswith("awk") or _AWK_OPENS.search(word)):
                yield from (one or other for one, other in _TEXT.findall(word))

    def all_paths(self, texts: list[str]) -> tuple[str, ...]:
        every = (
            path
            for text in dict.fromkeys(texts)
            for folder in self.directories()
            for path in self.paths(text, folder) or ()
        )
        return tuple(dict.fromkeys(every))
