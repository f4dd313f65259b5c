"""Replacing a file's bytes where its inode must stay.

That cannot be done in one step. When the system fails half way the old bytes are put back at once; when the process is
killed half way they are put back by whoever comes next, see :mod:`.unfinished`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import ExitStack, suppress

from ..core.errors import ToolError
from ..core.home import agenttools_home
from .unfinished import Record, Replacement, common_prefix, noted_replacement, replace_bytes


class WriteError(ToolError):
    """The operating system did not do what was asked; the message says what the file holds now."""

    kind = "WriteError"
    retryable = True


def overwrite(path: str, data: bytes, check: Callable[[bytes], None]) -> None:
    """Put ``data`` into the existing regular file at ``path``, which is no link.

    Args:
        check: called with the present bytes directly before the first change; what it raises stops the write.

    Raises:
        OSError: the system failed; the old bytes are back.
        WriteError: nothing was changed because a crash could not be undone; or the system failed, and failed again
            when the old bytes were put back.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        old = _read(descriptor)
        check(old)
        if old != data:
            _replace(descriptor, Replacement(path, old, data, common_prefix(old, data)))
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:  # writing takes the set-user-ID bit away
            with suppress(PermissionError):
                os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


def _replace(descriptor: int, replacement: Replacement) -> None:
    with ExitStack() as stack:
        try:
            record = stack.enter_context(noted_replacement(replacement))
        except OSError as error:
            raise _not_noted(replacement.target, error) from error
        try:
            _reserve(descriptor, len(replacement.old), len(replacement.new))
            replace_bytes(descriptor, replacement.kept, replacement.new[replacement.kept :])
        except BaseException:
            _restore(descriptor, replacement, record)
            raise
        record.settled = True


def _not_noted(path: str, error: OSError) -> WriteError:
    checks = {errno.ENOSPC: "write-no-space", errno.EDQUOT: "write-no-space", errno.EFBIG: "write-failed"}
    return WriteError(
        f"{path} was not changed. Its bytes would have to be replaced in place (it has other hard links, or its folder "
        f"or owner allow nothing else), and the copy that protects them meanwhile cannot be made below "
        f"{agenttools_home()}: {error.strerror or error}",
        check_id=checks.get(error.errno or 0, "write-no-safety-copy"),
    )


def _restore(descriptor: int, replacement: Replacement, record: Record) -> None:
    try:
        replace_bytes(descriptor, replacement.kept, replacement.old[replacement.kept :])
    except OSError as error:
        message = (
            f"{replacement.target} is damaged for now: writing failed, and so did putting the old "
            f"{len(replacement.old):,} bytes back ({error}). It is tried again when the file is next opened here"
        )
        raise WriteError(message, check_id="write-damaged") from error
    record.settled = True


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
