"""Any changes over any turns, by tools, commands and other people: undo and redo go exactly to where things were."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jupyter_agenttools.files.history import FileHistory
from tests.support.history import HistoryWork, State

MEMORY = "/dev/shm"
"""A file system in memory, where waiting for the disk takes no time."""

NAMES = ("a", "b", "d", "d/a", "d/e/b", "f/a")
CONTENTS = st.binary(max_size=12) | st.sampled_from([b"", b"same", b"\xff\x00\r\n"])
MODES = st.sampled_from([0o600, 0o644, 0o755, 0o400])
ACTIONS = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "link", "chmod", "folder", "move"]), st.sampled_from(NAMES)).flatmap(
        lambda p: st.tuples(st.just(p[0]), st.just(p[1]), CONTENTS, MODES, st.sampled_from(NAMES))
    ),
    min_size=1,
    max_size=6,
)


def act(folder: Path, action: str, name: str, data: bytes, mode: int, other: str) -> None:
    """What a command may do; what cannot be done is left out."""
    path = folder / name
    try:
        if action == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        elif action == "remove":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        elif action == "link":
            path.symlink_to(other)
        elif action == "chmod":
            path.chmod(mode | 0o100 if path.is_dir() else mode, follow_symlinks=True)
        elif action == "folder":
            path.mkdir(parents=True)
        elif action == "move":
            path.rename(folder / other)
    except OSError:
        pass


class UndoMachine(RuleBasedStateMachine):
    """Turns that only the agent makes: a stack of states, walked down by undo and up by redo."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="undo-", dir=MEMORY if os.path.isdir(MEMORY) else None))
        self.work = HistoryWork(self.root)
        self.states: list[State] = [self.work.state()]
        self.undone: list[list[State]] = []

    def teardown(self) -> None:
        self.work.history.close()
        shutil.rmtree(self.root)

    def _turn(self, changes: Callable[[], Any]) -> None:
        self.work.next_turn()
        changes()
        state = self.work.state()
        if state != self.states[-1]:
            self.states.append(state)
            self.undone.clear()

    @rule(actions=ACTIONS)
    def command(self, actions: list[tuple[Any, ...]]) -> None:
        self._turn(lambda: self._command(actions))

    def _command(self, actions: list[tuple[Any, ...]]) -> None:
        self.work.command(lambda: [act(self.work.folder, *action) for action in actions])

    @rule(writes=st.lists(st.tuples(st.sampled_from(NAMES), CONTENTS), min_size=1, max_size=3), actions=ACTIONS)
    def tools_and_a_command(self, writes: list[tuple[str, bytes]], actions: list[tuple[Any, ...]]) -> None:
        def changes() -> None:
            self._write(writes)
            self._command(actions)
            self._write(writes[:1])

        self._turn(changes)

    def _write(self, writes: list[tuple[str, bytes]]) -> None:
        for name, data in writes:
            path = Path(os.path.realpath(self.work.path(name)))
            parents = [path, *path.parents]
            if os.path.lexists(self.work.path(name)) and not path.exists():
                continue
            usable = path.is_relative_to(self.work.folder) and not path.is_symlink() and not path.is_dir()
            if usable and all(parent.is_dir() for parent in parents[1:] if os.path.lexists(parent)):
                if not path.exists() or os.access(path, os.W_OK):
                    self.work.write(name, data)

    @precondition(lambda self: len(self.states) > 1)
    @rule(turns=st.integers(1, 3))
    def undo(self, turns: int) -> None:
        turns = min(turns, len(self.states) - 1)
        report = self.work.undo(turns)
        assert not report.untouched, report
        self.undone.append(self.states[-turns:])
        self.states = self.states[:-turns]

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        report = self.work.redo()
        assert not report.untouched, report
        self.states += self.undone.pop()

    @rule()
    def another_process(self) -> None:
        self.work.history.close()
        self.work.history = FileHistory(self.work.session)

    @invariant()
    def everything_is_where_it_should_be(self) -> None:
        assert self.work.state() == self.states[-1]


TestUndo = UndoMachine.TestCase
TestUndo.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)
