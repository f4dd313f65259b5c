"""Finding files by a pattern: a walk that never follows links to folders and always says when it stopped early."""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import ToolValidationError
from .glob_pattern import GlobPattern, States
from .ignore import VCS_FOLDERS, IgnoreRules, rules_for
from .opening import unreadable

TIME_LIMIT_S = 20.0
"""The field's limit for a search."""

IGNORED_TIME_LIMIT_S = 0.5
"""How long what git leaves out is counted, after everything else has been found."""


class FoundFiles(NamedTuple):
    """What a search found.

    Attributes:
        paths: absolute, the one changed last first, at most as many as were asked for.
        total: how many files match in all places that were searched.
        ignored: how many more match in places that git leaves out; at least, when ``ignored_is_partial``.
        unreadable: folders that could not be opened.
        folders: how many folders were looked into.
        stopped_after_s: the time limit, when it ended the search; ``None`` when everything was searched.
    """

    paths: tuple[str, ...]
    total: int
    ignored: int = 0
    ignored_is_partial: bool = False
    unreadable: int = 0
    folders: int = 0
    stopped_after_s: float | None = None


def find_files(
    root: str,
    pattern: GlobPattern,
    *,
    cancellation: Cancellation,
    limit: int = 100,
    time_limit_s: float = TIME_LIMIT_S,
    respect_ignore: bool = True,
) -> FoundFiles:
    """Which regular files (and links to files) below the absolute folder ``root`` match?

    Args:
        limit: how many paths to return.
        time_limit_s: seconds after which the search ends with what it has.
        respect_ignore: leave out what the git repository around ``root`` leaves out.

    Raises:
        ToolValidationError: ``root`` is not a folder or cannot be opened.
        InterruptedToolError: the call was stopped.
    """
    _require_folder(root)
    walk = _Walk(pattern, cancellation, time.monotonic() + time_limit_s)
    rules = rules_for(root) if respect_ignore else IgnoreRules()
    found = list(walk.files([_Folder(root, pattern.start(), rules)]))
    stopped = time_limit_s if walk.out_of_time else None
    unreadable, folders = walk.unreadable, walk.folders
    ignored = 0
    if stopped is None and walk.left_out:
        walk.deadline = min(walk.deadline, time.monotonic() + IGNORED_TIME_LIMIT_S)
        ignored = sum(1 for _ in walk.files(walk.left_out))
    newest = heapq.nlargest(limit, found, key=lambda entry: (entry.mtime_ns, entry.path))
    return FoundFiles(
        tuple(entry.path for entry in newest),
        len(found),
        ignored + walk.left_out_files,
        walk.out_of_time and stopped is None,
        unreadable,
        folders,
        stopped,
    )


def _require_folder(root: str) -> None:
    try:
        os.scandir(root).close()
    except NotADirectoryError as error:
        message = f"{root} is a file, not a folder. Give the folder to search in, or Read the file"
        raise ToolValidationError(message, check_id="glob-not-a-folder") from error
    except OSError as error:
        raise unreadable(root, error) from error


class _Folder(NamedTuple):
    path: str
    states: States
    rules: IgnoreRules


class _Entry(NamedTuple):
    mtime_ns: int
    path: str


class _Walk:
    """One walk over folders. Links to folders are not entered, so it cannot go in circles."""

    def __init__(self, pattern: GlobPattern, cancellation: Cancellation, deadline: float) -> None:
        self._pattern = pattern
        self._cancellation = cancellation
        self.deadline = deadline
        self.out_of_time = False
        self.unreadable = 0
        self.folders = 0
        self.left_out: list[_Folder] = []
        self.left_out_files = 0

    def files(self, folders: list[_Folder]) -> Iterator[_Entry]:
        """The matching files in these folders and below; ends early when the time is up."""
        todo = list(folders)
        while todo:
            self._cancellation.check()
            if time.monotonic() > self.deadline:
                self.out_of_time = True
                return
            folder = todo.pop()
            for entry in self._entries(folder):
                yield from self._look_at(entry, folder, todo)

    def _entries(self, folder: _Folder) -> list[os.DirEntry[str]]:
        self.folders += 1
        try:
            with os.scandir(folder.path) as entries:
                return list(entries)
        except OSError:
            self.unreadable += 1
            return []

    def _look_at(self, entry: os.DirEntry[str], folder: _Folder, todo: list[_Folder]) -> Iterator[_Entry]:
        if entry.is_dir(follow_symlinks=False):
            states = self._pattern.enter(folder.states, entry.name) if entry.name not in VCS_FOLDERS else frozenset()
            if not states:
                return
            if folder.rules.ignores(entry.path, True):
                self.left_out.append(_Folder(entry.path, states, IgnoreRules()))
            else:
                todo.append(_Folder(entry.path, states, folder.rules.inside(entry.path)))
        elif self._pattern.matches(folder.states, entry.name) and _is_file(entry):
            if folder.rules.ignores(entry.path, False):
                self.left_out_files += 1
            else:
                yield _Entry(_mtime(entry), entry.path)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _mtime(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_mtime_ns
    except OSError:
        return 0
