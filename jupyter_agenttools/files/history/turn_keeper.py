"""What one turn is given to keep what it changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .tree_keeper import TIME_LIMIT_S, CommandChanges, Limits, Snapshot

if TYPE_CHECKING:
    from .history import FileHistory


class FileTurn:
    """The changes of one turn, on their way into the history: a :class:`..change.ChangeKeeper`. Thread-safe.

    Args:
        label: the prompt, or the call.
        started: seconds since the epoch.
    """

    def __init__(self, history: FileHistory, label: str, started: float) -> None:
        self._history = history
        self.label = label
        self.started = started
        self.number: int | None = None

    # ---- one file, changed by a tool

    def before_change(self, path: str, present: bytes | None, tool_use_id: str, planned: str = "") -> None:
        """Keep ``present``, which is what the file at ``path`` holds (``None``: there is none), before it changes.

        Args:
            planned: the hash of what the file is to hold.

        Raises:
            WriteError: it could not be kept, so the file must not be changed: undoing it was promised.
        """
        self._history.begin_change(self, os.path.realpath(path), present, planned)

    def after_change(self, path: str, content_hash: str, tool_use_id: str) -> None:
        """Note what that file holds after the change, so that an undo can tell whether it is still so."""
        self._history.end_change(self, os.path.realpath(path), content_hash)

    # ---- whole folders, changed by a command

    def before_command(
        self,
        roots: Sequence[str],
        tool_use_id: str,
        *,
        check: Callable[[], None] = lambda: None,
        progress: Callable[[int, int], None] = lambda files, size: None,
        limit_s: float = TIME_LIMIT_S,
    ) -> Snapshot:
        """Keep what the files below the absolute ``roots`` hold before a command that may do anything to them.

        Args:
            check: called again and again; what it raises ends this.
            progress: told how many files and bytes have been copied.
            limit_s: seconds after which it ends with what it has; ``Snapshot.gaps`` says what that is not.
        """
        limits = Limits(check, time.monotonic() + limit_s, progress)
        return self._history.begin_command(self, roots, tool_use_id, limits)

    def after_command(self, snapshot: Snapshot, tool_use_id: str, *, limit_s: float = TIME_LIMIT_S) -> CommandChanges:
        """What has changed since the snapshot. It belongs to this turn from now on."""
        limits = Limits(lambda: None, time.monotonic() + limit_s)
        return self._history.end_command(self, snapshot, tool_use_id, limits)

    def new_gaps(self, snapshot: Snapshot) -> list[str]:
        """What an undo does not cover there, each in a few words, as far as this session was not told of it before."""
        return self._history.new_gaps(snapshot)
