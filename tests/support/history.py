"""A folder, and a file history whose turns change it as tools and commands do."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_agenttools.core import Cancellation, ContextState, ToolOptions, ToolPermissionContext, ToolUseContext
from jupyter_agenttools.files import file_lock, read_whole
from jupyter_agenttools.files.change import change_file
from jupyter_agenttools.files.history import CommandChanges, FileHistory, FileTurn, UndoReport

State = dict[str, tuple[Any, ...]]


class HistoryWork:
    """A working folder with its history.

    Attributes:
        turn: the turn that goes on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder), "work")
        self.folder.mkdir(exist_ok=True)
        self.session = Path(folder, "session")
        self.history = FileHistory(self.session)
        self.turn: FileTurn = self.history.turn("first")

    def next_turn(self, label: str = "next") -> None:
        self.turn = self.history.turn(label)

    def path(self, name: str) -> Path:
        return self.folder / name

    def context(self) -> ToolUseContext:
        state = ContextState(ToolPermissionContext(), str(self.folder))
        return ToolUseContext("call", state, ToolOptions(), self.session, Cancellation(), file_history=self.turn)

    def write(self, name: str, data: bytes) -> None:
        """Change a file as a tool does."""
        path = str(self.path(name))
        with file_lock(path):
            change_file(path, data, read_whole(path) if os.path.lexists(path) else None, self.context())

    def command(self, function: Callable[[], Any], **limits: Any) -> CommandChanges:
        """Let ``function`` do anything to the folder, as a command might."""
        snapshot = self.turn.before_command([str(self.folder)], "command")
        function()
        return self.turn.after_command(snapshot, "command", **limits)

    def undo(self, turns: int = 1, *, force: bool = False) -> UndoReport:
        return self.history.undo(turns, Cancellation(), force=force)

    def redo(self) -> UndoReport:
        return self.history.redo(Cancellation())

    def results(self, report: UndoReport) -> dict[str, str]:
        """What became of each path, by its name in the folder."""
        return {os.path.relpath(file.path, self.folder): file.result for file in report.files}

    def state(self) -> State:
        return state_of(self.folder)


def state_of(folder: Path) -> State:
    """Everything below a folder: kind, mode and content of each path."""
    found: State = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        mode, name = stat.S_IMODE(status.st_mode), str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder", mode)
        else:
            found[name] = ("file", mode, path.read_bytes())
    return found
