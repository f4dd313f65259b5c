"""Does a command write a place that decides what runs next?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..core.home import agenttools_home
from .command.any_writes import Touched
from .command.spellings import forms_of
from .folders import entries_below
from .paths import PathForms, path_forms
from .protected import PROTECTED_FILES, PROTECTED_FOLDERS, protected_part, protected_words
from .question import Question
from .roots import is_inside

_SETTINGS = (".claude", ".agenttools")
_GUARDED = (*_SETTINGS, ".git")


class ProtectedWrite(NamedTuple):
    """What a command may write that is protected.

    Attributes:
        part: the protected part, ``None`` when it is not known what is written. shown: what writes it.
    """

    part: str | None
    shown: str


def protected_write(question: Question) -> ProtectedWrite | None:
    """The first protected place that a command may write; failing that, the first that cannot be known."""
    unclear: ProtectedWrite | None = None
    for touched in _touched(question):
        if touched.path is None:
            unclear = unclear or ProtectedWrite(None, touched.shown)
        elif (part := _part(touched, touched.path, question)) is not None:
            return ProtectedWrite(part, touched.shown)
    command = question.command or ""
    coarse = forms_of(command).coarse
    is_named = unclear is None and coarse is not None and protected_words(coarse) is not None
    return ProtectedWrite(None, command) if is_named else unclear


def _touched(question: Question) -> Iterator[Touched]:
    command = question.command or ""
    yield from question.touched
    for write in question.writes if question.touched else ():
        if not write.tree:  # a tree was looked at before, with what is looked for in it
            yield Touched(write.path, command[write.start : write.end])


def _part(touched: Touched, path: str, question: Question) -> str | None:
    forms = path_forms(path, question.cwd)
    part = protected_part(forms, question.base)
    if part is not None and (touched.kind == "tree" or part not in ("/", os.path.expanduser("~"))):
        return part
    if touched.kind in ("tree", "into"):
        return _guarded_below(forms, question, touched.kind)
    if touched.kind == "named":
        return _found_by_name(forms, question, touched.names)
    return _carried(forms, touched.source) if touched.kind == "copy" else None


def _guards(question: Question) -> Iterator[str]:
    """The folders with settings that this session is subject to, and our own."""
    for root in dict.fromkeys((question.base, question.cwd, os.path.expanduser("~"))):
        for name in _GUARDED:
            yield os.path.join(os.path.realpath(root), name)
    yield os.path.realpath(agenttools_home())


def _guarded_below(forms: PathForms, question: Question, kind: str) -> str | None:
    for guard in _guards(question):
        if is_inside(guard, tuple(forms)) and (os.path.lexists(guard) or kind == "into"):
            return os.path.basename(guard)
    return None


def _found_by_name(forms: PathForms, question: Question, names: tuple[str, ...]) -> str | None:
    for name in (*PROTECTED_FOLDERS, *PROTECTED_FILES):
        # A pattern for programs (`*.py`) is not about the few of them that run by themselves.
        if name in names or (name.startswith(".") and any(fnmatchcase(name, pattern) for pattern in names)):
            return name
    for guard in _guards(question):
        if is_inside(guard, tuple(forms)) and not guard.endswith("/.git"):
            for path in entries_below(guard):
                if path is None or any(fnmatchcase(os.path.basename(path), pattern) for pattern in names):
                    return os.path.basename(guard)
    return None


def _carried(forms: PathForms, source: str) -> str | None:
    """The protected part of what is copied with a folder."""
    home = os.path.realpath(agenttools_home())
    if is_inside(home, tuple(forms)) and os.path.lexists(os.path.join(source, os.path.relpath(home, forms.resolved))):
        return home
    for path in entries_below(source):
        if path is None:
            return f"{source}, which holds more than is looked through,"
        name = os.path.basename(path).lower()
        if name in PROTECTED_FOLDERS or name in PROTECTED_FILES:
            return name
    return None
