"""Undo of what commands did to the files of whole folders."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import InterruptedToolError
from jupyter_agenttools.files.history import FileHistory, tree, tree_keeper
from tests.support.history import HistoryWork


@pytest.fixture
def work(tmp_path: Path) -> HistoryWork:
    work = HistoryWork(tmp_path)
    for name in ("a", "sub/b", "sub/deep/c"):
        work.path(name).parent.mkdir(parents=True, exist_ok=True)
        work.path(name).write_bytes(f"old {name}".encode())
    work.path("sub/link").symlink_to("deep/c")
    work.path("sub/dangling").symlink_to("nowhere")
    work.path("a").chmod(0o755)
    return work


def shell(work: HistoryWork, script: str) -> None:
    subprocess.run(["bash", "-c", script], cwd=work.folder, check=True)


SCRIPTS = [
    "echo new > a",
    "echo more >> sub/deep/c",
    "printf 'OLD sub/b' > sub/b",  # as long as before
    "chmod 600 a",
    "chmod 600 a; echo new > a",
    "chmod 400 a",
    "chmod 700 sub",
    "rm a",
    "rm sub/link sub/dangling",
    "ln -sfn other sub/link",
    "rm sub/link && echo file > sub/link",
    "rm a && ln -s sub/b a",
    "rm a && mkdir a && echo x > a/x",
    "rm -r sub",
    "rm -r sub && echo file > sub",
    "mv sub moved && echo x > moved/x",
    "mv a b && mv sub/b a && mv b sub/b",
    "mkdir -p new/er && echo x > new/er/x && ln -s x new/er/l",
    "mkdir empty",
    "mv sub real && ln -s real sub",
    "mv sub real && ln -s sub sub",
    "mkdir real && echo x > real/b && rm -r sub && ln -s real sub",
    "cp -a sub copy && rm copy/b",
    "sed -i s/old/new/ a",
    "truncate -s 0 a",
    "ln a hard",
    "printf 'x' > $'new\\nline' && printf 'x' > $'\\xff'",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_a_command_did_is_taken_back(work: HistoryWork, script: str) -> None:
    before = work.state()
    found = work.command(lambda: shell(work, script))
    after = work.state()
    assert found.changes and not found.not_covered and not found.cut
    report = work.undo()
    assert work.state() == before and not report.untouched
    assert not work.redo().untouched
    assert work.state() == after
    work.undo()
    assert work.state() == before


def test_a_command_that_changes_nothing_is_no_turn(work: HistoryWork) -> None:
    assert not work.command(lambda: shell(work, "touch a; cat sub/b")).changes
    assert work.history.turns() == ()


def test_tools_and_commands_of_one_turn_are_one(work: HistoryWork) -> None:
    before = work.state()
    work.write("a", b"tool")
    work.command(lambda: shell(work, "echo command >> a; echo x > new"))
    work.write("a", b"tool again")
    work.write("new", b"tool")
    work.command(lambda: shell(work, "rm new sub/b"))
    assert len(work.history.turns()[0].paths) == 2
    work.undo()
    assert work.state() == before


def test_a_change_before_the_command_is_not_its_own(work: HistoryWork) -> None:
    work.command(lambda: shell(work, "echo one > a"))
    work.path("sub/b").write_bytes(b"person")
    work.next_turn()
    work.command(lambda: shell(work, "echo two > a"))
    report = work.undo(2)
    assert work.results(report) == {"a": "restored"}
    assert work.path("sub/b").read_bytes() == b"person"


def test_a_change_right_after_the_copy_is_found(work: HistoryWork) -> None:
    """The same length, the same inode, within one tick of the file system's clock."""
    for round in range(20):
        work.next_turn()
        work.path("a").write_bytes(b"old")
        assert [c.path for c in work.command(lambda: work.path("a").write_bytes(b"new")).changes] == [
            str(work.path("a"))
        ], round


def test_only_what_looks_different_is_copied_again(work: HistoryWork) -> None:
    work.command(lambda: None)
    for path in work.folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (1, 1))
    os.sync()
    (log,) = work.history.folder.iterdir()
    work.command(lambda: None)
    size = log.stat().st_size
    assert log.read_bytes().count(b"old sub/deep/c\n") == 1
    work.command(lambda: None)
    assert log.stat().st_size < size + 10_000


def test_version_control_caches_and_ignored_folders_are_left_alone(work: HistoryWork) -> None:
    shell(work, "git init -q . && printf 'build/\\n*.env\\n' > .gitignore && mkdir -p build node_modules/x venv cache")
    shell(work, "touch venv/pyvenv.cfg cache/CACHEDIR.TAG .env")
    script = "for f in .git build node_modules/x venv cache; do echo x > $f/made; done; echo SECRET > .env"
    found = work.command(lambda: shell(work, script))
    assert [change.path for change in found.changes] == [str(work.path(".env"))]
    work.undo()
    assert work.path(".env").read_bytes() == b"" and work.path("build/made").exists()


def test_large_files_are_named_and_left_alone(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_keeper, "MAX_FILE_BYTES", 1_000)
    work.path("data").write_bytes(b"x" * 2_000)
    snapshot = work.turn.before_command([str(work.folder)], "1")
    assert any("data" in gap for gap in work.turn.new_gaps(snapshot))
    assert work.turn.new_gaps(snapshot) == [], "it is told once"
    found = work.command(lambda: shell(work, "echo y >> data"))
    assert found.not_covered == (str(work.path("data")),) and not found.changes
    assert work.history.turns() == () or work.history.turns()[0].not_covered == 1


def test_a_file_that_grows_large_can_still_go_back(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_keeper, "MAX_FILE_BYTES", 1_000)
    before = work.state()
    found = work.command(lambda: shell(work, "head -c 5000 /dev/zero >> a; head -c 5000 /dev/zero > made"))
    after = work.state()
    assert not found.not_covered
    work.undo()
    assert work.state() == before
    work.redo()
    assert work.state() == after


def test_beyond_the_nearest_files_nothing_is_taken_for_new(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        work.path(f"many/{number}/x").parent.mkdir(parents=True)
        work.path(f"many/{number}/x").write_bytes(b"x")
    monkeypatch.setattr(tree, "MAX_ENTRIES", 10)
    snapshot = work.turn.before_command([str(work.folder)], "1")
    assert "more than 10 files" in work.turn.new_gaps(snapshot)[0]
    monkeypatch.setattr(tree, "MAX_ENTRIES", 1_000)
    work.path("a").write_bytes(b"new")
    changes = work.turn.after_command(snapshot, "1").changes
    assert [change.path for change in changes] == [str(work.path("a"))]


def test_when_there_is_no_time_the_command_runs_all_the_same(work: HistoryWork) -> None:
    snapshot = work.turn.before_command([str(work.folder)], "1", limit_s=-1.0)
    assert "too long" in work.turn.new_gaps(snapshot)[0]
    work.path("a").write_bytes(b"new")
    assert work.turn.after_command(snapshot, "1").changes == ()
    assert [c.path for c in work.command(lambda: work.path("a").write_bytes(b"newer")).changes] == [str(work.path("a"))]


def test_a_slow_file_system_is_given_less_time(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_keeper, "WALK_LIMIT_S", -1.0)
    assert work.command(lambda: shell(work, "echo new > a")).changes == ()
    assert "too long" in work.history.gaps[0]
    found = work.command(lambda: shell(work, "echo newer > a"))
    assert [change.path for change in found.changes] == [str(work.path("a"))]


def test_the_longer_time_is_tried_again(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_keeper, "SLOW_FOR_S", 0.0)
    with monkeypatch.context() as slow:
        slow.setattr(tree_keeper, "WALK_LIMIT_S", -1.0)
        assert work.command(lambda: shell(work, "echo new > a")).changes == ()
    monkeypatch.setattr(tree_keeper, "SLOW_WALK_LIMIT_S", -1.0)
    assert len(work.command(lambda: shell(work, "echo newer > a")).changes) == 1


def test_the_copies_can_be_stopped(work: HistoryWork) -> None:
    stop = Cancellation()
    stop.cancel()
    with pytest.raises(InterruptedToolError):
        work.turn.before_command([str(work.folder)], "1", check=stop.check)


def test_a_full_store_does_not_keep_a_command_from_running(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_keeper, "MAX_KEPT_BYTES", 3)
    snapshot = work.turn.before_command([str(work.folder)], "1")
    assert "of which no copy was made" in work.turn.new_gaps(snapshot)[0]
    shell(work, "rm -r a sub")
    found = work.turn.after_command(snapshot, "1")
    lost = {os.path.relpath(path, work.folder) for path in found.not_covered}
    assert {"a", "sub/b", "sub/deep/c"} <= lost
    assert all(change.before.kind != "file" for change in found.changes)


def test_a_command_whose_process_was_killed_is_only_undone_on_demand(work: HistoryWork) -> None:
    before = work.state()
    work.turn.before_command([str(work.folder)], "1")
    shell(work, "echo new > a; rm -r sub/deep")
    work.history.close()  # as the end of a process: nobody looked at what the command did
    work.history = FileHistory(work.session)
    assert len(work.history.turns()[0].paths) == 2
    assert set(work.results(work.undo()).values()) == {"kept"}
    work.undo(force=True)
    assert work.state() == before


def test_what_a_tool_noted_in_another_turn_meanwhile_is_not_the_commands(work: HistoryWork) -> None:
    command, tool = work.history.turn("command"), work.history.turn("tool")
    snapshot = command.before_command([str(work.folder)], "1")
    work.turn = tool
    work.write("a", b"tool")
    shell(work, "echo x > new")
    command.after_command(snapshot, "1")
    assert {turn.label: len(turn.paths) for turn in work.history.turns()} == {"tool": 1, "command": 1}


def test_a_removed_working_folder(work: HistoryWork) -> None:
    before = work.state()
    work.command(lambda: shutil.rmtree(work.folder / "sub"))
    work.command(lambda: shutil.rmtree(work.folder))
    work.folder.mkdir()
    work.undo()
    assert work.state() == before


def test_deleted_files_of_another_owner_say_so(work: HistoryWork) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(work.path("a"), 12345, 12346)
    work.command(lambda: work.path("a").unlink())
    work.undo()
    status = work.path("a").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 12346, 0o755)
