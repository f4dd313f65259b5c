"""One owner for each file: under all of its names, among threads and among kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.files import file_lock, locks, safe_write
from jupyter_agenttools.files.locks import FileBusyError
from tests.support.crashes import kill_after

ADDING = """
import sys
from pathlib import Path
from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.files import file_lock, safe_write
path = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with file_lock(str(path)):
        old = path.read_bytes()
        new = str(int(old) + 1).encode()
        safe_write(str(path), new, cancellation=Cancellation(), expected_hash=None, expected=old)
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def is_busy(path: Path) -> bool:
    try:
        with file_lock(str(path), wait_seconds=0):
            return False
    except FileBusyError as error:
        assert error.check_id == "file-busy"
        return True


def test_every_name_leads_to_the_same_owner(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    (tmp_path / "other").touch()
    (tmp_path / "symbolic").symlink_to("f")
    os.link(tmp_path / "f", tmp_path / "hard")
    with file_lock(str(tmp_path / "f")):
        assert [is_busy(tmp_path / name) for name in ("f", "symbolic", "hard", "other")] == [True, True, True, False]
    with file_lock(str(tmp_path / "hard")):
        assert is_busy(tmp_path / "f")
    assert not is_busy(tmp_path / "f") and not locks._waiting


def test_a_file_that_is_not_there_yet_has_an_owner_too(tmp_path: Path) -> None:
    with file_lock(str(tmp_path / "f")):
        assert is_busy(tmp_path / "f")
        safe_write(str(tmp_path / "f"), b"x", cancellation=Cancellation(), expected_hash=None)
        assert is_busy(tmp_path / "f"), "also once it is there"


def test_whoever_waited_owns_what_is_there_now(tmp_path: Path) -> None:
    """The file is replaced, so it is another inode, while somebody waits for it under its hard link's name."""
    path = tmp_path / "f"
    path.write_bytes(b"0")
    threads = [threading.Thread(target=add, args=(path, 15)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == b"60" and not locks._waiting


def add(path: Path, times: int) -> None:
    for _ in range(times):
        with file_lock(str(path)):
            old = path.read_bytes()
            new = str(int(old) + 1).encode()
            safe_write(str(path), new, cancellation=Cancellation(), expected_hash=None, expected=old)


@pytest.mark.parametrize("names", [1, 2])
def test_two_kernels_lose_nothing(tmp_path: Path, home: Path, names: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"0")
    if names == 2:
        os.link(path, tmp_path / "g")
    given = [path, tmp_path / "g"] if names == 2 else [path, path]
    processes = [subprocess.Popen([sys.executable, "-c", ADDING, str(name), "40"]) for name in given]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert path.read_bytes() == b"80"
    assert os.listdir(home / "locks") == [] and os.listdir(home / "unfinished") == []


def test_a_killed_owner_owns_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").touch()

    def hold(report: object) -> None:
        with file_lock(str(tmp_path / "f")):
            threading.Event().wait()

    assert kill_after(hold, 0.3).killed
    assert not is_busy(tmp_path / "f")


def test_a_home_that_takes_no_files_is_no_reason_not_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(locks, "working_folder", refused)
    with file_lock(str(tmp_path / "f")):
        assert is_busy(tmp_path / "f"), "the threads of this process still wait for each other"
