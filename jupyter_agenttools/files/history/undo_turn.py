"""The records of one undo, or redo."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from . import journal
from .held import Held
from .record_log import Record
from .store import HistoryStore
from .turns import Step, Turn, TurnKind


class UndoTurn:
    """Keeps what an undo changes, so that it can be taken back itself: see :class:`.undoing.Writer`.

    Args:
        lock: guards the store.
        label: what is undone.
    """

    def __init__(self, store: HistoryStore, lock: threading.RLock, kind: TurnKind, label: str) -> None:
        self._store, self._lock = store, lock
        self._turn = Turn(store.book.reserve(kind), kind, label, time.time())

    def begin(self, path: str, present: Held, data: bytes, target: Held, reverts: Sequence[Step]) -> Step:
        """Keep what the path holds, and note what it is to hold; on the disk when this returns.

        Raises:
            OSError: it could not be kept.
        """
        with self._lock:
            step = self._store.new_step(self._turn.number, path, present, target, reverts)
            records: list[Record] = [] if self._turn.steps else [journal.turn_record(self._turn)]
            changes = not target.same(present)
            contents = [(present.digest, data)] if changes and present.kind == "file" else []
            self._store.write([*records, journal.steps_record([step])], contents, sync=changes)
            self._store.book.add(self._turn, [step])
            return step

    def finish(self, step: Step, after: Held) -> None:
        """Note that it does."""
        with self._lock:
            self._store.book.finish(step, after)
            self._store.write_if_possible([journal.done_record(step)])
