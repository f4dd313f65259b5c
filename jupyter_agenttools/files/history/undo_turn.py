"""The records of one undo, or redo."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from . import journal
from .held import Held
from .planning import Intent
from .record_log import Record
from .store import HistoryStore
from .turns import Step, Turn, TurnKind


class UndoTurn:
    """Keeps what an undo changes, so that it can be taken back itself: see :class:`.planning.Writer`.

    Args:
        lock: guards the store.
        label: what is undone.
    """

    def __init__(self, store: HistoryStore, lock: threading.RLock, kind: TurnKind, label: str) -> None:
        self._store, self._lock = store, lock
        self._synced = True
        self._turn = Turn(store.book.reserve(kind), kind, label, time.time())

    def begin(self, intents: Sequence[Intent]) -> list[Step]:
        """Keep what the paths hold, and note what they are to hold; on the disk after :meth:`sync`.

        Raises:
            OSError: it could not be kept.
        """
        if not intents:
            return []
        with self._lock:
            store, number = self._store, self._turn.number
            steps = [store.new_step(number, i.path, i.present, i.target, i.reverts) for i in intents]
            records: list[Record] = [] if number in store.book.turns else [journal.turn_record(self._turn)]
            kept = ((i.present.digest, i.data) for i in intents if i.present.kind == "file" and _changes(i))
            store.write([*records, journal.steps_record(steps)], kept)
            store.book.add(self._turn, steps)
            self._synced = self._synced and not any(map(_changes, intents))
            return steps

    def sync(self) -> None:
        """Wait until the disk itself has what was begun.

        Raises:
            OSError: it does not.
        """
        with self._lock:
            if not self._synced:
                self._store.sync()
                self._synced = True

    def finish(self, ended: Sequence[tuple[Step, Held]]) -> None:
        """Note what the paths hold now."""
        if not ended:
            return
        with self._lock:
            for step, after in ended:
                self._store.book.finish(step, after)
            self._store.write_if_possible([journal.ended_record([step for step, _ in ended])])

    def drop(self, steps: Sequence[Step]) -> None:
        """Forget what was begun: nothing was done."""
        if not steps:
            return
        with self._lock:
            self._store.write_if_possible([journal.dropped_record(steps)])
            self._store.book.drop(steps)

    def passed(self, steps: Sequence[Step]) -> None:
        """Note that an undo kept what these steps left, as it may be a person's work."""
        with self._lock:
            for step in steps:
                step.passed = True
            self._store.write_if_possible([journal.passed_record(steps)])


def _changes(intent: Intent) -> bool:
    return not intent.target.same(intent.present)
