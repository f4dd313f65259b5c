"""What the files of a session held before each turn changed them, and the way back."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ...core.cancel import Cancellation
from ...core.errors import ToolError, UsageError
from ...core.home import working_folder
from ..in_place import WriteError
from ..opening import content_hash
from ..paths import visible
from . import journal
from .held import MISSING, Held, held_by, status_of
from .notebooks import source_of
from .pruning import prune
from .record_log import Record
from .report import FileTurnSummary, UndoReport
from .restore import present_of
from .store import HistoryStore, folders
from .tree import Tree
from .tree_keeper import Change, CommandChanges, Limits, Snapshot
from .turn_keeper import FileTurn
from .turns import Step, Turn, TurnKind, by_path, is_reached, is_settled, open_steps
from .undo_turn import UndoTurn
from .undoing import take_back

HISTORY_FOLDER = "file-history"
HISTORY_VARIABLE = "JUPYTER_AGENTTOOLS_FILE_HISTORY"
"""``off`` keeps nothing, and nothing can be undone then."""

_NO_PLACE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR})

LABEL_CHARS = 200
NAMED_NOT_COVERED = 100
NAMED_ROOTS = 3


class FileHistory:
    """The file history of one session. Thread-safe; everything but :meth:`turn` may block, for worker threads only.

    Nothing is made on disk before the first change.

    Args:
        session_dir: the session's folder; the history lies in ``file-history/`` there.
        leave_out: paths in which no command's changes are looked for.
        sessions: the folder of all sessions, whose old histories are thrown away; ``None`` leaves them alone.

    Attributes:
        gaps: what an undo does not cover of what the last command may have changed, each in a few words.
    """

    def __init__(
        self, session_dir: Path, *, leave_out: frozenset[str] = frozenset(), sessions: Path | None = None
    ) -> None:
        self.folder = session_dir / HISTORY_FOLDER
        self._leave_out = leave_out | {os.path.realpath(folder) for folder in folders(self.folder)}
        self._sessions = sessions
        self._lock = threading.RLock()
        self._tree_lock = threading.Lock()
        self._undo_lock = threading.Lock()
        self._opened: HistoryStore | None = None
        self._told: set[str] = set()
        self._last_command: tuple[int, str, tuple[str, ...]] = (0, "", ())
        self.gaps: tuple[str, ...] = ()

    @property
    def _store(self) -> HistoryStore:
        """What is on disk, read when it is first needed.

        Raises:
            OSError: the folder cannot be made or read.
        """
        if self._opened is None:
            if self._sessions is not None:
                prune(self._sessions)
            self._opened = self._open()
        return self._opened

    def _open(self) -> HistoryStore:
        try:
            return HistoryStore(self.folder, self._leave_out)
        except OSError as error:
            if error.errno not in _NO_PLACE:
                raise
        # A session's folder that takes no files must not keep anybody from changing some.
        self.folder = Path(working_folder(HISTORY_FOLDER), self.folder.parent.name)
        return HistoryStore(self.folder, self._leave_out)

    def turn(self, label: str) -> FileTurn:
        """What to give to the tools of a turn that begins now."""
        return FileTurn(self, " ".join(label[: 4 * LABEL_CHARS].split())[:LABEL_CHARS], time.time())

    def turns(self) -> tuple[FileTurnSummary, ...]:
        """The turns that changed files, the newest first; what was undone is among them."""
        with self._lock:
            if self._opened is None and not self.folder.is_dir():
                return ()
            self._settle()
            work = [turn for turn in reversed(self._store.book.turns.values()) if turn.kind == "work"]
            return tuple(turn.summary() for turn in work if turn.may_be_forced or any(s.undone for s in turn.steps))

    def close(self) -> None:
        """Let go of the folder, so that another session may go on there."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    # ---- one file, changed by a tool

    def begin_change(self, turn: FileTurn, path: str, present: bytes | None, planned: str) -> None:
        """See :meth:`.turn_keeper.FileTurn.before_change`."""
        with self._lock:
            try:
                wanted = _wanted(path, present, planned)
                made, records = self._begun(turn)
                fresh: list[Step] = []
                for at, before, target in wanted:
                    step = self._store.book.continued(made.number, at, before)
                    if step is None:
                        fresh.append(self._store.new_step(made.number, at, before, target))
                    else:
                        step.planned = target
                        records.append(journal.plan_record(step))
                self._keep(records, fresh, wanted[-1][1].digest, present)
            except OSError as error:
                raise _not_kept(path, error) from error
            self._store.book.add(made, fresh)

    def _keep(self, records: list[Record], fresh: list[Step], digest: str, present: bytes | None) -> None:
        """Write what is noted before a change: on the disk when this returns, unless it is all there already."""
        if not fresh:
            self._store.write_if_possible(records)
            return
        contents = [] if present is None else [(digest, present)]
        self._store.write([*records, journal.steps_record(fresh)], contents, sync=True)

    def end_change(self, turn: FileTurn, path: str, digest: str) -> None:
        """See :meth:`.turn_keeper.FileTurn.after_change`."""
        with self._lock, suppress(OSError):  # who cannot look now looks when it is to be undone
            made = self._begun(turn)[0]
            last = self._store.book.last(made.number, path)
            above = [s for s in open_steps([made]) if path.startswith(s.path + "/")]
            ended = [(s, status) for s in (*above, last) if s is not None and (status := status_of(s.path)) is not None]
            for step, status in ended:
                self._store.book.finish(step, held_by(step.path, status, digest))
            self._store.write_if_possible([journal.done_record(step) for step, _ in ended])

    # ---- folders, changed by a command

    def begin_command(self, turn: FileTurn, roots: Sequence[str], tool_use_id: str, limits: Limits) -> Snapshot:
        """See :meth:`.turn_keeper.FileTurn.before_command`."""
        with self._tree_lock:
            try:
                snapshot = self._keep_tree(turn, roots, tool_use_id, limits)
            except OSError as error:
                snapshot = Snapshot(tuple(roots), Tree(cut=error.strerror or str(error)))
        self.gaps = tuple(text for _, text in snapshot.gaps())
        return snapshot

    def _keep_tree(self, turn: FileTurn, roots: Sequence[str], tool_use_id: str, limits: Limits) -> Snapshot:
        with self._lock:
            store = self._store
        snapshot = store.tree_keeper.before(roots, limits)
        with self._lock:
            turn.number = turn.number or store.book.reserve("work")
            snapshot.last_step = max(store.book.steps, default=0)
        self._last_command = turn.number, turn.label, snapshot.roots
        command = {"is": "command", "turn": turn.number, "id": tool_use_id, "roots": list(snapshot.roots)}
        store.write([{**command, "label": turn.label, "time": turn.started}], sync=True)
        return snapshot

    def end_command(self, turn: FileTurn, snapshot: Snapshot, tool_use_id: str, limits: Limits) -> CommandChanges:
        """See :meth:`.turn_keeper.FileTurn.after_command`."""
        with self._tree_lock:
            with self._lock:
                store = self._store
            found = store.tree_keeper.after(snapshot, limits)
            with self._lock:
                records = self._note(turn, snapshot, found) if found.changes or found.not_covered else []
                store.write_if_possible([*records, {"is": "command-end", "id": tool_use_id}])
        return found

    def _note(self, turn: FileTurn, snapshot: Snapshot, found: CommandChanges) -> list[Record]:
        """Put a command's changes into the turn. What a tool noted meanwhile is not noted again."""
        store = self._store
        made, records = self._begun(turn)
        noted = {s.path: s.after for id, s in store.book.steps.items() if id > snapshot.last_step}
        fresh: list[Step] = []
        for change in found.changes:
            if change.after.same(noted.get(change.path)):
                continue
            source = source_of(change.path, change.after)
            step = store.book.continued(made.number, change.path, change.before, source)
            if step is not None:
                step.source = source
                store.book.finish(step, change.after)
                records.append(journal.done_record(step))
            else:
                fresh.append(_finished(store.new_step(made.number, change.path, change.before, source=source), change))
        store.book.add(made, fresh)
        records.append(journal.steps_record(fresh))
        if found.not_covered:
            made.not_covered = (*made.not_covered, *found.not_covered)[:NAMED_NOT_COVERED]
            made.not_covered_count += len(found.not_covered)
            records.append(journal.not_covered_record(made))
        return records

    def new_gaps(self, snapshot: Snapshot) -> list[str]:
        """What an undo does not cover there, as far as nobody was told of such a thing before."""
        fresh = [(kind, text) for kind, text in snapshot.gaps() if kind not in self._told]
        self._told.update(kind for kind, _ in fresh)
        return [text for _, text in fresh]

    # ---- the way back

    def undo(self, turns: int, cancellation: Cancellation, *, force: bool = False) -> UndoReport:
        """Put back what files held before the last ``turns`` turns that changed some.

        A file that somebody changed after the turn is kept as it is, unless ``force``. What a file holds now is kept in
        the history first, so :meth:`redo` brings it back.

        What commands changed is found by looking at the folders before and after them, and that cannot tell who did it:
        what a person or another program saved while a command ran goes back as well. Such files are marked
        (``while_command``), and notebooks among them, which Jupyter saves by itself, are kept unless ``force``.

        Raises:
            UsageError: there is nothing to undo.
        """
        with self._undo_lock:
            chosen = self._choose("work", turns, force=force)
            if not chosen:
                nothing = "there is nothing to undo: no turn changed a file, or all of them are undone"
                raise UsageError("; ".join(filter(None, (nothing, self._unseen()))))
            about, note = tuple(turn.summary() for turn in chosen), self._unseen(newer_than=chosen[0].number)
            return replace(self._take_back("undo", about, chosen, cancellation, force), note=note)

    def redo(self, cancellation: Cancellation) -> UndoReport:
        """Take the last undo back.

        Raises:
            UsageError: nothing was undone.
        """
        with self._undo_lock:
            chosen = self._choose("undo", 1)
            if not chosen:
                raise UsageError("there is nothing to do again: no undo of this session is left to be taken back")
            with self._lock:
                book = self._store.book
                numbers = {book.steps[id].turn for step in chosen[0].steps if step.counts for id in step.reverts}
                about = tuple(book.turns[number].summary() for number in sorted(numbers, reverse=True))
            return self._take_back("redo", about, chosen, cancellation, False)

    def _choose(self, kind: TurnKind, count: int, *, force: bool = False) -> list[Turn]:
        with self._lock:
            if self._opened is None and not self.folder.is_dir():
                return []
            self._settle()
            return self._store.book.of_kind(kind, force=force)[:count]

    def _unseen(self, newer_than: int = 0) -> str:
        """What to say when a later turn ran commands that changed nothing where somebody looked."""
        with self._lock:
            number, label, roots = self._last_command
            if number <= newer_than or number in self._store.book.turns:
                return ""
        places = f"{', '.join(map(visible, roots[:NAMED_ROOTS]))}{' …' * (len(roots) > NAMED_ROOTS)}"
        changed = f"the commands of “{visible(label)}” changed no file below {places} that undo covers"
        return f"{changed}; commands' changes outside of these folders are not covered"

    def _take_back(
        self,
        action: Literal["undo", "redo"],
        about: tuple[FileTurnSummary, ...],
        chosen: list[Turn],
        cancellation: Cancellation,
        force: bool,
    ) -> UndoReport:
        with self._lock:
            store = self._store
        writer = UndoTurn(store, self._lock, action, about[0].label if about else "")
        done = take_back(by_path(chosen), writer, store.blobs, cancellation, force=force)
        return UndoReport(action, about, done, cancellation.cancelled)

    # ---- inside, under the lock

    def _begun(self, turn: FileTurn) -> tuple[Turn, list[Record]]:
        """The turn in the book, and the records that say so; a new one is not in the book yet."""
        book = self._store.book
        turn.number = turn.number or book.reserve("work")
        if turn.number in book.turns:
            return book.turns[turn.number], []
        made = Turn(turn.number, "work", turn.label, turn.started)
        return made, [journal.turn_record(made)]

    def _settle(self) -> None:
        """Find out what became of changes whose end nobody has noted, by a look at the files."""
        store, ended = self._store, []
        for step in list(open_steps(store.book.turns.values())):
            try:
                present, _ = present_of(step.path)
            except (ToolError, OSError):
                continue
            if is_settled(step, present):
                reached = is_reached(step, present)
                store.book.finish(step, present, reached=reached)
                ended.append(journal.done_record(step, reached=reached))
        store.write_if_possible(ended)


_FOLDER = Held("folder")


def _finished(step: Step, change: Change) -> Step:
    step.after = change.after
    return step


def _wanted(path: str, present: bytes | None, planned: str) -> list[tuple[str, Held, Held]]:
    """Each path that a write of ``path`` changes, what it holds, and what it is to hold; the file itself is last."""
    status = status_of(path)
    held = MISSING if present is None or status is None else held_by(path, status, content_hash(present))
    above = [] if status else _missing_folders(path)
    return [*((folder, MISSING, _FOLDER) for folder in above), (path, held, Held("file", planned))]


def _missing_folders(path: str) -> list[str]:
    """The folders that will have to be made for the file at ``path``, outermost first."""
    missing = []
    while not os.path.lexists(path := os.path.dirname(path)):
        missing.append(path)
    return missing[::-1]


def _not_kept(path: str, error: OSError) -> WriteError:
    message = (
        f"{path} was not changed: what it holds could not be kept for an undo ({error.strerror or error}). "
        f"Make room for it, or ask the person to turn the file history off with {HISTORY_VARIABLE}=off"
    )
    return WriteError(message, check_id="history-not-kept")
