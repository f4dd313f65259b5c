"""Which places in a writable folder stay as they are: what decides which programs run later.

A place that is not there must not come into being either. A mount needs something to be mounted on, so an empty folder
stands there while a sandbox is open, and is taken away after the last one. (Of an empty folder nobody takes notice, git
least of all, whatever its name.)
"""

from __future__ import annotations

import errno
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, NamedTuple

MAX_DEPTH = 3
MAX_ENTRIES = 4_000
"""So deep and so many entries are looked at for protected names that lie deeper in a writable folder."""

_LARGE_FOLDERS = frozenset({"node_modules", "__pycache__", ".venv", "venv", ".tox", "site-packages", ".cache"})

_GIT_FIXED = ("hooks", "config", "config.worktree", "modules", "worktrees")
"""What git runs programs by. The rest of ``.git`` can be written: commits and branches work."""

_GIT_UNWANTED = "commondir"
"""With this file a repository takes its configuration and hooks from elsewhere. Nothing can be mounted in its place:
git would read it."""


_lock = threading.Lock()
_held: Counter[str] = Counter()
"""Places with an empty folder of ours, and by how many sandboxes each is needed."""


class Protection(NamedTuple):
    """Names that decide what runs later.

    Attributes:
        names: of files and folders that are kept as they are, wherever they are found.
        missing: which of them cannot be made where a writable folder begins.
        whole_git: nothing at all in a repository can be written, not even commits.
    """

    names: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()
    whole_git: bool = False


NOTHING_PROTECTED = Protection()


class Mount(NamedTuple):
    """One place that is kept as it is.

    Attributes:
        path: absolute.
        kind: ``read-only``; ``pinned`` (can be written, not renamed or replaced); ``absent``: is not there and cannot
            be made; ``unwanted``: is not there and is taken away afterwards.
    """

    path: str
    kind: Literal["read-only", "pinned", "absent", "unwanted"]

    def arguments(self) -> tuple[str, ...]:
        """How bubblewrap is told."""
        if self.kind == "absent":
            return ("--tmpfs", self.path, "--remount-ro", self.path)
        if self.kind == "unwanted":
            return ()
        return ("--bind" if self.kind == "pinned" else "--ro-bind", self.path, self.path)


def is_below(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or in it; both absolute."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def protect(root: str, protection: Protection) -> list[Mount]:
    """The places in the writable folder ``root`` that are kept as they are, outer ones first.

    Raises:
        OSError: one is a symbolic link, which cannot be kept from being replaced.
    """
    mounts: list[Mount] = []
    for path in _named(root, protection.names):
        if os.path.islink(path):
            raise OSError(errno.ELOOP, "it is a symbolic link, which a command could replace", path)
        in_part = os.path.basename(path) == ".git" and os.path.isdir(path) and not protection.whole_git
        mounts += _of_git(path) if in_part else [Mount(path, "read-only")]
    if os.access(root, os.W_OK):
        places = (os.path.join(root, name) for name in protection.missing)
        mounts += [Mount(path, "absent") for path in places if path in _held or not os.path.lexists(path)]
    return mounts


def _of_git(folder: str) -> list[Mount]:
    """A repository: pinned, or else it could be moved away and another one put in its place."""
    mounts = [Mount(folder, "pinned")]
    for name in _GIT_FIXED:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            raise OSError(errno.ELOOP, "it is a symbolic link, which a command could replace", path)
        if os.path.lexists(path) and path not in _held:
            mounts.append(Mount(path, "read-only"))
        elif name == "hooks":  # else somebody would put one there
            mounts.append(Mount(path, "absent"))
    unwanted = os.path.join(folder, _GIT_UNWANTED)
    return mounts if os.path.lexists(unwanted) else [*mounts, Mount(unwanted, "unwanted")]


def _named(root: str, names: frozenset[str]) -> Iterator[str]:
    """Every entry with one of the names in the first levels of ``root``, links not followed."""
    folders, seen = [(root, 0)], 0
    for folder, depth in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if entry.path in _held:
                continue
            if entry.name.lower() in names:
                yield entry.path
            elif depth < MAX_DEPTH and seen < MAX_ENTRIES and entry.name not in _LARGE_FOLDERS:
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, depth + 1))


@contextmanager
def held_places(mounts: Iterable[Mount]) -> Iterator[None]:
    """Have something at every place of what is not there; taken away when nobody in this process needs it any more."""
    held: list[Mount] = []
    try:
        with _lock:
            for mount in mounts:
                if mount.kind == "absent":
                    with suppress(FileExistsError):
                        os.mkdir(mount.path)
                _held[mount.path] += 1
                held.append(mount)
        yield
    finally:
        with _lock:
            for mount in held:
                _held[mount.path] -= 1
                if not _held[mount.path]:
                    del _held[mount.path]
                    _take_away(mount)


def _take_away(mount: Mount) -> None:
    """A folder only while it is empty: somebody outside may have put something there."""
    with suppress(OSError):
        if mount.kind == "absent":
            os.rmdir(mount.path)
        else:
            os.unlink(mount.path)
