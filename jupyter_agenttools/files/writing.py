"""Writing a file so that at every moment it holds all of the old bytes or all of the new ones.

``safe_write`` makes a temporary file in the same folder and renames it over the target. Where the inode must stay
(hard links, an owner or attributes that cannot be given to a new file, a folder that takes no new file, a mount point)
the bytes are replaced in place, see :mod:`.in_place`.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from typing import Literal, NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import ToolError, ToolValidationError
from .in_place import WriteError, overwrite
from .opening import NOTHING_THERE, content_hash, read_whole, require_regular

TEMPORARY_PREFIX = ".agenttools-"
"""Names of temporary files; a killed process may leave one behind, the target is whole all the same."""

_CANNOT_RENAME = frozenset({errno.EBUSY, errno.EXDEV, errno.EPERM, errno.EACCES, errno.EROFS})


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


def safe_write(path: str, data: bytes, *, cancellation: Cancellation, expected_hash: str | None) -> WriteReceipt:
    """Make the file at the absolute ``path`` hold exactly ``data``.

    Links are followed and stay links; mode, owner, group and extended attributes stay; missing folders are made.
    Call it in a worker thread, inside :func:`.locks.file_lock`.

    Args:
        cancellation: looked at directly before the file changes.
        expected_hash: the hash of the content that may be replaced; ``None`` when there must be no file yet.

    Raises:
        ToolValidationError: not a regular file, not writable, or its content is not the expected one.
        WriteError: the system failed (disk full …); the old content is unchanged.
        InterruptedToolError: the call was stopped before anything changed.
    """
    target = os.path.realpath(path)
    cancellation.check()
    try:
        receipt = _write(target, data, cancellation, expected_hash)
    except OSError as error:
        raise _failed(path, error) from error
    if _present_bytes(path) != data:
        message = f"{path} was written, but reading it back gave other bytes: somebody else writes it at the same time"
        raise WriteError(message, check_id="write-not-confirmed")
    return receipt


def _write(target: str, data: bytes, cancellation: Cancellation, expected_hash: str | None) -> WriteReceipt:
    try:
        before = os.stat(target)
    except FileNotFoundError:
        before = None
    if before is None:
        _require_content(target, None, expected_hash)
        return _create(target, data, cancellation)
    require_regular(target, before)
    if expected_hash is None:
        raise _changed(target, "a file was made there meanwhile")
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        message = f"{target} is read-only for this user (mode {stat.S_IMODE(before.st_mode):04o}); it was not changed"
        raise ToolValidationError(message, check_id="file-read-only")
    if before.st_nlink == 1 and _replace(target, data, before, cancellation, expected_hash):
        return WriteReceipt(target, content_hash(data), "replaced")
    overwrite(target, data, check=lambda present: _check(target, present, cancellation, expected_hash))
    return WriteReceipt(target, content_hash(data), "in_place")


def _check(target: str, present: bytes | None, cancellation: Cancellation, expected_hash: str | None) -> None:
    """The last look before a lasting change."""
    _require_content(target, present, expected_hash)
    cancellation.check()


def _require_content(target: str, present: bytes | None, expected_hash: str | None) -> None:
    found = None if present is None else content_hash(present)
    if found != expected_hash:
        raise _changed(target, "it was deleted meanwhile" if found is None else "content changed since read")


def _changed(target: str, what: str) -> ToolValidationError:
    message = f"{target}: {what}. Nothing was written. Look at what is there now, then repeat the change on it"
    return ToolValidationError(message, check_id="content-changed")


def _present_bytes(path: str) -> bytes | None:
    try:
        return read_whole(path)
    except ToolValidationError as refusal:
        if refusal.check_id in NOTHING_THERE:
            return None
        raise


def _create(target: str, data: bytes, cancellation: Cancellation) -> WriteReceipt:
    folder, temporary = os.path.dirname(target), ""
    made: list[str] = []
    try:
        _make_folders(folder, made)
        temporary = _write_temporary(folder, data, mode=0o666)
        cancellation.check()
        _publish(temporary, target)
    except BaseException:
        _discard(temporary)
        for folder in reversed(made):
            with suppress(OSError):  # somebody else may use it by now
                os.rmdir(folder)
        raise
    _sync_folder(folder)
    return WriteReceipt(target, content_hash(data), "created")


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


def _replace(
    target: str, data: bytes, before: os.stat_result, cancellation: Cancellation, expected_hash: str | None
) -> bool:
    """Put a new file under the old name. ``False`` when that cannot keep everything that must stay."""
    folder, temporary = os.path.dirname(target), ""
    try:
        temporary = _write_temporary(folder, data, mode=0o600)
        if not _take_over(target, temporary, before):
            _discard(temporary)
            return False
        _check(target, _present_bytes(target), cancellation, expected_hash)
        os.replace(temporary, target)
    except OSError as error:
        _discard(temporary)
        if error.errno in _CANNOT_RENAME:
            return False
        raise
    except BaseException:
        _discard(temporary)
        raise
    _sync_folder(folder)
    return True


def _write_temporary(folder: str, data: bytes, mode: int) -> str:
    """A new file in ``folder`` that holds ``data`` on the disk itself, not only in its cache."""
    name = os.path.join(folder, f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        _discard(name)
        raise
    return name


def _take_over(target: str, temporary: str, before: os.stat_result) -> bool:
    """Give ``temporary`` the owner, group, attributes and mode of ``target``. ``False`` when that is not allowed."""
    own = os.stat(temporary)
    try:
        if (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
            os.chown(temporary, before.st_uid, before.st_gid)
        os.chmod(temporary, stat.S_IMODE(before.st_mode))
        _copy_attributes(target, temporary)
    except PermissionError:
        return False
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.EINVAL, errno.ENOSYS):
            return False
        raise
    after = os.stat(temporary)
    return (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)


def _copy_attributes(source: str, target: str) -> None:
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(source)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return
        raise
    for name in names:
        value = os.getxattr(source, name)
        if name not in os.listxattr(target) or os.getxattr(target, name) != value:
            os.setxattr(target, name, value)


def _make_folders(folder: str, made: list[str]) -> None:
    """Make ``folder`` and what is missing above it; each is added to ``made``, outermost first."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        try:
            os.mkdir(path)
        except FileExistsError:
            if not os.path.isdir(path):
                raise
        else:
            made.append(path)


def _discard(temporary: str) -> None:
    if temporary and os.path.lexists(temporary):
        os.unlink(temporary)


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power cut, where the file system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return  # a folder that may be written but not read
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def _failed(path: str, error: OSError) -> ToolError:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        message = f"{path} could not be written: {reason}. What was there before is unchanged; make room first"
        return WriteError(message, check_id="write-no-space")
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        message = f"{path} cannot be made: a part of its path is a file, not a folder"
        return ToolValidationError(message, check_id="path-not-a-folder")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        message = f"no permission to write {path}: {reason}. Nothing was changed"
        return ToolValidationError(message, check_id="write-permission")
    return WriteError(f"{path} could not be written: {reason}. Nothing was changed", check_id="write-failed")
