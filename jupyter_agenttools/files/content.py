"""A file's content as the tools read it: its identity, where its lines begin, and any piece of it.

Small files are held in memory. Of large ones only a sparse index is kept (how many lines begin before each block),
so that a window far down is found without reading what stands before it again.
"""

from __future__ import annotations

import bisect
import errno
import hashlib
import os
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import ToolValidationError
from .encoding import MAX_DETECTED_BYTES, TextFormat, decode_visibly, detect_format, text_format
from .hashing import BackgroundHash, HashThread, LateHash
from .kinds import HEAD_BYTES, binary_kind
from .opening import MAX_WHOLE_BYTES, OpenFile, content_hash, open_regular, read_descriptor, unreadable

BLOCK_BYTES = 16_384
READ_BYTES = 16 * BLOCK_BYTES
PIECE_BYTES = 64 * BLOCK_BYTES
IN_MEMORY_BYTES = MAX_DETECTED_BYTES
"""Files up to this size are read once and held while they are looked at."""

MAX_WIDE_BYTES = 64 << 20
"""UTF-16 and UTF-32 texts are converted as a whole, which is done up to this size."""

SETTLED_NS = 2_000_000_000
"""A file that changed less than 2 s before it was read may change again within the same tick of the file system's clock
(FAT counts in 2 s); its index is not kept."""

MAX_INDEXES = 32
STAT_BLOCK_BYTES = 512
"""In which ``st_blocks`` counts, whatever the file system does."""

OnProgress = Callable[[int, int], object]


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
        hash: SHA-256 of the whole content; of a large file it is taken later, because that takes longer than to look
            at some lines.
        size: its length in bytes.
        newlines_before: how many line feeds stand before each block of :data:`BLOCK_BYTES`, and before the end.
        total_lines: a last line without a line feed counts.
        holes: bytes of it that nobody ever wrote; they read as NUL.
    """

    hash: LateHash
    size: int
    newlines_before: array[int]
    total_lines: int
    holes: int = 0

    @property
    def content_hash(self) -> str:
        """The hash in hex, waited for; ``""`` when the file changed before it was taken."""
        return self.hash.digest()

    @property
    def newlines(self) -> int:
        """How many line feeds there are; one less than ``total_lines`` when the last line has none."""
        return self.newlines_before[-1]


class KnownText(NamedTuple):
    """What is kept of a large text: its encoding and where its lines begin."""

    form: TextFormat
    index: LineIndex


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
        """The byte at which a line begins; ``line`` counts from 0. Beyond the last line: the end.

        Raises:
            ToolValidationError: the file is no longer what the index was made of.
        """
        if line == 0:
            return len(self.form.mark) if self.form.encoding == "utf-8" else 0
        if line > self.index.newlines:
            return self.index.size
        block = bisect.bisect_left(self.index.newlines_before, line) - 1
        start = block * BLOCK_BYTES
        data = self.read(start, BLOCK_BYTES)
        pieces = data.split(b"\n", line - self.index.newlines_before[block])
        if len(pieces) <= line - self.index.newlines_before[block]:
            raise _changing(self.path)
        return start + len(data) - len(pieces[-1])

    def lines(self, first: int, count: int, max_bytes: int) -> bytes | None:
        """The bytes of ``count`` lines from line ``first`` (from 0) on, which must be there; ``None`` when they are
        more than about ``max_bytes``.

        Raises:
            ToolValidationError: the file is no longer what the index was made of.
        """
        start = self.line_start(first)
        if first + count > self.index.newlines:
            size = self.index.size - start
            return self.read(start, size) if size <= max_bytes else None
        blocks = bisect.bisect_left(self.index.newlines_before, first + count)
        size = min(blocks * BLOCK_BYTES, self.index.size) - start
        if size > max_bytes + BLOCK_BYTES:
            return None
        data = self.read(start, size)
        pieces = data.split(b"\n", count)
        if len(pieces) <= count:
            raise _changing(self.path)
        return data[: len(data) - len(pieces[-1])]


@contextmanager
def open_content(path: str, cancellation: Cancellation, on_progress: OnProgress | None = None) -> Iterator[Content]:
    """Open the text file at the absolute ``path``.

    Args:
        on_progress: told how many bytes of a large file have been looked through, and of how many.

    Raises:
        ToolValidationError: as :func:`open_regular`; or it is binary (the kind is named), or it changed before the
            block that looks at it had ended.
        InterruptedToolError: the call was stopped.
    """
    with open_regular(path) as file:
        if file.status.st_size <= IN_MEMORY_BYTES:
            content = _held(file)
            yield content
            content.index.hash.digest()  # it was taken meanwhile
            return
        known = _indexes.get(FileIdentity.of(file.status))
        if known is None:
            head = _head(file)
            form = text_format(head)
            if not form.is_plain:
                yield _converted(file, form, read_descriptor(file, MAX_WIDE_BYTES))
                return
            _require_text(file, form, head)
            known = _indexed(file, form, _Watch(cancellation, on_progress, file.status.st_size))
        yield Content(path, known.form, known.index, True, None, file.descriptor)
        _require_same(file)


def _held(file: OpenFile) -> Content:
    data = read_descriptor(file)
    form = detect_format(data)
    if not form.is_wide:
        _require_text(file, form, data[:HEAD_BYTES])
    if not form.is_plain:
        return _converted(file, form, data)
    return Content(file.path, form, index_bytes(data), True, data, -1)


def _head(file: OpenFile) -> bytes:
    try:
        return os.pread(file.descriptor, HEAD_BYTES, 0)
    except OSError as error:
        raise unreadable(file.path, error) from error


def _require_text(file: OpenFile, form: TextFormat, head: bytes) -> None:
    kind = None if form.mark else binary_kind(head)
    if kind is not None:
        raise ToolValidationError(
            f"{file.path} is {kind}, not text ({file.status.st_size:,} bytes); it cannot be shown as lines. "
            "Use a program for that format through Bash",
            check_id="file-binary",
        )


def _converted(file: OpenFile, form: TextFormat, raw: bytes) -> Content:
    text, decodes = decode_visibly(raw, form)
    data = text.encode("utf-8", "backslashreplace")
    index = index_bytes(data)
    of_disk = LineIndex(LateHash.known(content_hash(raw)), index.size, index.newlines_before, index.total_lines)
    return Content(file.path, form, of_disk, decodes, data, -1)


def index_bytes(data: bytes) -> LineIndex:
    """The index of a content that is in memory."""
    counter, hashing = _Counter(), BackgroundHash(data)
    counter.add(data, 0, len(data))
    return counter.index(LateHash(hashing.hexdigest))


class _Watch(NamedTuple):
    """Whoever waits for a large file to be looked through: may stop it, and is told how far it is."""

    cancellation: Cancellation
    on_progress: OnProgress | None
    size: int

    def at(self, offset: int) -> None:
        self.cancellation.check()
        if self.on_progress is not None:
            self.on_progress(offset, self.size)


def _indexed(file: OpenFile, form: TextFormat, watch: _Watch) -> KnownText:
    """What is known of a large file once it has been read; kept while the file is the same."""
    identity = FileIdentity.of(file.status)
    settled = time.time_ns() - identity.ctime_ns > SETTLED_NS
    known = KnownText(form, _read_index(file, watch, settled))
    _require_same(file)
    if settled:
        _indexes.put(identity, known)
    return known


def _require_same(file: OpenFile) -> None:
    if FileIdentity.of(os.fstat(file.descriptor)) != FileIdentity.of(file.status):
        raise _changing(file.path)


def _changing(path: str) -> ToolValidationError:
    message = f"{path} changed while it was being read; read it again"
    return ToolValidationError(message, check_id="file-changing")


def _read_index(file: OpenFile, watch: _Watch, settled: bool) -> LineIndex:
    """The index of a file, from reading all of it. ``settled``: its identity tells whether it is still the same when
    its hash is needed. Of a file that is too large to be changed by a tool the hash is never needed at once."""
    try:
        counted = _counted if settled or file.status.st_size > MAX_WHOLE_BYTES else _counted_and_hashed
        return counted(file, watch)
    except OSError as error:
        raise unreadable(file.path, error) from error


def _counted(file: OpenFile, watch: _Watch) -> LineIndex:
    counter, buffer, offset = _Counter(), bytearray(READ_BYTES), 0
    is_sparse = file.status.st_blocks * STAT_BLOCK_BYTES < file.status.st_size
    while True:
        if is_sparse and (hole := _hole_at(file, offset)):
            counter.skip(hole)
            offset += hole
        if not (filled := _fill(file.descriptor, memoryview(buffer), offset)):
            break
        watch.at(offset)
        counter.add(buffer, 0, filled)
        offset += filled
    path, identity = file.path, FileIdentity.of(file.status)
    return counter.index(LateHash(lambda: _hash_of(path, identity)))


def _hole_at(file: OpenFile, offset: int) -> int:
    """How many bytes from a block on were never written: whole blocks, or all up to the end."""
    try:
        data = os.lseek(file.descriptor, offset, os.SEEK_DATA)
    except OSError as error:
        return max(file.status.st_size - offset, 0) if error.errno == errno.ENXIO else 0
    return (data - offset) // BLOCK_BYTES * BLOCK_BYTES


def _hash_of(path: str, identity: FileIdentity) -> str:
    """The hash of a file that is still the one of ``identity``, else ``""``."""
    hashing, buffer, offset = hashlib.sha256(), memoryview(bytearray(PIECE_BYTES)), 0
    try:
        with open_regular(path) as file:
            if FileIdentity.of(file.status) != identity:
                return ""
            while filled := _fill(file.descriptor, buffer, offset):
                hashing.update(buffer[:filled])
                offset += filled
            return hashing.hexdigest() if FileIdentity.of(os.fstat(file.descriptor)) == identity else ""
    except (OSError, ToolValidationError):
        return ""


def _counted_and_hashed(file: OpenFile, watch: _Watch) -> LineIndex:
    """For a file that changed just now: the hash is of the same bytes, and another thread takes it meanwhile."""
    counter, hashing, offset = _Counter(), HashThread(READ_BYTES), 0
    with hashing:
        while filled := _fill(file.descriptor, memoryview(buffer := hashing.buffer()), offset):
            watch.at(offset)
            counter.add(buffer, 0, filled)
            hashing.add(filled)
            offset += filled
    return counter.index(LateHash.known(hashing.hexdigest()))


def _fill(descriptor: int, view: memoryview, offset: int) -> int:
    """Read until ``view`` is full or the file ends, so that blocks stay aligned."""
    filled = 0
    while filled < len(view) and (count := os.preadv(descriptor, [view[filled:]], offset + filled)):
        filled += count
    return filled


class _Counter:
    """Takes a content piece by piece (each but the last a whole number of blocks) and counts its lines."""

    def __init__(self) -> None:
        self._before = array("Q", [0])
        self._size = self._holes = 0
        self._last = b"\n"

    def add(self, data: bytes | bytearray, first: int, end: int) -> None:
        newlines, count, append = self._before[-1], data.count, self._before.append
        for start in range(first, end, BLOCK_BYTES):
            newlines += count(b"\n", start, min(start + BLOCK_BYTES, end))
            append(newlines)
        if end > first:
            self._last = bytes(data[end - 1 : end])
        self._size += end - first

    def skip(self, length: int) -> None:
        """The same for bytes that are all NUL."""
        self._before.extend(array("Q", [self._before[-1]]) * -(-length // BLOCK_BYTES))
        self._last = b"\0"
        self._size += length
        self._holes += length

    def index(self, hash: LateHash) -> LineIndex:
        total = self._before[-1] + (self._last != b"\n")
        return LineIndex(hash, self._size, self._before, total, self._holes)


class _Indexes:
    """The indexes of large files that were read lately, oldest out first. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[FileIdentity, KnownText] = OrderedDict()

    def get(self, identity: FileIdentity) -> KnownText | None:
        with self._lock:
            if identity in self._kept:
                self._kept.move_to_end(identity)
            return self._kept.get(identity)

    def put(self, identity: FileIdentity, known: KnownText) -> None:
        with self._lock:
            self._kept[identity] = known
            while len(self._kept) > MAX_INDEXES:
                self._kept.popitem(last=False)


_indexes = _Indexes()
