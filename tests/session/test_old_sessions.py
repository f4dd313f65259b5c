"""Old sessions go, and nothing else does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.session import remove_old_sessions
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

DAY = 24 * 3600


def aged(path: Path, days: float) -> None:
    for each in (*path.rglob("*"), path):
        os.utime(each, (time.time() - days * DAY,) * 2, follow_symlinks=False)


def session_in(sessions: Path, letter: str, days: float, *names: str) -> Path:
    folder = sessions / (letter * 32)
    (folder / "tool-results").mkdir(parents=True)
    for name in ("transcript.jsonl", "tool-results/1.txt", *names):
        (folder / name).write_text("x")
    aged(folder, days)
    return folder


def test_what_is_older_goes(tmp_path: Path) -> None:
    old, young = session_in(tmp_path, "a", 31), session_in(tmp_path, "b", 29)
    assert remove_old_sessions(tmp_path, 30) == 1
    assert (old.exists(), young.exists()) == (False, True)
    assert remove_old_sessions(tmp_path, 0) == 0
    assert remove_old_sessions(tmp_path / "none", 30) == 0


def test_one_young_file_keeps_all_of_it(tmp_path: Path) -> None:
    folder = session_in(tmp_path, "a", 31)
    os.utime(folder / "tool-results" / "1.txt")
    assert remove_old_sessions(tmp_path, 30) == 0


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    target = session_in(elsewhere, "c", 99)
    sessions = tmp_path / "sessions"
    with_more = session_in(sessions, "a", 99, "notes.txt")
    (sessions / "mine").mkdir()
    aged(sessions / "mine", 99)
    (sessions / ("b" * 32)).symlink_to(target)
    inside = session_in(sessions, "d", 99)
    (inside / "tool-results" / "link").symlink_to(elsewhere)
    aged(inside, 99)
    assert remove_old_sessions(sessions, 30) == 1
    assert with_more.exists() and target.exists() and (sessions / "mine").exists()
    assert (target / "transcript.jsonl").exists()


async def test_a_session_that_still_runs_stays(tmp_path: Path) -> None:
    folder = tmp_path / ("e" * 32)
    session = Session(cwd=tmp_path, session_dir=folder, tools=[echo_tool()], prompter="deny")
    await session.call("Echo", {"text": "x"})
    aged(folder, 99)
    assert remove_old_sessions(tmp_path, 30) == 0
    await session.aclose()
    aged(folder, 99)
    assert remove_old_sessions(tmp_path, 30) == 1
