"""Whole queries: recorded in one folder, replayed in another, and played by a person at a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import ManualModel, RecordedModel, ScriptedModel, Session
from jupyter_agenttools.core.updates import CallFinished, ModelRetry, TurnEnded
from jupyter_agenttools.models import RetryingModel, RetryPolicy, TerminalPlayer

pytestmark = pytest.mark.anyio

SETTINGS = {"permissions": {"allow": ["Bash(ls *)"], "defaultMode": "acceptEdits"}}


async def query(folder: Path, model: Any, prompt: str = "Look around.") -> tuple[list[Any], TurnEnded]:
    session = Session(cwd=str(folder), settings=SETTINGS, prompter="deny", model=model)
    updates = [update async for update in session.query(prompt)]
    return updates, updates[-1]


def outcomes(updates: list[Any]) -> list[tuple[str, str]]:
    return [(u.outcome.tool_use.name, u.outcome.status) for u in updates if isinstance(u, CallFinished)]


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    """Two folders that hold the same, at different places."""
    folders = [tmp_path / "here", tmp_path / "over" / "there"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "x.txt").write_text("hello\n")
    return folders


async def test_a_lesson_can_be_replayed_elsewhere(places: list[Path], tmp_path: Path) -> None:
    here, there = places
    turns = [
        {
            "thinking": "Where am I?",
            "tool_uses": [
                {"name": "Read", "input": {"file_path": f"{here}/x.txt"}},
                {"name": "Bash", "input": {"command": f"ls {here}"}},
                {"name": "Bash", "raw_input": '{"comm'},
            ],
        },
        {"tool_uses": [{"name": "Write", "input": {"file_path": f"{here}/y.txt", "content": "new"}}]},
        f"I wrote {here}/y.txt.",
    ]
    recording = RecordedModel.record(ScriptedModel(turns), tmp_path / "c.jsonl", cwd=here)
    seen, ended = await query(here, recording)
    recording.close()
    assert ended.reason == "end_turn" and str(here) not in (tmp_path / "c.jsonl").read_text()

    replayed, again = await query(there, RecordedModel.replay(tmp_path / "c.jsonl", cwd=there))
    assert (again.reason, again.text) == ("end_turn", f"I wrote {there}/y.txt.")
    assert outcomes(replayed) == outcomes(seen) == [("Read", "ok"), ("Bash", "ok"), ("Bash", "error"), ("Write", "ok")]
    assert (there / "y.txt").read_text() == "new"


async def test_a_changed_world_stops_the_replay_and_shows_it(places: list[Path], tmp_path: Path) -> None:
    here, there = places
    turns = [{"tool_uses": [{"name": "Read", "input": {"file_path": f"{here}/x.txt"}}]}, "It says hello."]
    await query(here, RecordedModel.record(ScriptedModel(turns), tmp_path / "c.jsonl", cwd=here))
    (there / "x.txt").write_text("goodbye\n")
    _, ended = await query(there, RecordedModel.replay(tmp_path / "c.jsonl", cwd=there))
    assert ended.reason == "error" and "exchange 2 of 2" in ended.detail
    assert "hello" in ended.detail and "goodbye" in ended.detail


async def test_one_session_can_replay_the_same_recording_twice(places: list[Path], tmp_path: Path) -> None:
    here, _ = places
    turns = [{"tool_uses": [{"name": "Read", "input": {"file_path": "x.txt"}}]}, "Done."]
    await query(here, RecordedModel.record(ScriptedModel(turns), tmp_path / "c.jsonl", cwd=here))
    session = Session(cwd=str(here), settings=SETTINGS, prompter="deny")
    for attempt in range(2):
        model = RecordedModel.replay(tmp_path / "c.jsonl", cwd=here)
        ended = [update async for update in session.query("Look around.", model=model)][-1]
        # the second conversation goes on from the first, which the recording does not: that is a mismatch
        assert ended.reason == ("error" if attempt else "end_turn")
    ids = [use.id for message in session.messages for use in message.tool_uses]
    assert len(set(ids)) == len(ids)


async def test_a_recording_of_retries_replays_them_without_asking_anybody(places: list[Path], tmp_path: Path) -> None:
    here, _ = places
    busy = ScriptedModel([{"error": "rate_limit", "retry_after_s": 0}, {"error": "overloaded"}, "Hello."])
    patient = RetryingModel(busy, RetryPolicy(first_s=0.001))
    seen, ended = await query(here, RecordedModel.record(patient, tmp_path / "c.jsonl"))
    assert ended.text == "Hello."
    again, ended = await query(here, RecordedModel.replay(tmp_path / "c.jsonl"))
    assert ended.text == "Hello."
    retries = [[u for u in updates if isinstance(u, ModelRetry)] for updates in (seen, again)]
    assert retries[0] == retries[1] and len(retries[0]) == 2


async def test_a_person_plays_the_model(places: list[Path]) -> None:
    here, _ = places
    lines = iter(["Let me see.", "/call Read", "x.txt", "", "", "", "", "It says hello.", ""])
    shown: list[str] = []

    async def read(text: str) -> str:
        shown.append(text)
        return next(lines)

    updates, ended = await query(here, ManualModel(TerminalPlayer(read)), "What is in x.txt?")
    assert outcomes(updates) == [("Read", "ok")] and ended.text == "It says hello."
    assert "What is in x.txt?" in shown[0] and any("[result]" in text and "hello" in text for text in shown)


@pytest.mark.parametrize("kind", ["rate_limit", "connection", "context_overflow", "failure", "setup"])
async def test_after_a_failure_the_conversation_goes_on(places: list[Path], kind: str) -> None:
    session = Session(cwd=str(places[0]), settings=SETTINGS, prompter="deny")
    model = ScriptedModel([{"text": "I beg", "error": kind, "message": f"this is {kind}"}, "Hello again."])
    first = [update async for update in session.query("Hello", model=model)][-1]
    assert first.reason == "error" and f"this is {kind}" in first.detail
    second = [update async for update in session.query("Again", model=model)][-1]
    assert (second.reason, second.text) == ("end_turn", "Hello again.")
