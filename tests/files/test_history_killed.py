"""A process that is killed while it changes or undoes: each file is whole, and the history knows the way on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.files.history import FileHistory
from tests.support.history import HistoryWork

REPOSITORY = Path(__file__).parents[2]
FILES = 12
OLD, NEW = b"old" * 3_000, b"new!" * 3_000

CHANGING = """
import sys
from pathlib import Path
from tests.support.history import HistoryWork

work = HistoryWork(Path(sys.argv[1]))
print("ready", flush=True)
for number in range({files}):
    work.write(f"file-{{number}}", b"new!" * 3_000)
    print(number, flush=True)
"""

UNDOING = """
import sys
from pathlib import Path
from tests.support.history import HistoryWork

work = HistoryWork(Path(sys.argv[1]))
print("ready", flush=True)
work.undo()
"""

COMMAND = """
import sys, time
from pathlib import Path
from tests.support.history import HistoryWork

work = HistoryWork(Path(sys.argv[1]))
work.turn.before_command([str(work.folder)], "1")
(work.folder / "file-0").write_bytes(b"by the command")
print("ready", flush=True)
time.sleep(60)
"""


def run_and_kill(script: str, folder: Path, after_s: float) -> None:
    """Run a script and kill it so many seconds after it began."""
    process = subprocess.Popen(
        [sys.executable, "-c", script.format(files=FILES), str(folder)], stdout=subprocess.PIPE, cwd=REPOSITORY
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    try:
        process.wait(after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    process.stdout.close()


@pytest.fixture
def work(tmp_path: Path) -> HistoryWork:
    work = HistoryWork(tmp_path)
    for number in range(0, FILES, 2):  # the others are made by the turn
        work.path(f"file-{number}").write_bytes(OLD)
    return work


def contents(work: HistoryWork) -> dict[str, bytes]:
    names = [name for name in os.listdir(work.folder) if not name.startswith(".agenttools-")]
    return {name: work.path(name).read_bytes() for name in sorted(names)}


@pytest.mark.parametrize("seed", range(3))
def test_killed_while_a_turn_changes_files(work: HistoryWork, seed: int) -> None:
    before = contents(work)
    run_and_kill(CHANGING, work.folder.parent, random.Random(seed).uniform(0.0, 0.12))
    assert set(contents(work).values()) <= {OLD, NEW}
    history = FileHistory(work.session)
    if history.turns():
        assert not history.undo(1, Cancellation()).untouched
    assert contents(work) == before


@pytest.mark.parametrize("seed", range(3))
def test_killed_while_it_undoes(work: HistoryWork, seed: int) -> None:
    before = contents(work)
    for number in range(FILES):
        work.write(f"file-{number}", NEW)
    work.history.close()
    after = contents(work)
    run_and_kill(UNDOING, work.folder.parent, random.Random(seed).uniform(0.0, 0.12))
    assert set(contents(work).values()) <= {OLD, NEW}
    history = FileHistory(work.session)
    if any(turn.state != "undone" for turn in history.turns()):
        assert not history.undo(1, Cancellation()).untouched
    assert contents(work) == before
    while contents(work) != after:
        assert history.redo(Cancellation()).changed


def test_killed_while_a_command_runs(work: HistoryWork) -> None:
    before = contents(work)
    run_and_kill(COMMAND, work.folder.parent, 0.0)
    history = FileHistory(work.session)
    report = history.undo(1, Cancellation(), force=True)
    assert [os.path.basename(file.path) for file in report.files] == ["file-0"]
    assert contents(work) == before


def test_a_torn_record_at_the_end_is_not_read(work: HistoryWork) -> None:
    work.write("file-0", NEW)
    (log,) = work.history.folder.iterdir()
    first = log.stat().st_size
    work.next_turn("second")
    work.write("file-2", b"")
    work.history.close()
    whole = log.read_bytes()
    for size in range(len(whole) - 1, 0, -97):
        log.write_bytes(whole[:size])
        again = FileHistory(work.session)
        labels = [turn.label for turn in again.turns()]
        assert labels in ([], ["first"], ["second", "first"]) and (labels or size < first)
        again.close()
        for later in set(work.history.folder.iterdir()) - {log}:
            later.unlink()
