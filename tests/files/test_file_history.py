"""Undo of what tools did to files."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.files import WriteError
from jupyter_agenttools.files.history import FileHistory
from tests.support.history import HistoryWork


@pytest.fixture
def work(tmp_path: Path) -> HistoryWork:
    return HistoryWork(tmp_path)


def test_a_changed_file_gets_its_bytes_and_mode_back(work: HistoryWork) -> None:
    work.path("a.sh").write_bytes(b"\xff\xfe old \r\n\0")
    work.path("a.sh").chmod(0o751)
    before = work.state()
    work.write("a.sh", b"new")
    work.write("a.sh", b"newer")
    report = work.undo()
    assert work.results(report) == {"a.sh": "restored"}
    assert work.state() == before
    assert [turn.label for turn in report.turns] == ["first"]


def test_the_report_holds_texts_in_any_encoding_and_its_repr_holds_none(work: HistoryWork) -> None:
    work.path("a").write_bytes("un caf\xe9 cr\xe8me br\xfbl\xe9e\n".encode("latin-1"))
    work.path("b").write_bytes("\ufeffold\n".encode("utf-16-le"))
    work.path("c").write_bytes(b"\0\1\2\0\xff" * 9)
    for name in "abc":
        work.write(name, b"new\n")
    report = work.undo()
    assert [file.new for file in report.files] == ["un caf\xe9 cr\xe8me br\xfbl\xe9e\n", "old\n", None]
    assert repr(report) == "<UndoReport undo of 1 turn; files: 3 restored>" and "caf" not in repr(report.files)


def test_a_made_file_is_removed_with_the_folders_made_for_it(work: HistoryWork) -> None:
    work.path("kept").mkdir()
    before = work.state()
    work.write("kept/deep/er/new.txt", b"new")
    assert work.results(work.undo()) == {"kept/deep/er/new.txt": "removed"}
    assert work.state() == before


def test_a_made_folder_that_holds_something_else_stays(work: HistoryWork) -> None:
    work.write("made/new.txt", b"new")
    work.path("made/mine").write_bytes(b"mine")
    report = work.undo()
    assert work.results(report) == {"made/new.txt": "removed", "made": "kept"}
    assert "other files" in report.files[-1].detail
    assert work.path("made/mine").read_bytes() == b"mine"
    with pytest.raises(UsageError, match="nothing to undo"):
        work.undo()  # the folder that had to stay is not asked for again


def test_a_file_that_somebody_changed_is_kept_and_named(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.path("b").write_bytes(b"old")
    work.write("a", b"agent")
    work.write("b", b"agent")
    work.path("a").write_bytes(b"person")
    report = work.undo()
    assert work.results(report) == {"a": "kept", "b": "restored"}
    assert [file.path for file in report.untouched] == [str(work.path("a"))]
    assert work.path("a").read_bytes() == b"person" and work.path("b").read_bytes() == b"old"
    assert work.history.turns()[0].state == "partly"


def test_force_puts_it_back_and_loses_nothing(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("a", b"agent")
    work.path("a").write_bytes(b"person")
    assert work.results(work.undo()) == {"a": "kept"}
    assert work.results(work.undo(force=True)) == {"a": "restored"}
    assert work.path("a").read_bytes() == b"old"
    assert work.results(work.redo()) == {"a": "restored"}
    assert work.path("a").read_bytes() == b"person"


def test_a_change_between_two_turns_is_not_jumped_over(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("a", b"agent 1")
    work.path("a").write_bytes(b"person")
    work.next_turn()
    work.write("a", b"agent 2")
    report = work.undo(2)
    assert work.path("a").read_bytes() == b"person"
    assert work.results(report) == {"a": "restored"} and "not the agent's" in report.files[0].detail


def test_a_change_in_the_middle_of_a_turn_is_not_jumped_over(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("a", b"agent 1")
    work.path("a").write_bytes(b"person")
    work.write("a", b"agent 2")
    work.undo()
    assert work.path("a").read_bytes() == b"person"


def test_several_turns_go_back_at_once_or_one_by_one(work: HistoryWork) -> None:
    states = [work.state()]
    for number in range(4):
        work.next_turn(f"turn {number}")
        work.write("a", b"%d" % number)
        work.write(f"new-{number}", b"x")
        states.append(work.state())
    assert [turn.label for turn in work.undo(2).turns] == ["turn 3", "turn 2"]
    assert work.state() == states[2]
    work.undo()
    assert work.state() == states[1]
    work.undo(7)
    assert work.state() == states[0]
    with pytest.raises(UsageError, match="nothing to undo"):
        work.undo()
    for state in (states[1], states[2], states[4]):
        work.redo()
        assert work.state() == state
    with pytest.raises(UsageError, match="nothing to do again"):
        work.redo()
    work.undo(4)
    assert work.state() == states[0]


def test_what_is_as_before_already_needs_nothing(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("a", b"agent")
    work.path("a").write_bytes(b"old")
    stamp = work.path("a").stat()
    assert work.results(work.undo()) == {"a": "already"}
    assert work.path("a").stat() == stamp


def test_links_are_followed_and_stay(work: HistoryWork) -> None:
    work.path("real").write_bytes(b"old")
    work.path("link").symlink_to("real")
    before = work.state()
    work.write("link", b"new")
    assert work.path("real").read_bytes() == b"new"
    work.undo()
    assert work.state() == before


def test_a_hard_linked_file_keeps_its_other_name(work: HistoryWork) -> None:
    work.path("one").write_bytes(b"old")
    os.link(work.path("one"), work.path("two"))
    work.write("one", b"new")
    work.undo()
    assert work.path("two").read_bytes() == b"old"
    assert work.path("one").stat().st_ino == work.path("two").stat().st_ino


def test_a_mode_that_a_person_changed_stays(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.path("a").chmod(0o644)
    work.write("a", b"new")
    work.path("a").chmod(0o700)
    work.undo()
    assert work.path("a").read_bytes() == b"old" and work.path("a").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_became_a_link_is_not_followed(work: HistoryWork, tmp_path: Path) -> None:
    work.write("sub/a", b"agent")
    elsewhere = tmp_path / "elsewhere"
    work.path("sub").rename(elsewhere)
    work.path("sub").symlink_to(elsewhere)
    report = work.undo()
    assert work.results(report)["sub/a"] == "failed"
    assert (elsewhere / "a").read_bytes() == b"agent"


def test_a_change_that_failed_is_no_turn(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.turn.before_change(str(work.path("a")), b"old", "call", "0" * 64)
    assert work.history.turns() == ()
    with pytest.raises(UsageError, match="nothing to undo"):
        work.undo()
    work.write("a", b"new")
    assert work.results(work.undo()) == {"a": "restored"}


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """The system refuses to write beyond ``size``, as it does on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_room_for_the_copy_nothing_is_changed(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("other", b"x")
    (log,) = work.history.folder.iterdir()
    with no_file_longer_than(log.stat().st_size + 10):
        with pytest.raises(WriteError, match="JUPYTER_AGENTTOOLS_FILE_HISTORY=off") as caught:
            work.write("a", b"new")
    assert caught.value.check_id == "history-not-kept"
    assert work.path("a").read_bytes() == b"old"
    work.write("a", b"new")
    assert set(work.results(work.undo())) == {"a", "other"}


def test_another_process_goes_on_with_the_history(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("a", b"one")
    work.next_turn("second")
    work.write("a", b"two")
    work.undo()
    work.history.close()
    work.history = FileHistory(work.session)
    assert [(turn.label, turn.state) for turn in work.history.turns()] == [("second", "undone"), ("first", "done")]
    work.redo()
    assert work.path("a").read_bytes() == b"two"
    work.undo(2)
    assert work.path("a").read_bytes() == b"old"


def test_two_sessions_in_one_folder_do_not_mix(work: HistoryWork) -> None:
    work.write("a", b"one")
    other = FileHistory(work.session)
    turn = other.turn("other")
    turn.before_change(str(work.path("b")), None, "call")
    work.path("b").write_bytes(b"x")
    turn.after_change(str(work.path("b")), "x", "call")
    assert [t.label for t in work.history.turns()] == ["first"]
    assert [t.label for t in other.turns()] == ["other"]


def test_copies_are_private(work: HistoryWork) -> None:
    work.path("a").write_bytes(b"old")
    work.write("a", b"new")
    (log,) = work.history.folder.iterdir()
    assert log.stat().st_mode & 0o777 == 0o600
    assert work.history.folder.stat().st_mode & 0o077 == 0
    assert b"old" in log.read_bytes()


def test_one_content_is_kept_once(work: HistoryWork) -> None:
    for number in range(5):
        work.path(str(number)).write_bytes(b"needle" * 1_000)
        work.write(str(number), b"")
    (log,) = work.history.folder.iterdir()
    assert log.read_bytes().count(b"needle" * 1_000) == 1


def test_a_stopped_undo_says_what_it_did_not_do(work: HistoryWork) -> None:
    for name in ("a", "b"):
        work.write(name, b"agent")
    stop = Cancellation()
    stop.cancel("enough")
    report = work.history.undo(1, stop)
    assert report.stopped and {file.result for file in report.files} == {"failed"}
    assert work.path("a").exists() and work.path("b").exists()
    assert work.results(work.undo()) == {"a": "removed", "b": "removed"}


def test_tools_of_one_turn_in_many_threads(work: HistoryWork) -> None:
    for number in range(8):
        work.path(str(number)).write_bytes(b"old")
    before = work.state()

    def change(number: int) -> None:
        for step in range(10):
            work.write(str(number), b"%d" % step)
            work.write(f"made/{number}/{step}", b"x")

    threads = [threading.Thread(target=change, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(work.history.turns()[0].paths) == 88
    work.undo()
    assert work.state() == before


def test_the_report_carries_the_texts(work: HistoryWork) -> None:
    work.path("a").write_text("old\n")
    work.path("bin").write_bytes(b"\0")
    work.write("a", b"new\n")
    work.write("bin", b"\1\0")
    files = {os.path.basename(file.path): file for file in work.undo().files}
    assert (files["a"].old, files["a"].new) == ("new\n", "old\n")
    assert files["bin"].old is None and files["bin"].changed
