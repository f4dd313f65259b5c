"""A search whose kernel was killed ends by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jupyter_agenttools.files.plain_search.lifetime import watched

SEARCH = """
import asyncio, sys
from jupyter_agenttools import Session

async def main():
    session = Session(cwd=sys.argv[1], settings={"env": {"JUPYTER_AGENTTOOLS_RIPGREP": "off"}}, prompter="deny")
    await session.call("Grep", {"pattern": "(a+)+$(?<!b)"})

asyncio.run(main())
"""

GONE_WITHIN_S = 2.0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_nothing_is_left_of_a_search_whose_kernel_was_killed(tmp_path: Path) -> None:
    for number in range(8):  # work for each process of the search
        (tmp_path / f"f{number}").write_text("a" * 40 + "!\n")
    kernel = subprocess.Popen([sys.executable, "-c", SEARCH, str(tmp_path)])
    try:
        processes = _searching_for(kernel.pid)
    finally:
        kernel.kill()
        kernel.wait()
    deadline = time.monotonic() + GONE_WITHIN_S
    while any(map(_is_running, processes)) and time.monotonic() < deadline:
        pass
    left = [pid for pid in processes if _is_running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _searching_for(kernel: int) -> set[int]:
    """The processes of the search, once it is on its way."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        parents = {pid: _parent(pid) for pid in map(int, filter(str.isdecimal, os.listdir("/proc")))}
        found = {kernel}
        for _ in parents:
            found |= {pid for pid, parent in parents.items() if parent in found}
        found = {pid for pid in found - {kernel} if b"plain_search" in _command(pid)}
        if len(found) >= 2:  # the one that waits, and one that works
            return found
    raise AssertionError("no search has begun")


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _is_running(pid: int) -> bool:
    return b"plain_search" in _command(pid)


@pytest.mark.parametrize(("ending", "status"), [("", 0), ("import sys; sys.exit(2)", 2), ("1 / 0", 70)])
def test_the_status_of_the_work_is_passed_on(ending: str, status: int) -> None:
    assert watched(lambda: exec(ending), 60) == status


def test_work_without_end_ends_at_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_agenttools.files.plain_search.lifetime.GRACE_S", 0.05)
    assert watched(signal.pause, 0.05) == -signal.SIGALRM % 256
