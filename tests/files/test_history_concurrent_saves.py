"""What somebody else saved while a command ran, and what an undo does with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.files.history import FileHistory
from tests.support.history import HistoryWork

OLD, MINE = b'{"cells": []}', b'{"cells": ["my work"]}'


@pytest.fixture
def work(tmp_path: Path) -> HistoryWork:
    work = HistoryWork(tmp_path)
    for name in ("mine.ipynb", "script.py", "notes.md"):
        work.path(name).write_bytes(OLD)
    return work


def saved_meanwhile(work: HistoryWork, *names: str) -> None:
    """A command that writes ``out``, and somebody who saves these files while it runs."""

    def both() -> None:
        work.path("out").write_bytes(b"by the command")
        for name in names:
            work.path(name).write_bytes(MINE)

    work.command(both)


def test_a_notebook_that_was_saved_while_a_command_ran_is_kept(work: HistoryWork) -> None:
    saved_meanwhile(work, "mine.ipynb")
    report = work.undo()
    assert work.results(report) == {"mine.ipynb": "kept", "out": "removed"}
    (kept,) = report.untouched
    assert kept.detail == "a notebook that changed while a command ran: Jupyter may have saved it"
    assert work.path("mine.ipynb").read_bytes() == MINE


def test_it_is_not_in_the_way_of_the_turn_before(work: HistoryWork) -> None:
    work.write("script.py", b"by a tool")
    work.next_turn("second")
    saved_meanwhile(work, "mine.ipynb")
    work.next_turn("third")
    work.command(lambda: work.path("mine.ipynb").write_bytes(MINE + b"\n"))
    assert work.results(work.undo()) == {"mine.ipynb": "kept"}
    assert [turn.state for turn in work.history.turns()] == ["kept", "done", "done"]
    assert work.results(work.undo()) == {"mine.ipynb": "kept", "out": "removed"}
    assert [turn.state for turn in work.history.turns()] == ["kept", "undone", "done"]
    work.history.close()
    work.history = FileHistory(work.session)
    assert work.results(work.undo()) == {"script.py": "restored"}
    with pytest.raises(UsageError, match="nothing to undo"):
        work.undo()
    assert work.results(work.undo(force=True)) == {"mine.ipynb": "restored"}
    assert work.results(work.undo(force=True)) == {"mine.ipynb": "restored"}
    assert work.path("mine.ipynb").read_bytes() == OLD


def test_force_puts_it_back_and_redo_brings_it_again(work: HistoryWork) -> None:
    saved_meanwhile(work, "mine.ipynb")
    assert work.results(work.undo(force=True)) == {"mine.ipynb": "restored", "out": "removed"}
    assert work.path("mine.ipynb").read_bytes() == OLD
    work.redo()
    assert work.path("mine.ipynb").read_bytes() == MINE


def test_a_notebook_that_a_tool_wrote_goes_back(work: HistoryWork) -> None:
    work.write("mine.ipynb", b"by a tool")
    saved_meanwhile(work)
    assert work.results(work.undo()) == {"mine.ipynb": "restored", "out": "removed"}
    assert work.path("mine.ipynb").read_bytes() == OLD


def test_a_tools_change_goes_back_as_far_as_what_was_saved(work: HistoryWork) -> None:
    saved_meanwhile(work, "mine.ipynb")
    work.write("mine.ipynb", b"by a tool")
    report = work.undo()
    assert work.results(report) == {"mine.ipynb": "restored", "out": "removed"}
    assert "put back as far as a notebook that changed while a command ran" in report.files[-1].detail
    assert work.path("mine.ipynb").read_bytes() == MINE


def test_what_was_saved_after_a_tool_keeps_both(work: HistoryWork) -> None:
    work.write("mine.ipynb", b"by a tool")
    saved_meanwhile(work, "mine.ipynb")
    assert work.results(work.undo()) == {"mine.ipynb": "kept", "out": "removed"}
    with pytest.raises(UsageError, match="nothing to undo"):
        work.undo()
    work.undo(force=True)
    assert work.path("mine.ipynb").read_bytes() == OLD


@pytest.mark.parametrize("where", ["absolute", "below the server's root"])
def test_the_kernels_own_notebook_may_have_any_suffix(
    work: HistoryWork, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    own = str(work.path("notes.md"))
    monkeypatch.setenv("JPY_SESSION_NAME", own if where == "absolute" else "work/notes.md")
    saved_meanwhile(work, "notes.md", "script.py")
    assert work.results(work.undo()) == {"notes.md": "kept", "out": "removed", "script.py": "restored"}


def test_a_notebook_that_a_command_removed_comes_back(work: HistoryWork) -> None:
    work.command(lambda: work.path("mine.ipynb").rename(work.path("moved.ipynb")))
    assert work.results(work.undo()) == {"mine.ipynb": "restored", "moved.ipynb": "kept"}


def test_other_files_go_back_and_are_marked(work: HistoryWork) -> None:
    work.write("notes.md", b"by a tool")
    saved_meanwhile(work, "script.py")
    (turn,) = work.history.turns()
    assert turn.while_command == (str(work.path("out")), str(work.path("script.py")))
    report = work.undo()
    assert {Path(file.path).name: file.while_command for file in report.files} == {
        "out": True,
        "script.py": True,
        "notes.md": False,
    }
    assert not any(file.while_command for file in work.redo().files)


def test_a_stopped_undo_leaves_nothing_to_do_again(work: HistoryWork) -> None:
    saved_meanwhile(work, "script.py")
    stop = Cancellation()
    stop.cancel()
    assert {file.result for file in work.history.undo(1, stop).files} == {"failed"}
    with pytest.raises(UsageError, match="nothing to do again"):
        work.redo()
    assert work.results(work.undo()) == {"out": "removed", "script.py": "restored"}
