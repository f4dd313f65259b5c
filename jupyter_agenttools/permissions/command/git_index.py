"""Which files a repository's index names, read from the index itself: what ``git ls-files`` prints."""

from __future__ import annotations

import os
import struct

MAX_INDEX_BYTES = 4_000_000
"""A larger index is not looked through."""

_HEADER = struct.Struct(">4sII")
_FIXED_BYTES = 62
_EXTENDED, _NAME_BITS, _PAD = 0x4000, 0x0FFF, 8


def index_names(repository: str) -> list[str] | None:
    """The paths in the index, relative to the top of the work tree.

    Args:
        repository: the ``.git`` folder.

    Returns:
        ``None`` when there is no index of a form that is read (versions 2 and 3), or when it is too large.
    """
    try:
        with open(os.path.join(repository, "index"), "rb") as file:
            data = file.read(MAX_INDEX_BYTES + 1)
    except OSError:
        return None
    if not _HEADER.size <= len(data) <= MAX_INDEX_BYTES:
        return None
    mark, version, count = _HEADER.unpack_from(data)
    if mark != b"DIRC" or version not in (2, 3):
        return None
    names, at = [], _HEADER.size
    for _ in range(count):
        if at + _FIXED_BYTES > len(data):
            return None
        (flags,) = struct.unpack_from(">H", data, at + _FIXED_BYTES - 2)
        start = at + _FIXED_BYTES + (2 if flags & _EXTENDED else 0)
        end = data.find(b"\0", start)
        if end < 0 or (flags & _NAME_BITS) not in (end - start, _NAME_BITS):
            return None
        names.append(os.fsdecode(data[start:end]))
        at += ((end - at) // _PAD + 1) * _PAD
    return names
