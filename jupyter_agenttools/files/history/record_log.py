"""Records with bytes, appended to one file and on the disk before anybody relies on them.

A record is a line of JSON, followed by as many bytes as it says. Whoever is killed while writing leaves a torn record
at the end: it is not read, and the next process begins a file of its own.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...core.unshared import close_own, own

Record = dict[str, Any]

_sync = getattr(os, "fdatasync", os.fsync)

LOG_NAME = re.compile(r"history-(\d{4})\.log")
MAX_HEADER_BYTES = 1 << 30
BYTES_KEY = "bytes"


class Place(NamedTuple):
    """Where bytes lie: in which log of the folder, from which offset on, how many."""

    number: int
    offset: int
    size: int


class InUse(Exception):
    """Another session, here or in another process, writes to this folder."""


class RecordLog:
    """The logs in one folder: the earlier ones to be read, and one of our own to be appended to. Thread-safe.

    Args:
        folder: made when it is missing, private to its owner.

    Raises:
        InUse: somebody else writes there.
        OSError: the folder cannot be made or opened.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptors: dict[int, int] = {}
        self._close = weakref.finalize(self, _close_all, self._descriptors)
        try:
            for number in sorted(_numbers(folder)):
                self._open(folder, number, os.O_RDONLY)
            self._number = max(self._descriptors, default=0) + 1
            self._earlier = tuple(self._descriptors)
            self._open(folder, self._number, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        except BaseException:
            self._close()
            raise
        self._size = 0

    def _open(self, folder: Path, number: int, flags: int) -> None:
        descriptor = own(os.open(folder / log_name(number), flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        self._descriptors[number] = descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise InUse(str(folder)) from error  # on a file system without locks nobody can tell

    def earlier(self) -> Iterator[tuple[Record, Place | None]]:
        """What was written before this log was opened, oldest first, each record with where its bytes lie."""
        for number in self._earlier:
            yield from _read_records(self._descriptors[number], number)

    def append(self, records: Sequence[tuple[Record, bytes]]) -> list[Place]:
        """Append records with their bytes (often none), all of them or nothing.

        They survive the end of this process; they survive a power cut after :meth:`sync`.

        Raises:
            OSError: the disk is full or failed; the log is as it was.
        """
        places, chunks = [], []
        with self._lock:
            end = self._size
            for record, data in records:
                head = json.dumps({**record, BYTES_KEY: len(data)} if data else record).encode() + b"\n"
                places.append(Place(self._number, end + len(head), len(data)))
                chunks += [head, data, b"\n"] if data else [head]
                end += len(head) + len(data) + bool(data)
            try:
                _write_all(self._descriptors[self._number], chunks, self._size)
            except OSError:
                os.ftruncate(self._descriptors[self._number], self._size)
                raise
            self._size = end
        return places

    def sync(self) -> None:
        """Wait until the disk itself has everything.

        Raises:
            OSError: it does not.
        """
        _sync(self._descriptors[self._number])

    def read(self, place: Place) -> bytes:
        """The bytes that lie there.

        Raises:
            OSError: they cannot be read.
        """
        parts, offset, left = [], place.offset, place.size
        while left:
            part = os.pread(self._descriptors[place.number], left, offset)
            if not part:
                raise OSError(errno.EIO, "the file history is shorter than it says")
            parts.append(part)
            offset, left = offset + len(part), left - len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Let go of the folder."""
        self._close()


def log_name(number: int) -> str:
    return f"history-{number:04}.log"


def _numbers(folder: Path) -> Iterator[int]:
    for name in os.listdir(folder):
        if match := LOG_NAME.fullmatch(name):
            yield int(match.group(1))


def _close_all(descriptors: dict[int, int]) -> None:
    while descriptors:
        close_own(descriptors.popitem()[1])


def _write_all(descriptor: int, chunks: Sequence[bytes], offset: int) -> None:
    for chunk in _joined(chunks):
        view = memoryview(chunk)
        while view:
            written = os.pwrite(descriptor, view, offset)
            view, offset = view[written:], offset + written


def _joined(chunks: Sequence[bytes]) -> Iterator[bytes]:
    """The chunks, small neighbours put together: a system call costs more than a copy of a few bytes."""
    pending: list[bytes] = []
    for chunk in chunks:
        if len(chunk) < 1 << 16:
            pending.append(chunk)
            continue
        yield b"".join(pending)
        pending = []
        yield chunk
    yield b"".join(pending)


def _read_records(descriptor: int, number: int) -> Iterator[tuple[Record, Place | None]]:
    end, offset = os.fstat(descriptor).st_size, 0
    with open(descriptor, "rb", closefd=False) as file:
        while True:
            file.seek(offset)
            head = file.readline(MAX_HEADER_BYTES)
            offset += len(head)
            try:
                record = json.loads(head)
                size = record.pop(BYTES_KEY, 0)
            except (ValueError, AttributeError):
                return  # torn: its writer was killed
            if not head.endswith(b"\n") or offset + size + bool(size) > end:
                return
            yield record, Place(number, offset, size) if size else None
            offset += size + bool(size)
