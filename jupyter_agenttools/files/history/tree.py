"""Which files are there below some folders, and how do they look from outside? One walk, nothing is opened."""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ..plain_search.ignore import VCS_FOLDERS, IgnoreRules, rules_for

MAX_ENTRIES = 20_000
"""Files, links and folders that are looked at, the nearest first. A walk over so many takes a tenth of a second."""

CACHE_FOLDERS = frozenset(
    {"__pycache__", "node_modules", "site-packages", ".cache", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache"}
) | {".tox", ".venv", ".ipynb_checkpoints", ".hypothesis"}
"""Folders whose content programs make again by themselves."""

_LEFT_OUT = VCS_FOLDERS | CACHE_FOLDERS

SYSTEM_FOLDERS = frozenset({"/dev", "/proc", "/run", "/sys"})

CACHE_MARKS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
"""Files that say of their folder that it is a cache, or an environment of programs."""


@dataclass
class Tree:
    """What a walk saw.

    Attributes:
        entries: the ``lstat`` of every file, link and folder below the roots, by absolute path.
        listed: folders of which everything is known: a path in one of them that is not in ``entries`` does not exist.
        cut: why the walk ended early, ``""`` when it did not.
        unreadable: folders that could not be opened.
    """

    entries: dict[str, os.stat_result] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    cut: str = ""
    unreadable: int = 0


def walk_tree(roots: Sequence[str], leave_out: frozenset[str], *, check: Callable[[], None], deadline: float) -> Tree:
    """Look at everything below the absolute ``roots`` but folders of version control, of caches, and ignored ones.

    Links are never followed. Files that are ignored one by one (``.env``) are looked at.

    Args:
        leave_out: paths that are not looked at.
        check: called for each folder; what it raises ends the walk.
        deadline: of ``time.monotonic``; the walk ends there with what it has.
    """
    tree = Tree()
    todo = deque((root, rules_for(root).rules, True) for root in _outermost(roots))
    while todo:
        check()
        if time.monotonic() > deadline:
            tree.cut = "looking through the folders took too long"
            break
        if len(tree.entries) >= MAX_ENTRIES:
            tree.cut = f"there are more than {MAX_ENTRIES:,} files"
            break
        folder, rules, is_root = todo.popleft()
        todo.extend((path, inner, False) for path, inner in _enter(folder, rules, is_root, tree, leave_out))
    return tree


def _outermost(roots: Sequence[str]) -> list[str]:
    inside = [root for root in roots if any(root != other and _is_below(root, other) for other in roots)]
    return [root for root in dict.fromkeys(roots) if root not in inside]


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _enter(
    folder: str, rules: IgnoreRules, is_root: bool, tree: Tree, leave_out: frozenset[str]
) -> Iterator[tuple[str, IgnoreRules]]:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        tree.unreadable += 1
        return
    names = {entry.name for entry in entries}
    if not is_root:
        if not CACHE_MARKS.isdisjoint(names):
            return
        rules = rules.inside(folder, names)
    tree.listed.add(folder)
    for entry in entries:
        status = _status(entry)
        if status is None or entry.path in leave_out or entry.path in SYSTEM_FOLDERS:
            continue
        if not stat.S_ISDIR(status.st_mode):
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                tree.entries[entry.path] = status
        elif entry.name not in _LEFT_OUT and not rules.ignores(entry.path, entry.name, True):
            tree.entries[entry.path] = status
            yield entry.path, rules


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None
