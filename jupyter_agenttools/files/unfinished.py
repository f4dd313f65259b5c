"""What a killed process left half done, and how that is put right.

Before a file is touched, a record of it is made in our own folder and locked; the system lets go of the lock when the
process ends, however it ends. A record that is there and not locked therefore belongs to a process that was killed:

* a temporary file is removed;
* bytes that were being replaced in place (where renaming is not possible) are put back.

Whoever opens or writes a file, or starts a session, looks whether there is such a record. They lie in our own folder,
which no tool may write to: a record says which file is to be changed, and how.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ..core.home import agenttools_home, require_private, substitute_folders, working_folder

TEMPORARY_PREFIX = ".agenttools-"
TEMPORARY_SUFFIX = ".tmp"
_TEMPORARY_NAME = re.compile(rf"{re.escape(TEMPORARY_PREFIX)}[0-9a-f]{{16}}{re.escape(TEMPORARY_SUFFIX)}")

FOLDER = "unfinished"
"""Where the records are, in our own folder."""

_DRAFT = ".draft"
_DRAFT_SECONDS = 60
"""A draft of a record that is older belongs to nobody: a living process would have finished and locked it."""

_PAGE_BYTES = 4_096
"""Systems write whole pages: after a power cut each is either old, new or empty."""


_looked = threading.local()


@dataclass
class Record:
    """One record while its process works. ``settled``: the file is whole again, so the record may go."""

    settled: bool = False


@dataclass(frozen=True)
class Replacement:
    """How the bytes of a file are replaced in place.

    Args:
        target: absolute, links resolved.
        old, new: its whole content before and after.
        kept: how many bytes at the beginning are the same in both; they are not touched.
    """

    target: str
    old: bytes
    new: bytes
    kept: int


@contextmanager
def noted_temporary(path: str) -> Iterator[None]:
    """Note that a temporary file is made at ``path``. Where that cannot be noted, a kill may leave it there."""
    try:
        descriptor, record = _make({"temporary": path}, (), durable=False)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        _end(descriptor, record)


@contextmanager
def noted_replacement(replacement: Replacement) -> Iterator[Record]:
    """Note how bytes are replaced in place; the record stays unless it is settled.

    Raises:
        OSError: it cannot be noted, so nothing should be replaced.
    """
    old, new = replacement.old[replacement.kept :], replacement.new[replacement.kept :]
    header = {
        "target": replacement.target,
        "kept": replacement.kept,
        "old": len(old),
        "new": len(new),
        "old_hash": hashlib.sha256(replacement.old).hexdigest(),
        "new_hash": hashlib.sha256(replacement.new).hexdigest(),
    }
    descriptor, path = _make(header, (old, new), durable=True)
    record = Record()
    try:
        yield record
    finally:
        if record.settled:
            _end(descriptor, path)
        else:
            os.close(descriptor)


def _make(header: dict[str, str | int], parts: Sequence[bytes], *, durable: bool) -> tuple[int, str]:
    path = os.path.join(working_folder(FOLDER), secrets.token_hex(8))
    descriptor = os.open(path + _DRAFT, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open(descriptor, "wb", closefd=False) as file:
            file.writelines((json.dumps(header).encode() + b"\n", *parts))
        if durable:
            os.fsync(descriptor)
        os.rename(path + _DRAFT, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(path + _DRAFT)
        os.close(descriptor)
        raise
    return descriptor, path


def _end(descriptor: int, path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
    os.close(descriptor)


@contextmanager
def recovered_already() -> Iterator[None]:
    """For whoever called :func:`recover_writes` and goes through many files: this thread does not look again inside."""
    before, _looked.already = getattr(_looked, "already", False), True
    try:
        yield
    finally:
        _looked.already = before


def recover_writes() -> None:
    """Put right what killed processes left half done. Costs next to nothing when there is nothing; never raises."""
    if getattr(_looked, "already", False):
        return
    folder = os.path.join(agenttools_home(), FOLDER)
    try:
        names = os.listdir(folder)
    except PermissionError:
        for folder in substitute_folders(FOLDER):
            with suppress(OSError):
                require_private(folder)
                _recover_all(folder, os.listdir(folder))
    except OSError:
        return
    else:
        _recover_all(folder, names)


def _recover_all(folder: str, names: Sequence[str]) -> None:
    for name in names:
        with suppress(OSError, ValueError, KeyError, TypeError):
            _recover_one(os.path.join(folder, name))


def _recover_one(path: str) -> None:
    is_draft = path.endswith(_DRAFT)
    if is_draft and time.time() - os.lstat(path).st_mtime < _DRAFT_SECONDS:
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: its process lives
        if not os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            return
        with open(descriptor, "rb", closefd=False) as file:
            settled = is_draft or _put_right(file.readline(), file.read())
        if settled:
            os.unlink(path)
    finally:
        os.close(descriptor)


def _put_right(line: bytes, parts: bytes) -> bool:
    """Whether nothing is left to be done for this record."""
    try:
        header = json.loads(line)
    except ValueError:
        return True  # never finished itself, so what it announces was not begun
    if "temporary" in header:
        return _remove_temporary(header["temporary"])
    if len(parts) != header["old"] + header["new"]:
        return True
    return _put_back(header, parts[: header["old"]], parts[header["old"] :])


def _remove_temporary(path: str) -> bool:
    if _TEMPORARY_NAME.fullmatch(os.path.basename(path)):
        with suppress(FileNotFoundError):
            os.unlink(path)
    return True


def _put_back(header: dict[str, str | int], old: bytes, new: bytes) -> bool:
    target, kept = str(header["target"]), int(header["kept"])
    try:
        descriptor = os.open(target, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return True
        with open(descriptor, "rb", closefd=False) as file:
            present = file.read()
        whole = {header["old_hash"], header["new_hash"]}
        before = hashlib.sha256(present[:kept] + old).hexdigest()
        if hashlib.sha256(present).hexdigest() in whole or before != header["old_hash"]:
            return True
        if is_torn(present[kept:], old, new, kept):
            replace_bytes(descriptor, kept, old)
        return True
    finally:
        os.close(descriptor)


def is_torn(present: bytes, old: bytes, new: bytes, start: int = 0) -> bool:
    """Whether ``present`` is what writing ``new`` over ``old`` may leave when it ends half way.

    Everything else was written by somebody else since, and is left alone.

    Args:
        start: where in the file these bytes begin.
    """
    longest = max(len(old), len(new))
    if not min(len(old), len(new)) <= len(present) <= longest:
        return False
    old, new = old.ljust(longest, b"\0"), new + old[len(new) :].ljust(longest - len(new), b"\0")
    first, edge = 0, _PAGE_BYTES - start % _PAGE_BYTES
    while first < len(present):
        page = present[first:edge]
        if page.strip(b"\0") and not _is_mixed(page, old[first:edge], new[first:edge]):
            return False
        first, edge = edge, edge + _PAGE_BYTES
    return True


def _is_mixed(page: bytes, old: bytes, new: bytes) -> bool:
    """Byte by byte, because putting the old bytes back may have ended half way, too."""
    return page in (old, new) or all(byte in pair for byte, *pair in zip(page, old, new, strict=False))


def common_prefix(a: bytes, b: bytes) -> int:
    """How many bytes at the beginning are the same in both."""
    low, high = 0, min(len(a), len(b))
    step, view = 1 << 16, memoryview(b)
    while low < high and a.startswith(view[low : min(low + step, high)], low):
        low = min(low + step, high)
    high = min(low + step, high)
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(view[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def replace_bytes(descriptor: int, start: int, data: bytes) -> None:
    """Make an open file end with ``data``, which begin at byte ``start``, on the disk itself."""
    view, position = memoryview(data), 0
    while position < len(data):
        position += os.pwrite(descriptor, view[position:], start + position)
    os.ftruncate(descriptor, start + len(data))
    os.fsync(descriptor)
