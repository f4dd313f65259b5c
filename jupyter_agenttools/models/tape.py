"""The file of a recording while it is written: one for each file and process, whoever records to it."""

from __future__ import annotations

import fcntl
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ..core.errors import UsageError
from ..core.unshared import close_own, own
from .asked import Asked
from .cassette import Exchange, Head, RequestLine, exchange_line, head_line, read_cassette, request_line

Existing = Literal["own", "append", "replace"]
"""What becomes of a file that is there already. ``own``: one that this process began is gone on with, any other is
refused. ``append`` goes on with any recording, ``replace`` begins it anew. A file that is no recording always stays."""

_Identity = tuple[int, int]
_open: weakref.WeakValueDictionary[_Identity, Tape] = weakref.WeakValueDictionary()
_begun: set[_Identity] = set()
_opening = threading.Lock()
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class Tape:
    """An open recording; see :func:`open_tape`.

    Each exchange goes to the operating system in one write. Once a write has failed nothing more is written: the file
    ends with what is whole, and ``fault`` says why.
    """

    def __init__(self, path: Path, descriptor: int, clock: Callable[[], float], numbers: int, began: float) -> None:
        self.path = path
        self.fault = ""
        self._clock, self._numbers, self._began = clock, numbers, began
        self._before: Asked | None = None
        self._lock = threading.Lock()
        self._users = 0
        self._descriptor = descriptor
        self._close = weakref.finalize(self, close_own, descriptor)

    def now(self) -> float:
        """Seconds since the recording began."""
        return round(self._clock() - self._began, 4)

    def next_number(self) -> int:
        with self._lock:
            self._numbers += 1
            return self._numbers

    def write(self, asked: Asked, made: Callable[[RequestLine], Exchange]) -> None:
        """Write one exchange.

        Args:
            made: makes it of what is to be written of its request.
        """
        with self._lock:
            if self.fault:
                return
            line = exchange_line(made(request_line(asked, self._before)))
            try:
                if (written := os.write(self._descriptor, line)) != len(line):
                    self.fault = f"the disk took {written:,} of {len(line):,} bytes"
            except OSError as error:
                self.fault = error.strerror or str(error)
            self._before = asked

    def hold(self) -> Tape:
        """One more records here."""
        with self._lock:
            self._users += 1
        return self

    def release(self) -> None:
        """One fewer; the last one closes the file."""
        with self._lock:
            self._users -= 1
            if self._users <= 0:
                self.fault = self.fault or "it was closed"
                self._close()


def open_tape(path: Path, head: Head, existing: Existing, clock: Callable[[], float] = time.monotonic) -> Tape:
    """The tape for the file ``path``, which is made at once, private to its owner. Its user must release it.

    Raises:
        UsageError: the file cannot be made, is there already, or another process records to it.
    """
    with _opening:
        try:
            if path.exists():
                return _there(path, head, existing, clock).hold()
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
            return _begin(path, descriptor, head, clock).hold()
        except OSError as error:
            raise UsageError(f"recording {path}: {error.strerror or error}") from error


def _there(path: Path, head: Head, existing: Existing, clock: Callable[[], float]) -> Tape:
    """The tape for a file that is there already."""
    found = path.stat()
    identity = (found.st_dev, found.st_ino)
    tape = _open.get(identity)
    if existing != "replace" and tape is not None and not tape.fault:
        return tape
    if existing == "own" and identity not in _begun:
        raise UsageError(f"recording {path}: the file is there already. Take another name, or replay it")
    cassette = read_cassette(path)  # nothing else is written to
    if existing != "replace" and cassette.torn:
        raise UsageError(f"recording {path} cannot be gone on with: {cassette.torn}")
    descriptor = _locked(os.open(path, _FLAGS), path)
    os.fchmod(descriptor, 0o600)
    if existing == "replace":
        os.ftruncate(descriptor, 0)
        return _begin(path, descriptor, head, clock)
    numbers = max((each.exchange.number for each in cassette.exchanges), default=0)
    ended = max((each.exchange.ended_s for each in cassette.exchanges), default=0.0)
    return _known(Tape(path, descriptor, clock, numbers, clock() - ended), descriptor)


def _begin(path: Path, descriptor: int, head: Head, clock: Callable[[], float]) -> Tape:
    os.write(_locked(descriptor, path), head_line(head))
    return _known(Tape(path, descriptor, clock, 0, clock()), descriptor)


def _known(tape: Tape, descriptor: int) -> Tape:
    found = os.fstat(descriptor)
    _begun.add((found.st_dev, found.st_ino))
    _open[found.st_dev, found.st_ino] = tape
    return tape


def _locked(descriptor: int, path: Path) -> int:
    try:
        fcntl.flock(own(descriptor), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        close_own(descriptor)
        raise UsageError(f"recording {path}: another recording writes this file now") from error
    except OSError:  # no locks on this file system
        pass
    return descriptor
