"""What has been read so far, by whom, and which content it was: the field's ``readFileState``."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..core.blocks import Message, ToolResultBlock
from .hashing import LateHash, digest_of
from .judged import JudgedCalls
from .shifts import LineShift, shifted

if TYPE_CHECKING:
    from ..core.context import ToolUseContext

MAX_RECORDS = 2_000
"""A record that is pushed out only means that the file has to be read again."""


@dataclass(frozen=True)
class FileView:
    """One look at a part of a file.

    Args:
        offset, limit: as asked for, defaults filled in.
        first, last: the units (lines, cells of a notebook, pages of a PDF) that were shown, from 1; ``last < first``
            for none.
        tool_use_id: the call whose result holds it.
        pages: of a PDF, the pages that were asked for, ``""`` for none in particular.
    """

    offset: int
    limit: int
    first: int
    last: int
    tool_use_id: str
    pages: str = ""


@dataclass(frozen=True)
class ReadRecord:
    """What one reader knows of one file.

    Args:
        content_hash: SHA-256 of the bytes, hex.
        total: how many lines (or cells) they hold.
        views: the parts that were shown, of this very content.
        written: this reader wrote the content itself, and so knows all of it.
        late: the hash, where it has not been taken yet; never in a record that :meth:`FileStateCache.get` gives.
    """

    content_hash: str
    total: int = 0
    views: tuple[FileView, ...] = ()
    written: bool = False
    late: LateHash | None = None

    @property
    def is_partial(self) -> bool:
        """Whether some of the content was never shown."""
        return not self.written and self.unseen() is not None

    def unseen(self) -> tuple[int, int] | None:
        """The first stretch of units that was never shown, or ``None``."""
        expected = 1
        for view in sorted((v for v in self.views if v.first <= v.last), key=lambda v: v.first):
            if view.first > expected:
                break
            expected = max(expected, view.last + 1)
            if expected > self.total:
                return None
        later = [view.first - 1 for view in self.views if expected < view.first <= view.last]
        return (expected, min(later, default=self.total)) if expected <= self.total else None

    def first_unseen(self, first: int, last: int) -> int | None:
        """The first of the units ``first`` to ``last`` that was never shown, or ``None``."""
        for view in sorted(self.views, key=lambda v: v.first):
            if view.first > first:
                break
            first = max(first, view.last + 1)
        return first if first <= last else None


class FileStateCache:
    """What was read, for each resolved path and each reader. Thread-safe.

    A reader is the id of the sub-agent that reads, ``None`` in the main conversation: each knows what it saw itself.

    Attributes:
        judged: what the calls that have not run yet were judged by.
    """

    def __init__(self) -> None:
        self.judged = JudgedCalls()
        self._lock = threading.Lock()
        self._records: OrderedDict[tuple[str | None, str], ReadRecord] = OrderedDict()

    def get(self, path: str, reader: str | None = None) -> ReadRecord | None:
        """What ``reader`` knows of the file at ``path``."""
        key = _key(path, reader)
        with self._lock:
            record = self._records.get(key)
        if record is None or record.late is None:
            return record
        resolved = replace(record, content_hash=record.late.digest(), late=None)  # may take long: not under the lock
        with self._lock:
            if self._records.get(key) is record:
                self._records[key] = resolved
        return resolved

    def peek(self, path: str, reader: str | None = None) -> ReadRecord | None:
        """As :meth:`get`, without waiting for a hash that is still being taken: see :attr:`ReadRecord.late`."""
        with self._lock:
            return self._records.get(_key(path, reader))

    def paths(self, reader: str | None = None) -> tuple[str, ...]:
        """The files of which ``reader`` knows something, the latest last."""
        with self._lock:
            return tuple(path for each, path in self._records if each == reader)

    def saw(self, path: str, reader: str | None, content_hash: str | LateHash, total: int, view: FileView) -> None:
        """Note that ``reader`` was shown a part of a content. Parts of an older content are forgotten."""
        late = content_hash if isinstance(content_hash, LateHash) and not content_hash.is_known else None
        digest = "" if late is not None else digest_of(content_hash)
        key = _key(path, reader)
        with self._lock:
            known = self._records.get(key)
            if known is not None and known.late is not None and known.late.is_known:
                known = replace(known, content_hash=known.late.digest(), late=None)
            if known is None or (known.content_hash, known.late) != (digest, late):
                known = ReadRecord(digest, total, late=late)
            self._put(key, replace(known, total=total, views=(*known.views, view)))

    def wrote(self, path: str, reader: str | None, content_hash: str) -> None:
        """Note that ``reader`` wrote the whole content."""
        with self._lock:
            self._put(_key(path, reader), ReadRecord(content_hash, written=True))

    def edited(
        self, path: str, reader: str | None, before: str, after: str, shifts: Sequence[LineShift] | None = None
    ) -> None:
        """Note that ``reader`` changed a part: what it knew of the content ``before`` it now knows of ``after``.

        Args:
            shifts: which lines became which; ``None`` where the units keep their places.
        """
        self.get(path, reader)  # so that its hash is known
        with self._lock:
            known = self._records.get(_key(path, reader))
            if known is not None and known.content_hash == before:
                moved = replace(known, views=_stale(known.views)) if shifts is None else _moved(known, shifts)
                self._put(_key(path, reader), replace(moved, content_hash=after))

    def forget_unshown(self, messages: Sequence[Message], reader: str | None = None) -> None:
        """Only what these messages hold counts as read from now on: the rest of the conversation is gone.

        What ``reader`` wrote itself, and parts that an edit moved, are forgotten too: nobody knows where they stand.
        """
        there = {block.tool_use_id for m in messages for block in m.content if isinstance(block, ToolResultBlock)}
        with self._lock:
            for key, record in [(key, record) for key, record in self._records.items() if key[0] == reader]:
                views = tuple(view for view in record.views if view.tool_use_id in there)
                if views:
                    self._records[key] = replace(record, views=views, written=False)
                else:
                    del self._records[key]

    def _put(self, key: tuple[str | None, str], record: ReadRecord) -> None:
        self._records[key] = record
        self._records.move_to_end(key)
        while len(self._records) > MAX_RECORDS:
            self._records.popitem(last=False)


def _key(path: str, reader: str | None) -> tuple[str | None, str]:
    return reader, _resolved(path)


def _resolved(path: str) -> str:
    """``os.path.realpath``, in a part of its time for the usual path, which leads through no link."""
    if not path.startswith("/") or "/." in path or "//" in path or path.endswith("/"):
        return os.path.realpath(path)
    end = path.find("/", 1)
    while end > 0:
        if os.path.islink(path[:end]):
            return os.path.realpath(path)
        end = path.find("/", end + 1)
    return os.path.realpath(path) if os.path.islink(path) else path


def _stale(views: Sequence[FileView]) -> tuple[FileView, ...]:
    """The same parts, no longer good for answering "you have seen this": their text has changed."""
    return tuple(replace(view, tool_use_id="") for view in views)


def _moved(known: ReadRecord, shifts: Sequence[LineShift]) -> ReadRecord:
    stretches = shifted(((view.first, view.last) for view in known.views), shifts)
    views = tuple(FileView(first, last - first + 1, first, last, "") for first, last in stretches)
    return replace(known, total=known.total + sum(shift.delta for shift in shifts), views=views)


def file_state(context: ToolUseContext) -> FileStateCache:
    """The cache of this context. Without one nothing counts as read."""
    state = context.read_file_state
    return state if isinstance(state, FileStateCache) else FileStateCache()


def is_still_shown(view: FileView, messages: Sequence[Message]) -> bool:
    """Whether the result that holds ``view`` is still in the conversation.

    A conversation that is not known (no messages: a call from Python or a magic) is taken to hold it.
    """
    if not view.tool_use_id:
        return False
    if not messages:
        return True
    results = (block for message in messages for block in message.content if isinstance(block, ToolResultBlock))
    return any(block.tool_use_id == view.tool_use_id for block in results)
