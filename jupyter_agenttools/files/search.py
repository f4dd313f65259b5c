"""Finding files by a pattern: a walk that never follows links to folders and always says when it stopped early."""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import ToolValidationError
from .glob_pattern import GlobPattern, States
from .opening import unreadable
from .plain_search.ignore import MARKERS, VCS_FOLDERS, IgnoreRules, rules_for
from .search_options import TIME_LIMIT_S

IGNORED_TIME_LIMIT_S = 0.5
"""How long what git leaves out is counted, after everything else has been found."""


class FoundFiles(NamedTuple):
    """What a search found.

    Attributes:
        paths: absolute, the one changed last first, at most as many as were asked for.
        total: how many files match in all places that were searched.
        ignored: how many more match in places that ignore files leave out; at least, when ``ignored_is_partial``.
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
    is_hidden: Callable[[str], bool] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> FoundFiles:
    """Which regular files (and links to files) below the absolute folder ``root`` match?

    Args:
        limit: how many paths to return.
        time_limit_s: seconds after which the search ends with what it has.
        respect_ignore: leave out what ignore files leave out.
        is_hidden: whether nobody may hear of an absolute path; such a file is not counted either.
        on_progress: told, for each folder, how many files match so far and how many folders were looked into.

    Raises:
        ToolValidationError: ``root`` is not a folder or cannot be opened.
        InterruptedToolError: the call was stopped.
    """
    _require_folder(root)
    walk = _Walk(pattern, cancellation, time.monotonic() + time_limit_s, is_hidden, on_progress)
    rules = rules_for(root).rules if respect_ignore else None
    found = walk.files([_Folder(root, pattern.start(), rules, True)])
    stopped = time_limit_s if walk.out_of_time else None
    unreadable, folders = walk.unreadable, walk.folders
    ignored = walk.left_out_files
    if stopped is None and walk.left_out:
        walk.deadline = min(walk.deadline, time.monotonic() + IGNORED_TIME_LIMIT_S)
        ignored += len(walk.files(walk.left_out))
    newest = heapq.nsmallest(limit, ((-_mtime(path), path) for path in found))
    return FoundFiles(
        tuple(path for _, path in newest),
        len(found),
        ignored,
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
    """A folder to look into. ``rules`` are those around it, or its own when ``is_root``; ``None``: nobody is asked."""

    path: str
    states: States
    rules: IgnoreRules | None
    is_root: bool = False


class _Walk:
    """One walk over folders. Links to folders are not entered, so it cannot go in circles."""

    def __init__(
        self,
        pattern: GlobPattern,
        cancellation: Cancellation,
        deadline: float,
        is_hidden: Callable[[str], bool] | None,
        on_progress: Callable[[int, int], None] | None,
    ) -> None:
        self._pattern = pattern
        self._cancellation = cancellation
        self._is_hidden = is_hidden
        self._on_progress = on_progress
        self.deadline = deadline
        self.out_of_time = False
        self.unreadable = 0
        self.folders = 0
        self.left_out: list[_Folder] = []
        self.left_out_files = 0

    def files(self, folders: list[_Folder]) -> list[str]:
        """The matching files in these folders and below; not all of them when the time is up."""
        todo = list(folders)
        found: list[str] = []
        while todo:
            self._cancellation.check()
            if time.monotonic() > self.deadline:
                self.out_of_time = True
                break
            folder = todo.pop()
            self.folders += 1
            try:
                found += self._look_into(folder, todo)
            except OSError:
                self.unreadable += 1
            if self._on_progress is not None:
                self._on_progress(len(found), self.folders)
        return found

    def _look_into(self, folder: _Folder, todo: list[_Folder]) -> list[str]:
        files: list[os.DirEntry[str]] = []
        folders: list[os.DirEntry[str]] = []
        markers: list[str] = []
        tests = self._pattern.in_folder(folder.states).lasts
        test = tests[0] if len(tests) == 1 else lambda name: any(one(name) for one in tests)
        with os.scandir(folder.path) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry)
                elif test(name):
                    files.append(entry)
                if name in MARKERS:
                    markers.append(name)
        rules = folder.rules
        if rules is not None and markers and not folder.is_root:
            rules = rules.inside(folder.path, markers)
        asked = rules if rules is not None and rules.has_any else None
        self._put_off(folder, folders, rules, todo)
        if asked is None and self._is_hidden is None:
            return [entry.path for entry in files if _is_file(entry)]
        return [entry.path for entry in files if self._is_wanted(entry, asked)]

    def _put_off(
        self, folder: _Folder, entries: list[os.DirEntry[str]], rules: IgnoreRules | None, todo: list[_Folder]
    ) -> None:
        for entry in entries:
            if entry.name in VCS_FOLDERS:
                continue
            states = self._pattern.enter(folder.states, entry.name)
            if not states:
                continue
            if rules is not None and rules.ignores(entry.path, entry.name, True):
                self.left_out.append(_Folder(entry.path, states, None))
            else:
                todo.append(_Folder(entry.path, states, rules))

    def _is_wanted(self, entry: os.DirEntry[str], rules: IgnoreRules | None) -> bool:
        if not _is_file(entry) or (self._is_hidden is not None and self._is_hidden(entry.path)):
            return False
        if rules is not None and rules.ignores(entry.path, entry.name, False):
            self.left_out_files += 1
            return False
        return True


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _mtime(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
