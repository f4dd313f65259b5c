"""A result that was cut can be read to its end, with nobody there to be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_agenttools import Session

pytestmark = pytest.mark.anyio


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "work").mkdir()
    return Session(cwd=tmp_path / "work", session_dir=tmp_path / "session")


async def test_the_named_file_is_read_without_a_question(session: Session) -> None:
    outcome = await session.call("Bash", {"command": "seq 1 50000"})
    path = outcome.output.persisted_output_path
    assert path in outcome.text
    last = await session.call("Read", {"file_path": path, "offset": 50_000, "limit": 1})
    assert last.status == "ok" and "50000" in last.text


async def test_nothing_else_of_the_session_is(session: Session, tmp_path: Path) -> None:
    results = tmp_path / "session" / "tool-results"
    results.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (results / "link").symlink_to(tmp_path / "secret")
    for path in (results / "link", results / "../transcript.jsonl", tmp_path / "session"):
        assert (await session.decide("Read", {"file_path": str(path)})).behavior == "ask"
    assert (await session.decide("Write", {"file_path": str(results / "new"), "content": ""})).behavior == "ask"


async def test_a_folder_of_results_that_became_a_link_is_no_way_out(session: Session, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "session").mkdir()
    (tmp_path / "session" / "tool-results").symlink_to(tmp_path / "elsewhere")
    path = str(tmp_path / "session" / "tool-results" / "a")
    assert (await session.decide("Read", {"file_path": path})).behavior == "ask"


async def test_a_rule_still_denies(tmp_path: Path) -> None:
    rules = {"permissions": {"deny": [f"Read(/{tmp_path}/session/**)"]}}
    session = Session(cwd=tmp_path, settings=rules, session_dir=tmp_path / "session")
    path = str(tmp_path / "session" / "tool-results" / "a")
    assert (await session.decide("Read", {"file_path": path})).behavior == "deny"
