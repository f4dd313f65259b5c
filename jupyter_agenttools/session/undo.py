"""Undo for a session: whether there is a file history, what its turns are called, what a model is told of an undo."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import anyio.to_thread

from ..core.blocks import ToolUse
from ..core.cancel import Cancellation
from ..core.context import RESULTS_FOLDER
from ..core.errors import UsageError
from ..core.events import FileEvent, Observers
from ..core.home import agenttools_home
from ..files import visible
from ..files.history import HISTORY_VARIABLE, FileHistory, FileTurn, FileTurnSummary, UndoReport
from .activities import Activities
from .transcript_reading import TRANSCRIPT_NAME

OFF = frozenset({"0", "false", "no", "off"})

NAMED_CALLS = 3
LABEL_CHARS = 200

NAMED = 50
"""How many files a model is told of by name."""


def make_file_history(session_dir: Path, env: Mapping[str, str], sessions: Path | None) -> FileHistory | None:
    """The history for a session in ``session_dir``; ``None`` when somebody turned it off.

    Args:
        env: the settings' variables, stronger than those of the process.
        sessions: the folder of all sessions, when this one is among them.
    """
    if env.get(HISTORY_VARIABLE, os.environ.get(HISTORY_VARIABLE, "")).strip().lower() in OFF:
        return None
    own = (agenttools_home(), session_dir / RESULTS_FOLDER, session_dir / TRANSCRIPT_NAME)
    return FileHistory(session_dir, leave_out=frozenset(map(os.path.realpath, own)), sessions=sessions)


def label_of(uses: Sequence[ToolUse]) -> str:
    """What a turn is called that nobody wrote a prompt for. A model may have sent anything as name and input."""
    return ", ".join(map(_called, uses[:NAMED_CALLS])) + (" …" if len(uses) > NAMED_CALLS else "")


def _called(use: ToolUse) -> str:
    values = use.input.values() if isinstance(use.input, Mapping) else ()
    return f"{use.name} {next((value for value in values if isinstance(value, str)), '')[:LABEL_CHARS]}".strip()


class SessionUndo:
    """The undo of one session.

    Attributes:
        history: what files held; ``None`` when it is turned off.
    """

    def __init__(self, history: FileHistory | None, activities: Activities, observers: Observers) -> None:
        self.history = history
        self._activities, self._observers = activities, observers
        self._reminders: list[str] = []

    def turn(self, label: str) -> FileTurn | None:
        """What the tools of a turn that begins now are given."""
        return None if self.history is None else self.history.turn(label)

    def take_reminders(self) -> list[str]:
        """What the model has not been told yet."""
        reminders, self._reminders = self._reminders, []
        return reminders

    async def turns(self) -> tuple[FileTurnSummary, ...]:
        """See :meth:`.session.Session.file_turns`."""
        return await anyio.to_thread.run_sync(self._required().turns)

    async def undo(self, turns: int, *, force: bool) -> UndoReport:
        """See :meth:`.session.Session.undo`."""
        return await self._take_back(lambda history, stop: history.undo(turns, stop, force=force))

    async def redo(self) -> UndoReport:
        """See :meth:`.session.Session.redo`."""
        return await self._take_back(lambda history, stop: history.redo(stop))

    async def _take_back(self, how: Callable[[FileHistory, Cancellation], UndoReport]) -> UndoReport:
        history = self._required()
        with self._activities.alone() as cancellation:
            try:
                report = await anyio.to_thread.run_sync(how, history, cancellation)
            except OSError as error:
                raise UsageError(f"the file history in {history.folder} cannot be used: {error}") from error
        self._reminders += filter(None, [reminder(report)])
        for event in file_events(report):
            self._observers.emit("on_file", event)
        return report

    def _required(self) -> FileHistory:
        if self.history is None:
            raise UsageError(f"{HISTORY_VARIABLE}=off: the file history is turned off, so nothing can be undone")
        return self.history

    def close(self) -> None:
        if self.history is not None:
            self.history.close()


def file_events(report: UndoReport) -> Iterator[FileEvent]:
    """The changes of an undo, for whoever watches files."""
    for file in report.changed:
        kind: Literal["written", "deleted"] = "deleted" if file.result == "removed" else "written"
        yield FileEvent("", kind, file.path, file.content_hash)


def reminder(report: UndoReport) -> str:
    """What the model has to know of an undo at its next turn, ``""`` when nothing changed."""
    changed = report.changed
    if not changed:
        return ""
    what = (
        "undid changes that you made" if report.action == "undo" else "brought back changes of yours that were undone"
    )
    lines = [f"- {visible(file.path)}{' (removed)' * (file.result == 'removed')}" for file in changed[:NAMED]]
    more = [f"- and {len(changed) - NAMED:,} more"] if len(changed) > NAMED else []
    head = f"The person {what}. These files hold other contents now; read them again before you rely on them:"
    return "\n".join(("<system-reminder>", head, *lines, *more, "</system-reminder>"))
