"""A file's content as the tools read it: its identity, where its lines begin, and any piece of it.

Small files are held in memory. Of large ones only a sparse index is kept (how many lines begin before each block),
so that a window far down is found without reading what stands before it again.
"""

from __future__ import annotations

import bisect
import hashlib
import os
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import ToolValidationError
from .encoding import TextFormat, decode_visibly, text_format
from .kinds import HEAD_BYTES, binary_kind
from .opening import OpenFile, open_regular, read_descriptor, too_large, unreadable

BLOCK_BYTES = 65_536
PIECE_BYTES = 16 * BLOCK_BYTES
IN_MEMORY_BYTES = 8 << 20
"""Files up to this size are read once and held while they are looked at."""

MAX_WIDE_BYTES = 64 << 20
"""UTF-16 and UTF-32 texts are converted as a whole, which is done up to this size."""

SETTLED_NS = 2_000_000_000
"""A file that changed less than 2 s before it was read may change again within the same tick of the file system's clock
(FAT counts in 2 s); its index is not kept."""

MAX_INDEXES = 32


class FileIdentity(NamedTuple):
    """What tells apart two states of a file without reading it. The change time cannot be set back by programs."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileIdentity:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True)
class LineIndex:
    """Where the lines of a content begin.

    Args:
        content_hash: SHA-256 of the whole content, hex.
        size: its length in bytes.
        newlines_before: how many line feeds stand before each block of :data:`BLOCK_BYTES`, and before the end.
        total_lines: a last line without a line feed counts.
    """

    content_hash: str
    size: int
    newlines_before: array[int]
    total_lines: int

    @property
    def newlines(self) -> int:
        """How many line feeds there are; one less than ``total_lines`` when the last line has none."""
        return self.newlines_before[-1]


@dataclass(frozen=True)
class Content:
    """A text content, ready to be looked at; valid inside :func:`open_content` only.

    Args:
        path: of the file.
        form: the file's own encoding. ``read`` always gives UTF-8: wide encodings have been converted.
        index: where its lines begin. Its hash is that of the bytes on disk, also of converted ones.
        decodes: whether a converted content was in its encoding throughout.
    """

    path: str
    form: TextFormat
    index: LineIndex
    decodes: bool
    _data: bytes | None
    _descriptor: int

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes from byte ``offset`` on."""
        if self._data is not None:
            return self._data[offset : offset + length]
        return os.pread(self._descriptor, length, offset)

    def line_start(self, line: int) -> int:
        """The byte at which a line begins; ``line`` counts from 0 and must be below ``total_lines``."""
        if line == 0:
            return len(self.form.mark) if self.form.encoding == "utf-8" else 0
        block = bisect.bisect_left(self.index.newlines_before, line) - 1
        start = block * BLOCK_BYTES
        data = self.read(start, BLOCK_BYTES)
        position = -1
        for _ in range(line - self.index.newlines_before[block]):
            position = data.index(b"\n", position + 1)
        return start + position + 1


@contextmanager
def open_content(path: str, cancellation: Cancellation) -> Iterator[Content]:
    """Open the text file at the absolute ``path``.

    Raises:
        ToolValidationError: as :func:`open_regular`; or it is binary (the kind is named), or changed while it was read.
        InterruptedToolError: the call was stopped.
    """
    with open_regular(path) as file:
        form = _require_text(file)
        if form.encoding != "utf-8":
            yield _converted(file, form)
        elif file.status.st_size <= IN_MEMORY_BYTES:
            data = read_descriptor(file)
            yield Content(path, form, index_bytes(data), True, data, -1)
        else:
            yield Content(path, form, _indexed(file, cancellation), True, None, file.descriptor)


def _require_text(file: OpenFile) -> TextFormat:
    try:
        head = os.pread(file.descriptor, HEAD_BYTES, 0)
    except OSError as error:
        raise unreadable(file.path, error) from error
    form = text_format(head)
    kind = None if form.mark else binary_kind(head)
    if kind is not None:
        raise ToolValidationError(
            f"{file.path} is {kind}, not text ({file.status.st_size:,} bytes); it cannot be shown as lines. "
            "Use a program for that format through Bash",
            check_id="file-binary",
        )
    return form


def _converted(file: OpenFile, form: TextFormat) -> Content:
    if file.status.st_size > MAX_WIDE_BYTES:
        raise too_large(file.path, file.status.st_size, MAX_WIDE_BYTES)
    raw = read_descriptor(file)
    text, decodes = decode_visibly(raw, form)
    data = text.encode("utf-8", "backslashreplace")
    index = index_bytes(data)
    of_disk = LineIndex(hashlib.sha256(raw).hexdigest(), index.size, index.newlines_before, index.total_lines)
    return Content(file.path, form, of_disk, decodes, data, -1)


def index_bytes(data: bytes) -> LineIndex:
    """The index of a content that is in memory."""
    counter = _Counter()
    counter.add(data, len(data))
    return counter.index()


def _indexed(file: OpenFile, cancellation: Cancellation) -> LineIndex:
    """The index of a large file: the kept one while the file is the same, else made by reading it once."""
    identity = FileIdentity.of(file.status)
    kept = _indexes.get(identity)
    if kept is not None:
        return kept
    index = _read_index(file, cancellation)
    if FileIdentity.of(os.fstat(file.descriptor)) != identity:
        message = f"{file.path} changed while it was being read; read it again"
        raise ToolValidationError(message, check_id="file-changing")
    if time.time_ns() - identity.ctime_ns > SETTLED_NS:
        _indexes.put(identity, index)
    return index


def _read_index(file: OpenFile, cancellation: Cancellation) -> LineIndex:
    counter, buffer, offset = _Counter(), bytearray(PIECE_BYTES), 0
    try:
        while filled := _fill(file.descriptor, buffer, offset):
            cancellation.check()
            counter.add(buffer, filled)
            offset += filled
    except OSError as error:
        raise unreadable(file.path, error) from error
    return counter.index()


def _fill(descriptor: int, buffer: bytearray, offset: int) -> int:
    """Read until ``buffer`` is full or the file ends, so that blocks stay aligned."""
    filled, view = 0, memoryview(buffer)
    while filled < len(buffer) and (count := os.preadv(descriptor, [view[filled:]], offset + filled)):
        filled += count
    return filled


class _Counter:
    """Takes a content piece by piece (each but the last a whole number of blocks) and makes its index."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._before = array("Q", [0])
        self._size = 0
        self._last = b"\n"

    def add(self, piece: bytes | bytearray, length: int) -> None:
        newlines = self._before[-1]
        for start in range(0, length, BLOCK_BYTES):
            end = min(start + BLOCK_BYTES, length)
            newlines += piece.count(b"\n", start, end)
            self._before.append(newlines)
        if length:
            self._hash.update(memoryview(piece)[:length])
            self._last = bytes(piece[length - 1 : length])
        self._size += length

    def index(self) -> LineIndex:
        total = self._before[-1] + (self._last != b"\n")
        return LineIndex(self._hash.hexdigest(), self._size, self._before, total)


class _Indexes:
    """The indexes of large files that were read lately, oldest out first. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[FileIdentity, LineIndex] = OrderedDict()

    def get(self, identity: FileIdentity) -> LineIndex | None:
        with self._lock:
            if identity in self._kept:
                self._kept.move_to_end(identity)
            return self._kept.get(identity)

    def put(self, identity: FileIdentity, index: LineIndex) -> None:
        with self._lock:
            self._kept[identity] = index
            while len(self._kept) > MAX_INDEXES:
                self._kept.popitem(last=False)


_indexes = _Indexes()
