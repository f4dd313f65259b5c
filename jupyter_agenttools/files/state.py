"""What has been read so far, by whom, and which content it was: the field's ``readFileState``."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..core.blocks import Message, ToolResultBlock

if TYPE_CHECKING:
    from ..core.context import ToolUseContext

MAX_RECORDS = 2_000
"""A record that is pushed out only means that the file has to be read again."""


@dataclass(frozen=True)
class FileView:
    """One look at a part of a file.

    Args:
        offset, limit: as asked for, defaults filled in.
        first, last: the units (lines, or cells of a notebook) that were shown, from 1; ``last < first`` for none.
        tool_use_id: the call whose result holds it.
    """

    offset: int
    limit: int
    first: int
    last: int
    tool_use_id: str


@dataclass(frozen=True)
class ReadRecord:
    """What one reader knows of one file.

    Args:
        content_hash: SHA-256 of the bytes, hex.
        total: how many lines (or cells) they hold.
        views: the parts that were shown, of this very content.
        written: this reader wrote the content itself, and so knows all of it.
    """

    content_hash: str
    total: int = 0
    views: tuple[FileView, ...] = ()
    written: bool = False

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


class FileStateCache:
    """What was read, for each resolved path and each reader. Thread-safe.

    A reader is the id of the sub-agent that reads, ``None`` in the main conversation: each knows what it saw itself.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: OrderedDict[tuple[str | None, str], ReadRecord] = OrderedDict()
        self._pins: OrderedDict[str, str] = OrderedDict()

    def get(self, path: str, reader: str | None = None) -> ReadRecord | None:
        """What ``reader`` knows of the file at ``path``."""
        with self._lock:
            return self._records.get(_key(path, reader))

    def saw(self, path: str, reader: str | None, content_hash: str, total: int, view: FileView) -> None:
        """Note that ``reader`` was shown a part of a content. Parts of an older content are forgotten."""
        with self._lock:
            known = self._records.get(_key(path, reader))
            if known is None or known.content_hash != content_hash:
                known = ReadRecord(content_hash, total)
            self._put(_key(path, reader), replace(known, total=total, views=(*known.views, view)))

    def wrote(self, path: str, reader: str | None, content_hash: str) -> None:
        """Note that ``reader`` wrote the whole content."""
        with self._lock:
            self._put(_key(path, reader), ReadRecord(content_hash, written=True))

    def edited(self, path: str, reader: str | None, before: str, after: str) -> None:
        """Note that ``reader`` changed a part: what it knew of the content ``before`` it now knows of ``after``."""
        with self._lock:
            known = self._records.get(_key(path, reader))
            if known is not None and known.content_hash == before:
                self._put(_key(path, reader), replace(known, content_hash=after, views=_stale(known.views)))

    def pin(self, tool_use_id: str, content_hash: str) -> None:
        """Note which content a call was judged by, before it runs."""
        with self._lock:
            self._pins[tool_use_id] = content_hash
            while len(self._pins) > MAX_RECORDS:
                self._pins.popitem(last=False)

    def take_pin(self, tool_use_id: str) -> str | None:
        """The content that :meth:`pin` noted for this call, once."""
        with self._lock:
            return self._pins.pop(tool_use_id, None)

    def _put(self, key: tuple[str | None, str], record: ReadRecord) -> None:
        self._records[key] = record
        self._records.move_to_end(key)
        while len(self._records) > MAX_RECORDS:
            self._records.popitem(last=False)


def _key(path: str, reader: str | None) -> tuple[str | None, str]:
    return reader, os.path.realpath(path)


def _stale(views: Sequence[FileView]) -> tuple[FileView, ...]:
    """The same parts, no longer good for answering "you have seen this": their text has changed."""
    return tuple(replace(view, tool_use_id="") for view in views)


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
