"""Replacing a file's bytes where its inode must stay. Not atomic, but undone when the system fails half way."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from ..core.errors import ToolError


class WriteError(ToolError):
    """The operating system did not do what was asked; the message says what the file holds now."""

    kind = "WriteError"
    retryable = True


def overwrite(path: str, data: bytes, check: Callable[[bytes], None]) -> None:
    """Put ``data`` into the existing regular file at ``path``.

    Args:
        check: called with the present bytes directly before the first change; what it raises stops the write.

    Raises:
        OSError: the system failed; the old bytes are back.
        WriteError: the system failed, and failed again when the old bytes were put back.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        old = _read(descriptor)
        check(old)
        try:
            _reserve(descriptor, len(old), len(data))
            _write(descriptor, data)
        except BaseException:
            _restore(path, descriptor, old)
            raise
    finally:
        os.close(descriptor)


def _restore(path: str, descriptor: int, old: bytes) -> None:
    try:
        _write(descriptor, old)
    except OSError as error:
        message = f"{path} may be damaged: writing failed, and so did putting the old {len(old):,} bytes back ({error})"
        raise WriteError(message, check_id="write-damaged") from error


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb", buffering=0, closefd=False) as file:
        return file.readall() or b""


def _reserve(descriptor: int, present: int, wanted: int) -> None:
    """Get the room for what is added before anything is touched, so that a full disk is noticed first."""
    if wanted <= present or not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(descriptor, present, wanted - present)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.ENODEV, errno.EINVAL, errno.ENOSYS):
            raise


def _write(descriptor: int, data: bytes) -> None:
    view, position = memoryview(data), 0
    while position < len(data):
        position += os.pwrite(descriptor, view[position:], position)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)
