"""What does a path hold? Content by its hash, mode, link target: enough to tell states apart and to make one again."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

HeldKind = Literal["missing", "file", "link", "folder", "other"]


@dataclass(frozen=True)
class Held:
    """What a path holds, a link at its end not followed.

    Args:
        kind: ``other`` is a device, a pipe or a socket.
        digest: SHA-256 of a file's bytes, hex; ``""`` when nobody looked at them.
        size: of a file, in bytes.
        mode: permission bits.
        uid, gid: who owns it.
        target: where a link points to, as written in it.
    """

    kind: HeldKind
    digest: str = ""
    size: int = 0
    mode: int = 0
    uid: int = -1
    gid: int = -1
    target: str = ""

    def same_content(self, other: Held | None) -> bool:
        """Whether both are the same but for mode and owner. Bytes that nobody looked at are the same as nothing."""
        if other is None or (self.kind, self.target) != (other.kind, other.target):
            return False
        return self.kind != "file" or (self.digest == other.digest and self.digest != "")

    def same(self, other: Held | None) -> bool:
        """Whether both are the same, the mode of files and folders included."""
        return other is not None and self.same_content(other) and (self.kind == "link" or self.mode == other.mode)

    def to_json(self) -> list[Any]:
        return [self.kind, self.digest, self.size, self.mode, self.uid, self.gid, self.target]


MISSING = Held("missing")

_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


class Identity(NamedTuple):
    """What changes when a file changes, without a look at its bytes; the times are in nanoseconds."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def identity_of(status: os.stat_result) -> Identity:
    return Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def held_by(path: str, status: os.stat_result, digest: str = "") -> Held:
    """What ``path`` holds, by its ``lstat``; of a file with the hash that the caller knows.

    Raises:
        OSError: it is a link that is gone by now.
    """
    mode, uid, gid = stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid
    if stat.S_ISREG(status.st_mode):
        return Held("file", digest, status.st_size, mode, uid, gid)
    if stat.S_ISLNK(status.st_mode):
        return Held("link", target=os.readlink(path), uid=uid, gid=gid)
    return Held("folder" if stat.S_ISDIR(status.st_mode) else "other", mode=mode, uid=uid, gid=gid)


def status_of(path: str) -> os.stat_result | None:
    """The ``lstat`` of ``path``, ``None`` when there is nothing.

    Raises:
        OSError: nobody can tell, e.g. as the folder may not be searched.
    """
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise
