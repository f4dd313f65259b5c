"""Keeping what the files of whole folders hold, so that what a command did to them can be told and taken back.

Only files that look different from the last time (device, inode, size, times) are read again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from ..opening import content_hash
from .blobs import Blobs
from .held import MISSING, Held, Identity, held_by, identity_of, status_of
from .record_log import Record
from .tree import MAX_ENTRIES, Tree, walk_tree

MAX_FILE_BYTES = 10_000_000
"""No copy is kept of a larger file: data and binaries, which are rarely written by hand."""

MAX_KEPT_BYTES = 500_000_000
"""Contents that one session keeps of files that it did not write itself."""

TIME_LIMIT_S = 10.0
"""How long a command waits for its copies; then it runs, and what was not copied is named."""

WALK_LIMIT_S = 2.0
SLOW_WALK_LIMIT_S = 0.5
SLOW_FOR_S = 20.0
"""How long the folders may be looked through before, and after, a command; and once that has proved to take too long,
as on a slow network, where every command would pay for it. Then the longer time is tried again: a machine that was
busy gets over it."""

BATCH_BYTES = 4_000_000
RACY_NS = 100_000_000
"""A file that was changed so shortly before it was read may change again without looking different."""


class Change(NamedTuple):
    """What became of one path."""

    path: str
    before: Held
    after: Held


class Seen(NamedTuple):
    """A path as it was seen last. Without an identity it has to be looked at again."""

    identity: Identity | None
    held: Held


@dataclass
class Snapshot:
    """The files below some folders before a command, all kept but for what is named here.

    Attributes:
        roots: the folders.
        tree: the walk.
        without_copy: paths that no copy was kept of, with what they looked like.
        large: how many of them are too large; one of them is ``large_path``.
        locked: how many of them cannot be read.
        cut: why there are others, ``""`` when there are none.
        last_step: the last step that the history had noted then.
    """

    roots: tuple[str, ...]
    tree: Tree
    without_copy: dict[str, Identity] = field(default_factory=dict)
    large: int = 0
    large_path: str = ""
    locked: int = 0
    cut: str = ""
    last_step: int = 0

    def gaps(self) -> Iterator[tuple[str, str]]:
        """What an undo does not cover: of which kind, and in a few words."""
        if self.large:
            size = f"above {MAX_FILE_BYTES // 1_000_000} MB"
            yield "large", f"{_files(self.large)} {size} ({self.large_path}{' …' * (self.large > 1)})"
        if self.tree.cut:
            nearest = _files(min(len(self.tree.entries), MAX_ENTRIES))
            yield "far", f"what lies beyond the nearest {nearest} ({self.tree.cut})"
        if locked := self.tree.unreadable + self.locked:
            yield "locked", f"{_files(locked)} or folders that cannot be read"
        if self.cut:
            others = len(self.without_copy) - self.large - self.locked
            yield "cut", f"{_files(others)} of which no copy was made ({self.cut})"


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


class CommandChanges(NamedTuple):
    """What a command did to files.

    Attributes:
        changes: what can be taken back.
        not_covered: the other paths that changed, of which there was no earlier copy.
        cut: why there may be more, ``""`` when there is no more.
    """

    changes: tuple[Change, ...] = ()
    not_covered: tuple[str, ...] = ()
    cut: str = ""


class Limits(NamedTuple):
    """How long something may take.

    Attributes:
        check: called now and then; what it raises ends it.
        deadline: of ``time.monotonic``.
        progress: told how many files and bytes have been copied.
    """

    check: Callable[[], None]
    deadline: float
    progress: Callable[[int, int], None] = lambda files, size: None


class TreeKeeper:
    """Knows what every path below the folders of a session held when it was last looked at. Not thread-safe."""

    def __init__(self, blobs: Blobs, leave_out: frozenset[str]) -> None:
        self._blobs = blobs
        self._leave_out = leave_out
        self._seen: dict[str, Seen] = {}
        self._kept_bytes = 0
        self._slow_until = 0.0

    def before(self, roots: Sequence[str], limits: Limits) -> Snapshot:
        """Keep what all files below ``roots`` hold, as far as the limits allow."""
        tree = self._walk(roots, limits)
        snapshot = Snapshot(tuple(roots), tree)
        self._forget_missing(snapshot)
        for path in self._copy([p for p, s in tree.entries.items() if not self._is_known(p, s)], snapshot, limits):
            snapshot.without_copy[path] = identity_of(tree.entries[path])
        return snapshot

    def after(self, snapshot: Snapshot, limits: Limits) -> CommandChanges:
        """What has changed since the snapshot."""
        tree = self._walk(snapshot.roots, limits)
        before, later = dict(self._seen), Snapshot(snapshot.roots, tree)
        new = set(_new_paths(tree, snapshot))
        different = [p for p, s in tree.entries.items() if (p in before or p in new) and not self._is_known(p, s)]
        without_copy = self._copy(different, later, limits)
        now = {path: self._seen[path].held for path in different if path in self._seen}
        now |= {path: MISSING for path in self._forget_missing(later)}
        now |= _hashed(without_copy, limits)
        was = {path: before[path].held if path in before else MISSING for path in now}
        lost = [path for path in without_copy if path not in now]
        lost += [path for path, identity in snapshot.without_copy.items() if _looks_different(path, identity)]
        changes = (Change(path, was[path], held) for path, held in now.items() if not was[path].same(held))
        return CommandChanges(tuple(changes), tuple(lost), "" if snapshot.tree.cut else tree.cut)

    def load(self, record: Record) -> None:
        """Take over what an earlier process had seen."""
        for path, identity, held in record.get("files", ()):
            self._seen[path] = Seen(Identity(*identity) if identity else None, Held(*held))
        for path in record.get("gone", ()):
            self._seen.pop(path, None)

    # ---- inside

    def _walk(self, roots: Sequence[str], limits: Limits) -> Tree:
        began = time.monotonic()
        end = began + (SLOW_WALK_LIMIT_S if began < self._slow_until else WALK_LIMIT_S)
        tree = walk_tree(roots, self._leave_out, check=limits.check, deadline=min(limits.deadline, end))
        ended = time.monotonic()
        if ended > end and began >= self._slow_until:
            self._slow_until = ended + SLOW_FOR_S
        return tree

    def _is_known(self, path: str, status: os.stat_result) -> bool:
        seen = self._seen.get(path)
        if seen is None:
            return False
        if stat.S_ISDIR(status.st_mode):
            return seen.held.kind == "folder" and seen.held.mode == stat.S_IMODE(status.st_mode)
        if seen.identity != identity_of(status):
            return False
        return seen.held.kind != "file" or seen.held.digest in self._blobs

    def _forget_missing(self, snapshot: Snapshot) -> list[str]:
        """The known paths below the roots that are gone; they are known no more."""
        folders = tuple(root.rstrip("/") + "/" for root in snapshot.roots)
        absent = [p for p in self._seen if p not in snapshot.tree.entries and p.startswith(folders)]
        gone = [path for path in absent if _is_gone(path)]
        absent = gone if snapshot.tree.cut else absent
        for path in absent:
            del self._seen[path]
        if absent:
            with suppress(OSError):  # a full disk: whoever reads this later sees files as deleted by a later command
                self._blobs.put((), [{"is": "seen", "gone": absent}])
        return gone

    def _copy(self, paths: Sequence[str], snapshot: Snapshot, limits: Limits) -> list[str]:
        """Keep what these paths hold; returns those of which no copy was made."""
        lost: list[str] = []
        batch: list[tuple[str, Seen, bytes]] = []
        files = size = pending = 0
        for path in paths:
            self._seen.pop(path, None)
            status = snapshot.tree.entries[path]
            if snapshot.cut or not self._may_copy(path, status, snapshot, pending, limits):
                lost.append(path)
                continue
            try:
                found = _look(path)
            except (FileNotFoundError, NotADirectoryError):
                continue  # it went away meanwhile: the next walk tells
            except OSError:
                snapshot.locked += 1
                lost.append(path)
                continue
            batch.append((path, *found))
            pending += len(found[1])
            if pending >= BATCH_BYTES:
                files, size = files + len(batch), size + pending
                lost += self._keep(batch, snapshot)
                batch, pending = [], 0
                limits.progress(files, size)
        return lost + self._keep(batch, snapshot)

    def _may_copy(self, path: str, status: os.stat_result, snapshot: Snapshot, pending: int, limits: Limits) -> bool:
        limits.check()
        if not stat.S_ISREG(status.st_mode):
            return True
        if status.st_size > MAX_FILE_BYTES:
            snapshot.large, snapshot.large_path = snapshot.large + 1, snapshot.large_path or path
            return False
        if time.monotonic() > limits.deadline:
            snapshot.cut = "copying them took too long"
        elif self._kept_bytes + pending + status.st_size > MAX_KEPT_BYTES:
            snapshot.cut = f"{MAX_KEPT_BYTES // 1_000_000} MB are kept already"
        return not snapshot.cut

    def _keep(self, batch: Sequence[tuple[str, Seen, bytes]], snapshot: Snapshot) -> list[str]:
        """Write a batch; returns the paths that could not be."""
        contents = ((seen.held.digest, data) for _, seen, data in batch if seen.held.kind == "file")
        files = [[path, seen.identity, seen.held.to_json()] for path, seen, _ in batch]
        try:
            self._kept_bytes += self._blobs.put(contents, [{"is": "seen", "files": files}] if files else [])
        except OSError as error:
            snapshot.cut = error.strerror or str(error)
            return [path for path, _, _ in batch]
        self._seen.update({path: seen for path, seen, _ in batch})
        return []


def _look(path: str) -> tuple[Seen, bytes]:
    """What a path holds, with its bytes.

    Raises:
        OSError: it is gone, or cannot be read.
    """
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return Seen(identity_of(status), held_by(path, status)), b""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        data = _all_of(descriptor, status.st_size)
        identity = identity_of(status)
        settled = len(data) == status.st_size and identity == identity_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)
    settled = settled and status.st_ctime_ns < time.time_ns() - RACY_NS
    return Seen(identity if settled else None, held_by(path, status, content_hash(data))), data


def _all_of(descriptor: int, size: int) -> bytes:
    """A file object costs more than to read a small file does."""
    data = os.read(descriptor, size + 1)
    if len(data) <= size and (len(data) == size or not data):
        return data
    parts = [data]
    while part := os.read(descriptor, BATCH_BYTES):
        parts.append(part)
    return b"".join(parts)


def _new_paths(tree: Tree, snapshot: Snapshot) -> Iterator[str]:
    """Paths that did not exist at the time of the snapshot: their folder was listed then, or is new itself."""
    new: set[str] = set()
    for path, status in tree.entries.items():  # a folder comes before what is in it
        parent, before = os.path.dirname(path), snapshot.tree.entries.get(path)
        if before is not None and stat.S_ISDIR(status.st_mode) and not stat.S_ISDIR(before.st_mode):
            new.add(path)  # a folder in the place of a file: it is known itself, and what is in it is new
        elif parent in new or (parent in snapshot.tree.listed and before is None):
            new.add(path)
            yield path


def _hashed(paths: Sequence[str], limits: Limits) -> dict[str, Held]:
    """What these paths hold, as far as there is time to look; no copy is needed to know whether they change again."""
    found = {}
    for path in paths:
        if time.monotonic() > limits.deadline:
            break
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            with open(descriptor, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                found[path] = held_by(path, os.fstat(descriptor), digest)
    return found


def _is_gone(path: str) -> bool:
    """Whether nothing is there; what is reached by a link in the place of its folder is something else."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        return status_of(path) is None or os.path.realpath(folder) != folder
    return False


def _looks_different(path: str, identity: Identity) -> bool:
    with suppress(OSError):
        status = status_of(path)
        return status is None or identity_of(status) != identity
    return True
