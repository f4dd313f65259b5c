"""Every tool there is, with an input that it would take: a guard hears of it first and can keep it from running."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session, hook
from jupyter_agenttools.registry import get_all_base_tools
from tests.support.hooks import command
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

QUESTION = {
    "question": "Which?",
    "header": "Pick",
    "options": [{"label": "a", "description": "A"}, {"label": "b", "description": "B"}],
    "multiSelect": False,
}
INPUTS: Mapping[str, Mapping[str, Any]] = {
    "AskUserQuestion": {"questions": [QUESTION]},
    "Bash": {"command": "touch made"},
    "Brief": {"enabled": True},
    "Config": {"setting": "notebookOutputs", "value": "keep"},
    "Edit": {"file_path": "a.txt", "old_string": "one", "new_string": "two"},
    "EnterPlanMode": {},
    "ExitPlanMode": {"plan": "First this, then that."},
    "Glob": {"pattern": "*"},
    "Grep": {"pattern": "one"},
    "InspectVariable": {"name": "x"},
    "Monitor": {"command": "touch made", "description": "look"},
    "NotebookEdit": {"notebook_path": "a.ipynb", "new_source": "x", "edit_mode": "insert", "cell_type": "code"},
    "NotebookRead": {"notebook_path": "a.ipynb"},
    "PowerShell": {"command": "touch made"},
    "REPL": {"code": "open('made', 'w').close()"},
    "Read": {"file_path": "a.txt"},
    "RunCell": {"notebook_path": "a.ipynb", "cell_ids": ["c1"]},
    "Sleep": {"seconds": 0.001},
    "TaskOutput": {"task_id": "bash_1", "block": False},
    "TaskStop": {"task_id": "bash_1"},
    "TodoWrite": {"todos": [{"content": "x", "status": "pending", "activeForm": "x"}]},
    "Write": {"file_path": "made", "content": "x"},
    "mcp__db__query": {"text": "x"},
}
"""What each tool is called with. A new tool needs a line here, with an input that it would carry out."""

NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
NAMES = sorted({tool.name for tool in get_all_base_tools()} | {"mcp__db__query"})


def test_there_is_an_input_for_every_tool() -> None:
    assert list(INPUTS) == sorted(INPUTS, key=str) and set(INPUTS) == set(NAMES)


class Room:
    """A session in which every tool has something to do, and what can be seen of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.session = Session(
            cwd=folder,
            settings={"permissions": {"allow": [*INPUTS]}},
            tools=[echo_tool("mcp__db__query", is_mcp=True)],
            prompter=lambda request: self.asked.append(request.tool_name) is None,
        )

    async def prepare(self, name: str) -> None:
        """Make what this tool works on, and what has to come before it."""
        (self.folder / "a.txt").write_text("one\n")
        (self.folder / "a.ipynb").write_text(json.dumps(NOTEBOOK))
        for path in ("a.txt", "a.ipynb"):
            await self.session.call("Read", {"file_path": path})
        if name.startswith("Task"):
            started = await self.session.call("Bash", {"command": "sleep 1000", "run_in_background": True})
            assert started.status == "ok"
        if name == "ExitPlanMode":
            self.session.set_mode("plan")
        self.asked.clear()

    def seen(self) -> Any:
        """Everything that a tool could change."""
        session = self.session
        files = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        jobs = [(job.id, job.over) for job in session.jobs.all()]
        return files, jobs, session.state, session.todos, tuple(self.asked)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """With a PowerShell on the path that would do what it is told, so that its tool exists on every machine."""
    programs, project = tmp_path / "programs", tmp_path / "project"
    programs.mkdir()
    project.mkdir()
    (programs / "pwsh").write_text("#!/bin/sh\ntouch made\n")
    (programs / "pwsh").chmod(0o755)
    for flag in ("SLEEP", "BRIEF"):
        monkeypatch.setenv(f"JUPYTER_AGENTTOOLS_{flag}", "1")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(project)  # Python code that is run has no folder but that of the process
    yield Room(project)


GUARD = {"matcher": "", "hooks": [command("cat > ../told.json; echo not this >&2; exit 2")]}


@pytest.mark.parametrize("name", NAMES)
async def test_a_command_hook_blocks_it_before_it_does_anything(room: Room, tmp_path: Path, name: str) -> None:
    await room.prepare(name)
    session = room.session
    session.reload_settings({"permissions": {"allow": [*INPUTS]}, "hooks": {"PreToolUse": [GUARD]}})
    before = room.seen()
    outcome = await session.call(name, dict(INPUTS[name]))
    assert outcome.status == "denied" and "not this" in outcome.text, outcome.text
    assert [event.stage for event in outcome.events][-1] != "call"
    assert not {"permission", "call"} & {event.stage for event in outcome.events}
    assert room.seen() == before
    told = json.loads((tmp_path / "told.json").read_text())
    assert (told["hook_event_name"], told["tool_name"]) == ("PreToolUse", name)
    await session.aclose()


@pytest.mark.parametrize("name", NAMES)
async def test_a_hook_in_python_blocks_it_too_and_without_one_it_would_work(room: Room, name: str) -> None:
    await room.prepare(name)
    heard: list[str] = []

    @hook("PreToolUse")
    async def guard(event: dict[str, Any]) -> str:
        heard.append(event["tool_name"])
        return "deny"

    remove = room.session.add_hook(guard)
    before = room.seen()
    outcome = await room.session.call(name, dict(INPUTS[name]))
    assert outcome.status == "denied" and heard == [name] and room.seen() == before
    remove()
    again = await room.session.call(name, dict(INPUTS[name]))
    stages = [event.stage for event in again.events]
    assert "permission" in stages  # the input is one that comes as far as that: the test above blocked a real call
    assert heard == [name]
    await room.session.aclose()
