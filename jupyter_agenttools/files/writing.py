"""Writing a file so that at every moment it holds all of the old bytes or all of the new ones.

``safe_write`` makes a temporary file in the same folder and renames it over the target. Where the inode must stay
(hard links, an owner or attributes that cannot be given to a new file, a folder that takes no new file, a mount point)
the bytes are replaced in place, see :mod:`.in_place`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import Literal, NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import ToolError, ToolValidationError
from .hashing import BackgroundHash
from .in_place import WriteError, overwrite
from .opening import NOTHING_THERE, content_hash, holds_exactly, read_whole, require_regular, unreadable
from .temporary import make_folders, sync_folder, take_over, temporary_name, write_temporary
from .unfinished import recover_writes

_CANNOT_RENAME = frozenset({errno.EBUSY, errno.EXDEV, errno.EPERM, errno.EACCES, errno.EROFS})

_KERNEL_FOLDERS = ("/proc", "/sys", "/sys/fs/cgroup", "/sys/kernel/debug", "/sys/kernel/security")


class WriteReceipt(NamedTuple):
    """A write that was confirmed by reading it back.

    Attributes:
        path: the file that holds the bytes, links resolved.
        content_hash: SHA-256 of what it holds now, hex.
        how: ``created``, ``replaced`` (a new inode under the old name) or ``in_place``.
    """

    path: str
    content_hash: str
    how: Literal["created", "replaced", "in_place"]


class _Expected(NamedTuple):
    """The content that may be replaced: its bytes where they are at hand, which are compared faster, else its hash."""

    data: bytes | None
    hash: str | None

    @property
    def nothing(self) -> bool:
        return self.data is None and self.hash is None

    def fits(self, present: bytes) -> bool:
        return present == self.data if self.data is not None else content_hash(present) == self.hash

    def is_at(self, path: str) -> bool:
        """Raises ToolValidationError: nothing is there."""
        return holds_exactly(path, self.data) if self.data is not None else content_hash(read_whole(path)) == self.hash


def safe_write(
    path: str,
    data: bytes,
    *,
    cancellation: Cancellation,
    expected_hash: str | None,
    expected: bytes | None = None,
    new_mode: int | None = None,
    folders_to_sync: set[str] | None = None,
) -> WriteReceipt:
    """Make the file at the absolute ``path`` hold exactly ``data``.

    Links are followed and stay links; mode, owner, group and extended attributes stay; missing folders are made.
    Call it in a worker thread, inside :func:`.locks.file_lock`.

    Args:
        cancellation: looked at directly before the file changes.
        expected_hash: the hash of the content that may be replaced; ``None`` when there must be no file yet.
        expected: that content itself; where it is given the hash is not needed, and comparing is faster than hashing.
        new_mode: permission bits of a file that is made; by default what the process gives to its new files.
        folders_to_sync: for whoever writes many files: gets the folders that the caller has to sync at the end, so that
            the new names last through a power cut; by default that is done here.

    Raises:
        ToolValidationError: not a regular file, not writable, or its content is not the expected one.
        WriteError: the system failed (disk full …); the old content is unchanged.
        InterruptedToolError: the call was stopped before anything changed.
    """
    cancellation.check()
    recover_writes()
    target, hashing = os.path.realpath(path), BackgroundHash(data)
    try:
        how = _write(target, data, cancellation, _Expected(expected, expected_hash), new_mode)
        if how != "in_place":
            _sync_later(os.path.dirname(target), folders_to_sync)
    except OSError as error:
        raise _failed(path, error) from error
    finally:
        written = hashing.hexdigest()
    if not _is_confirmed(path, data):
        message = f"{path} was written, but reading it back gave other bytes: somebody else writes it at the same time"
        raise WriteError(message, check_id="write-not-confirmed")
    return WriteReceipt(target, written, how)


def _sync_later(folder: str, folders_to_sync: set[str] | None) -> None:
    if folders_to_sync is None:
        sync_folder(folder)
    else:
        folders_to_sync.add(folder)


def _is_confirmed(path: str, data: bytes) -> bool:
    try:
        return holds_exactly(path, data)
    except ToolValidationError as refusal:
        if refusal.check_id in NOTHING_THERE:
            return False
        raise


def _write(
    target: str, data: bytes, cancellation: Cancellation, expected: _Expected, new_mode: int | None
) -> Literal["created", "replaced", "in_place"]:
    try:
        before = os.stat(target)
    except FileNotFoundError:
        if not expected.nothing:
            raise _changed(target, "it was deleted meanwhile") from None
        _create(target, data, cancellation, new_mode)
        return "created"
    _require_writable(target, before)
    if expected.nothing:
        raise _changed(target, "a file was made there meanwhile")
    if before.st_nlink == 1 and _replace(target, data, before, cancellation, expected):
        return "replaced"

    def check(present: bytes) -> None:
        if not expected.fits(present):
            raise _changed(target, "content changed since read")
        cancellation.check()

    overwrite(target, data, check)
    return "in_place"


def _require_writable(target: str, status: os.stat_result) -> None:
    require_regular(target, status)
    if _is_of_the_kernel(status):
        message = f"{target} is not a file on a disk but a switch of the system's kernel. Use Bash to set it"
        raise ToolValidationError(message, check_id="file-of-the-kernel")
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        message = f"{target} is read-only for this user (mode {stat.S_IMODE(status.st_mode):04o}); it was not changed"
        raise ToolValidationError(message, check_id="file-read-only")


def _is_of_the_kernel(status: os.stat_result) -> bool:
    if status.st_blocks:
        return False
    for folder in _KERNEL_FOLDERS:
        with suppress(OSError):
            if os.path.ismount(folder) and os.stat(folder).st_dev == status.st_dev:
                return True
    return False


def _changed(target: str, what: str) -> ToolValidationError:
    message = f"{target}: {what}. Nothing was written. Look at what is there now, then repeat the change on it"
    return ToolValidationError(message, check_id="content-changed")


def _create(target: str, data: bytes, cancellation: Cancellation, new_mode: int | None) -> None:
    folder = os.path.dirname(target)
    made: list[str] = []
    try:
        make_folders(folder, made)
        with temporary_name(folder) as temporary:
            write_temporary(temporary, data, mode=0o666 if new_mode is None else 0o600)
            if new_mode is not None:
                os.chmod(temporary, new_mode)
            cancellation.check()
            _publish(temporary, target)
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):  # somebody else may use it by now
                os.rmdir(path)
        raise


def _publish(temporary: str, target: str) -> None:
    """Give ``temporary`` the name ``target``, which must still be free."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _changed(target, "a file was made there meanwhile") from None
    except OSError:  # a file system without hard links
        if os.path.lexists(target):
            raise _changed(target, "a file was made there meanwhile") from None
        os.rename(temporary, target)
        return
    os.unlink(temporary)


def _replace(target: str, data: bytes, before: os.stat_result, cancellation: Cancellation, expected: _Expected) -> bool:
    """Put a new file under the old name. ``False`` when that cannot keep everything that must stay."""
    folder = os.path.dirname(target)
    try:
        with temporary_name(folder) as temporary:
            write_temporary(temporary, data, mode=0o600)
            if not take_over(target, temporary, before):
                return False
            _check(target, cancellation, expected)
            os.replace(temporary, target)
    except OSError as error:
        if error.errno in _CANNOT_RENAME:
            return False
        raise
    return True


def _check(target: str, cancellation: Cancellation, expected: _Expected) -> None:
    """The last look before the file changes."""
    try:
        same = expected.is_at(target)
    except ToolValidationError as refusal:
        if refusal.check_id in NOTHING_THERE:
            raise _changed(target, "it was deleted meanwhile") from None
        raise
    if not same:
        raise _changed(target, "content changed since read")
    cancellation.check()


def _failed(path: str, error: OSError) -> ToolError:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        message = f"{path} could not be written: {reason}. What was there before is unchanged; make room first"
        return WriteError(message, check_id="write-no-space")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        message = f"{path} cannot be made: a part of its path is a file, not a folder"
        return ToolValidationError(message, check_id="path-not-a-folder")
    if error.errno == errno.ELOOP:
        return unreadable(path, error)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        message = f"no permission to write {path}: {reason}. Nothing was changed"
        return ToolValidationError(message, check_id="write-permission")
    return WriteError(f"{path} could not be written: {reason}. Nothing was changed", check_id="write-failed")
