"""One writer at a time for each file: within this process, and among the kernels of one person on this machine."""

from __future__ import annotations

import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from ..core.errors import ToolError
from ..core.home import working_folder
from ..core.unshared import close_own, own

WAIT_SECONDS = 30.0
"""Whoever holds a file reads, compares and writes it; longer than this means a process that was stopped."""

_LOOK_AGAIN_SECONDS = 0.01

_guard = threading.Lock()
_waiting: dict[str, tuple[threading.Lock, int]] = {}


class FileBusyError(ToolError):
    """Somebody else holds the file."""

    kind = "FileBusy"
    retryable = True


@contextmanager
def file_lock(path: str, wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the file at ``path`` against every other writer that asks for it here. Blocks; for worker threads only.

    The same file has one owner under all of its names: symbolic links, hard links, bind mounts. Not reentrant.

    Raises:
        FileBusyError: another call or kernel held it all the time.
    """
    deadline = time.monotonic() + wait_seconds
    while True:
        keys = _keys(path)
        with ExitStack() as held:
            for key in keys:
                held.enter_context(_thread_lock(path, key, deadline))
                held.enter_context(_process_lock(path, key, deadline))
            if _keys(path) == keys:  # else it was replaced while this waited, and is another inode now
                yield
                return


def _keys(path: str) -> list[str]:
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
    except OSError:
        return [real]
    return sorted((real, f"{status.st_dev}:{status.st_ino}"))


@contextmanager
def _thread_lock(path: str, key: str, deadline: float) -> Iterator[None]:
    with _guard:
        lock, users = _waiting.get(key, (threading.Lock(), 0))
        _waiting[key] = (lock, users + 1)
    try:
        if not lock.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise _busy(path)
        try:
            yield
        finally:
            lock.release()
    finally:
        with _guard:
            _, users = _waiting[key]
            if users == 1:
                del _waiting[key]
            else:
                _waiting[key] = (lock, users - 1)


@contextmanager
def _process_lock(path: str, key: str, deadline: float) -> Iterator[None]:
    try:
        name = os.path.join(working_folder("locks"), hashlib.sha256(os.fsencode(key)).hexdigest()[:32])
        descriptor = _locked_file(path, name, deadline)
    except OSError:  # our own folder takes no files: what the file holds is still compared before it is written
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(name)  # while it is held: whoever has it open sees that it is not the one under this name
        close_own(descriptor)


def _locked_file(path: str, name: str, deadline: float) -> int:
    while True:
        descriptor = own(os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.stat(name)):
                return descriptor
        except (BlockingIOError, FileNotFoundError):
            if time.monotonic() > deadline:
                close_own(descriptor)
                raise _busy(path) from None
            time.sleep(_LOOK_AGAIN_SECONDS)
        except OSError:
            close_own(descriptor)
            raise
        close_own(descriptor)


def _busy(path: str) -> FileBusyError:
    message = f"{path} is being written by another call or another kernel and did not become free. Try again"
    return FileBusyError(message, check_id="file-busy")
