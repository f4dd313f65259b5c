"""A temporary file beside the file that it will replace, with everything that must stay as it was."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from .unfinished import TEMPORARY_PREFIX, TEMPORARY_SUFFIX, noted_temporary

_NO_ATTRIBUTES = frozenset({errno.ENOTSUP, errno.EINVAL, errno.ENOSYS})


@contextmanager
def temporary_name(folder: str) -> Iterator[str]:
    """A free name in ``folder``. What still has it at the end is removed; after a kill the next process does that."""
    name = os.path.join(folder, f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{TEMPORARY_SUFFIX}")
    with noted_temporary(name):
        try:
            yield name
        finally:
            if os.path.lexists(name):
                os.unlink(name)


def write_temporary(name: str, data: bytes, mode: int) -> None:
    """Make the file ``name`` with ``data`` on the disk itself, not only in its cache."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, mode)
    try:
        view, position = memoryview(data), 0
        while position < len(data):
            position += os.write(descriptor, view[position:])
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def take_over(target: str, temporary: str, before: os.stat_result) -> bool:
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
        if error.errno in _NO_ATTRIBUTES:
            return False
        raise
    after = os.stat(temporary)
    return (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)


def _copy_attributes(source: str, target: str) -> None:
    """Extended attributes, access control lists among them. Those that only the new file has (a default list of its
    folder) go."""
    if not hasattr(os, "listxattr"):
        return
    try:
        names, own = os.listxattr(source), os.listxattr(target)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return
        raise
    for name in set(own) - set(names):
        os.removexattr(target, name)
    for name in names:
        value = os.getxattr(source, name)
        if name not in own or os.getxattr(target, name) != value:
            os.setxattr(target, name, value)


def make_folders(folder: str, made: list[str]) -> None:
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


def sync_folder(folder: str) -> None:
    """Make a new name last through a power cut, where the file system can."""
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
