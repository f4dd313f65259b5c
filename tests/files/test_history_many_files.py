"""An undo of many paths at once: names of one file, folders in each other's way, more than one batch."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from jupyter_agenttools.files.history import planning, record_log
from tests.support.history import HistoryWork


@pytest.fixture
def work(tmp_path: Path) -> HistoryWork:
    return HistoryWork(tmp_path)


def make_many(work: HistoryWork, count: int) -> None:
    for number in range(count):
        work.path(f"{number % 3}").mkdir(exist_ok=True)
        work.path(f"{number % 3}/{number}").write_bytes(b"old %d" % number)


def test_many_files_wait_for_the_log_once(work: HistoryWork, monkeypatch: pytest.MonkeyPatch) -> None:
    make_many(work, 60)
    before = work.state()
    work.command(lambda: [work.path(f"{n % 3}/{n}").write_bytes(b"new %d" % n) for n in range(60)])
    changed, waits = work.state(), []
    sync = record_log._sync
    monkeypatch.setattr(record_log, "_sync", lambda descriptor: waits.append(sync(descriptor)))
    monkeypatch.setattr(planning, "BATCH_BYTES", 50)
    assert len(work.undo().changed) == 60
    assert len(waits) == 1
    assert work.state() == before
    assert len(work.redo().changed) == 60
    assert work.state() == changed


def test_removed_folders_come_back(work: HistoryWork) -> None:
    make_many(work, 30)
    before = work.state()
    work.command(lambda: [shutil.rmtree(work.path(str(n))) for n in range(3)])
    assert len(work.undo().changed) == 30
    assert work.state() == before
    work.redo()
    assert work.state() == {}
    work.undo()
    assert work.state() == before


def test_both_names_of_a_file_come_again(work: HistoryWork) -> None:
    work.path("exe").write_bytes(b"e\n")
    work.command(lambda: os.link(work.path("exe"), work.path("hard")))
    work.next_turn("second")
    work.command(lambda: work.path("hard").write_bytes(b"e\nx\n"))
    assert work.results(work.undo()) == {"exe": "restored", "hard": "restored"}
    assert work.path("exe").read_bytes() == work.path("hard").read_bytes() == b"e\n"
    assert work.results(work.undo()) == {"hard": "removed"}
    assert work.results(work.redo()) == {"hard": "restored"}
    assert work.results(work.redo()) == {"exe": "restored", "hard": "restored"}
    assert work.path("exe").read_bytes() == work.path("hard").read_bytes() == b"e\nx\n"


def test_both_names_while_they_are_still_one_file(work: HistoryWork) -> None:
    work.path("exe").write_bytes(b"e\n")
    os.link(work.path("exe"), work.path("hard"))
    work.command(lambda: work.path("hard").write_bytes(b"e\nx\n"))
    for _ in range(2):
        assert work.results(work.undo()) == {"exe": "restored", "hard": "restored"}
        assert work.path("exe").read_bytes() == b"e\n"
        assert work.results(work.redo()) == {"exe": "restored", "hard": "restored"}
        assert work.path("hard").read_bytes() == b"e\nx\n"
    assert work.path("exe").samefile(work.path("hard"))
