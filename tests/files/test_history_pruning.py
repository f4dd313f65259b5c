"""Old histories go, and nothing else."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

from jupyter_agenttools.files.history import FileHistory
from jupyter_agenttools.files.history.pruning import MAX_AGE_S, prune


def make(sessions: Path, *, age_s: float = 0.0, size: int = 100) -> Path:
    """A session with a history of that age; returns the session's folder."""
    session = sessions / uuid.uuid4().hex
    history = session / "file-history"
    history.mkdir(parents=True)
    log = history / "history-0001.log"
    log.write_bytes(b"x" * size)
    os.utime(log, (time.time() - age_s,) * 2)
    (session / "transcript.jsonl").write_text("{}")
    return session


def kept(sessions: Path) -> set[str]:
    return {session.name for session in sessions.iterdir() if (session / "file-history").exists()}


def test_only_old_histories_go(tmp_path: Path) -> None:
    old, fresh = make(tmp_path, age_s=MAX_AGE_S + 60), make(tmp_path, age_s=MAX_AGE_S - 3_600)
    assert prune(tmp_path) == 1
    assert kept(tmp_path) == {fresh.name}
    assert (old / "transcript.jsonl").exists()


def test_the_oldest_go_when_all_are_too_large(tmp_path: Path) -> None:
    sessions = [make(tmp_path, age_s=age, size=1_000) for age in (10.0, 20.0, 30.0, 40.0)]
    assert prune(tmp_path, max_total_bytes=2_500) == 2
    assert kept(tmp_path) == {session.name for session in sessions[:2]}


def test_a_running_session_keeps_its_history(tmp_path: Path) -> None:
    session = tmp_path / uuid.uuid4().hex
    history = FileHistory(session)
    turn = history.turn("x")
    turn.before_change(str(tmp_path / "a"), None, "call")
    (log,) = (session / "file-history").iterdir()
    os.utime(log, (0, 0))
    assert prune(tmp_path) == 0 and log.exists()
    history.close()
    assert prune(tmp_path) == 1 and not log.exists()


def test_links_are_never_followed(tmp_path: Path) -> None:
    sessions, elsewhere = tmp_path / "sessions", tmp_path / "elsewhere"
    precious = make(elsewhere, age_s=MAX_AGE_S * 2) / "file-history"
    (sessions / uuid.uuid4().hex).mkdir(parents=True)
    (sessions / uuid.uuid4().hex).symlink_to(precious.parent)
    (next(p for p in sessions.iterdir() if not p.is_symlink()) / "file-history").symlink_to(precious)
    linked = make(sessions, age_s=MAX_AGE_S * 2) / "file-history" / "history-0001.log"
    linked.unlink()
    linked.symlink_to(precious / "history-0001.log")
    prune(sessions)
    assert (precious / "history-0001.log").exists()
    (tmp_path / "link").symlink_to(sessions)
    make(sessions, age_s=MAX_AGE_S * 2)
    assert prune(tmp_path / "link") == 0


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    stranger = make(tmp_path, age_s=MAX_AGE_S * 2)
    (stranger / "file-history" / "notes.txt").write_text("mine")
    named = tmp_path / "my-session" / "file-history"
    named.mkdir(parents=True)
    (named / "history-0001.log").write_text("x")
    os.utime(named / "history-0001.log", (0, 0))
    prune(tmp_path)
    assert (stranger / "file-history" / "notes.txt").exists() and (named / "history-0001.log").exists()


def test_no_folder_at_all(tmp_path: Path) -> None:
    assert prune(tmp_path / "none") == 0


def test_a_session_throws_old_ones_away(tmp_path: Path) -> None:
    old = make(tmp_path, age_s=MAX_AGE_S * 2)
    history = FileHistory(tmp_path / uuid.uuid4().hex, sessions=tmp_path)
    history.turn("x").before_change(str(tmp_path / "a"), None, "call")
    assert not (old / "file-history").exists()
