"""Which files does a git repository leave out? By its ``.gitignore`` files and ``.git/info/exclude``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ..core.errors import ToolValidationError
from .opening import read_whole

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

VCS_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "CVS"})
"""Where version control keeps its own files; never searched."""

MAX_IGNORE_BYTES = 1 << 20


class _Rules(NamedTuple):
    folder: str
    spec: GitIgnoreSpec


class IgnoreRules:
    """The rules that hold in one folder: its own before those of the folders around it. Immutable."""

    def __init__(self, rules: tuple[_Rules, ...] = (), in_repository: bool = False) -> None:
        self._rules = rules
        self._in_repository = in_repository

    def inside(self, folder: str) -> IgnoreRules:
        """The rules that hold in the sub-folder at the absolute path ``folder``."""
        if not self._in_repository:
            return self
        own = _read(folder, os.path.join(folder, ".gitignore"))
        return IgnoreRules((own, *self._rules), True) if own else self

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether the entry at the absolute ``path`` is left out (its parent folders are not looked at)."""
        for rules in self._rules:
            relative = path[len(rules.folder) :].lstrip("/") + ("/" if is_folder else "")
            verdict = rules.spec.check_file(relative).include
            if verdict is not None:
                return verdict
        return False


def rules_for(folder: str) -> IgnoreRules:
    """The rules that hold in ``folder``; none outside of a repository, and none from above a folder that is itself left
    out: whoever asks for such a folder by name wants to see it."""
    root = _repository_root(folder)
    if root is None:
        return IgnoreRules()
    exclude = _read(root, os.path.join(root, ".git", "info", "exclude"))
    rules = IgnoreRules((exclude,) if exclude else (), True).inside(root)
    here = root
    for name in os.path.relpath(folder, root).split("/"):
        if name == ".":
            break
        here = os.path.join(here, name)
        rules = IgnoreRules((), True).inside(here) if rules.ignores(here, True) else rules.inside(here)
    return rules


def _repository_root(folder: str) -> str | None:
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _read(folder: str, file: str) -> _Rules | None:
    from pathspec import GitIgnoreSpec

    try:
        text = read_whole(file, MAX_IGNORE_BYTES).decode("utf-8", "surrogateescape")
    except ToolValidationError:
        return None  # absent, unreadable or not a file: git has no rules from it either
    return _Rules(folder, GitIgnoreSpec.from_lines(text.splitlines()))
