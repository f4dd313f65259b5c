"""Opening a file for reading without ever waiting for it: pipes, devices and sockets are refused."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ..core.errors import ToolValidationError
from .paths import describe_missing
from .telling import shortened, told
from .unfinished import recover_writes

MAX_WHOLE_BYTES = 1 << 30
"""The largest file that is taken into memory as a whole (1 GiB)."""

COMPARED_BYTES = 1 << 18
"""So much of a file is compared at a time: little enough to stay in the processor's cache."""

NOTHING_THERE = frozenset({"file-missing", "file-dangling-link"})
"""The refusals that mean: no such file."""

_OTHER_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


class OpenFile(NamedTuple):
    """A regular file, open for reading.

    Attributes:
        path: as it was asked for.
        descriptor: closed by :func:`open_regular`.
        status: ``fstat`` from right after opening.
    """

    path: str
    descriptor: int
    status: os.stat_result


@contextmanager
def open_regular(path: str) -> Iterator[OpenFile]:
    """Open the regular file at the absolute ``path``, through links.

    What a killed process left of a write is put right before.

    Raises:
        ToolValidationError: nothing there (near names are told), not a regular file, or no permission.
    """
    descriptor = -1
    recover_writes()
    try:
        require_regular(path, os.stat(path))  # before opening: opening a device can have effects of its own
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        require_regular(path, status)
    except OSError as error:
        _close(descriptor)
        raise unreadable(path, error) from error
    except ToolValidationError:
        _close(descriptor)
        raise
    try:
        yield OpenFile(path, descriptor, status)
    finally:
        os.close(descriptor)


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def require_regular(path: str, status: os.stat_result) -> None:
    """Do nothing for a regular file.

    Raises:
        ToolValidationError: it is something else; says what.
    """
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((words for test, words in _OTHER_KINDS if test(status.st_mode)), "of an unknown kind")
    if stat.S_ISDIR(status.st_mode):
        message = f"{told(path)} is a directory, not a regular file. List it with Glob (path={told(path)}, pattern=*)"
        raise ToolValidationError(message, check_id="file-is-directory")
    raise ToolValidationError(
        f"{told(path)} is {kind}, not a regular file; it cannot be read or written with this tool",
        check_id="file-not-regular",
    )


def unreadable(path: str, error: OSError) -> ToolValidationError:
    """The refusal that fits an ``OSError`` of opening or reading ``path``."""
    shown = shortened(path)
    if error.errno == errno.ENOENT:
        if os.path.islink(path):
            message = f"{shown} is a link to {told(os.readlink(path))}, where there is nothing"
            return ToolValidationError(message, check_id="file-dangling-link")
        return ToolValidationError(f"{shown} does not exist.{describe_missing(path)}", check_id="file-missing")
    if error.errno == errno.ENOTDIR:
        return ToolValidationError(f"{shown} does not exist.{describe_missing(path)}", check_id="file-missing")
    if error.errno in (errno.EACCES, errno.EPERM):
        message = f"no permission to read {shown}: the operating system refused it ({error.strerror})"
        return ToolValidationError(message, check_id="file-permission")
    if error.errno == errno.ELOOP:
        return ToolValidationError(f"{shown} cannot be opened: its links go in a circle", check_id="file-link-loop")
    return ToolValidationError(f"{shown} cannot be read: {error.strerror or error}", check_id="file-unreadable")


def read_whole(path: str, max_bytes: int = MAX_WHOLE_BYTES) -> bytes:
    """All bytes of the regular file at ``path``.

    Raises:
        ToolValidationError: as :func:`open_regular`, or the file is larger than ``max_bytes``.
    """
    with open_regular(path) as file:
        return read_descriptor(file, max_bytes)


def read_descriptor(file: OpenFile, max_bytes: int = MAX_WHOLE_BYTES) -> bytes:
    """All bytes of an open file, from its present position on.

    Raises:
        ToolValidationError: it is larger than ``max_bytes``, or the system failed to read it.
    """
    if file.status.st_size > max_bytes:
        raise too_large(file.path, file.status.st_size, max_bytes)
    try:
        with open(file.descriptor, "rb", buffering=0, closefd=False) as raw:
            data = raw.readall() or b""
    except OSError as error:
        raise unreadable(file.path, error) from error
    if len(data) > max_bytes:
        raise too_large(file.path, len(data), max_bytes)
    return data


def holds_exactly(path: str, data: bytes) -> bool:
    """Whether the file at ``path`` holds just these bytes; compared piece by piece, without taking it into memory.

    Raises:
        ToolValidationError: as :func:`open_regular`.
    """
    buffer, position = memoryview(bytearray(COMPARED_BYTES)), 0
    with open_regular(path) as file, open(file.descriptor, "rb", buffering=0, closefd=False) as raw:
        if file.status.st_size != len(data):
            return False
        try:
            while read := raw.readinto(buffer):
                if not data.startswith(buffer[:read], position):
                    return False
                position += read
        except OSError as error:
            raise unreadable(path, error) from error
    return position == len(data)


def too_large(path: str, size: int, max_bytes: int) -> ToolValidationError:
    return ToolValidationError(
        f"{told(path)} has {size:,} bytes; at most {max_bytes:,} can be taken into memory here. "
        "Work on a part of it with Bash (head, tail, sed -n, split)",
        check_id="file-too-large",
    )


def content_hash(data: bytes) -> str:
    """The identity of a content: its SHA-256, as hex digits."""
    return hashlib.sha256(data).hexdigest()
