"""Everything that a history keeps on disk, opened and read back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from . import journal
from .blobs import Blobs
from .held import Held
from .notebooks import source_of
from .record_log import InUse, Record, RecordLog
from .tree import Tree
from .tree_keeper import Limits, Snapshot, TreeKeeper
from .turns import Source, Step, Turn, TurnBook

MAX_FOLDERS = 20
RECOVERY_LIMIT_S = 60.0


def folders(folder: Path) -> list[Path]:
    """Where the history of one session may lie: further places are used when another process holds the first."""
    return [folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(2, MAX_FOLDERS))]


class HistoryStore:
    """The log of a history, and what is known from it. Not thread-safe: its owner holds a lock.

    Args:
        folder: where it lies.
        leave_out: paths that are not looked at in folders.

    Raises:
        OSError: the folder cannot be made or read.
    """

    def __init__(self, folder: Path, leave_out: frozenset[str]) -> None:
        self._log = _open_free(folder)
        self.blobs = Blobs(self._log)
        self.book = TurnBook()
        self.tree_keeper = TreeKeeper(self.blobs, leave_out)
        commands: dict[str, Record] = {}
        for record, place in self._log.earlier():
            match record["is"]:
                case "blob":
                    self.blobs.found(record["digest"], place)
                case "seen":
                    self.tree_keeper.load(record)
                case "command":
                    commands[record["id"]] = record
                    self.book.reserved(record["turn"])
                case "command-end":
                    commands.pop(record["id"], None)
                case _:
                    journal.load(self.book, record)
        self._last_id = max(self.book.steps, default=0)
        for command in commands.values():
            self._recover(command)

    def _recover(self, command: Record) -> None:
        """Its process ended while a command ran: what differs now may be the command's doing, or somebody else's.

        So the steps stay open: an undo takes them back only when it is told to.
        """
        limits = Limits(lambda: None, time.monotonic() + RECOVERY_LIMIT_S)
        found = self.tree_keeper.after(Snapshot(tuple(command["roots"]), Tree()), limits)
        number, records = command["turn"], []
        if number not in self.book.turns:
            self.book.add(Turn(number, "work", command["label"], command["time"]))
            records.append(journal.turn_record(self.book.turns[number]))
        steps = [self.new_step(number, c.path, c.before, source=source_of(c.path, c.after)) for c in found.changes]
        self.book.add(self.book.turns[number], steps)
        self.write([*records, journal.steps_record(steps), {"is": "command-end", "id": command["id"]}])

    def new_step(
        self,
        turn: int,
        path: str,
        before: Held,
        planned: Held | None = None,
        reverts: Iterable[Step] = (),
        source: Source = "tool",
    ) -> Step:
        """A step that is not in the book yet."""
        self._last_id += 1
        taken_back = tuple(step.id for step in reverts)
        return Step(self._last_id, turn, path, before, None, planned, taken_back, source=source)

    def write(
        self, records: Sequence[Record], contents: Iterable[tuple[str, bytes]] = (), *, sync: bool = False
    ) -> None:
        """Keep contents, and records after them.

        Args:
            sync: return when the disk itself has them.

        Raises:
            OSError: nothing was written, or the disk failed.
        """
        self.blobs.put(contents, records)
        if sync:
            self.sync()

    def sync(self) -> None:
        """Wait until the disk itself has everything.

        Raises:
            OSError: it does not.
        """
        self._log.sync()

    def write_if_possible(self, records: Sequence[Record]) -> None:
        """Write what can be found out again by looking at the files."""
        with suppress(OSError):
            self.blobs.put((), records)

    def close(self) -> None:
        self._log.close()


def _open_free(folder: Path) -> RecordLog:
    for place in folders(folder):
        with suppress(InUse):
            return RecordLog(place)
    raise OSError(f"{folder} is in use by other processes")
