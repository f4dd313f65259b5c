"""Every built-in tool in every mode: what passes, what asks and what is denied, with no rule at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.context import PermissionMode
from jupyter_agenttools.registry import get_all_base_tools

pytestmark = pytest.mark.anyio
MODES = get_args(PermissionMode)
GOLDEN = Path(__file__).with_name("registry_modes.json")
"""For each call its answers in the order of ``MODES``. Whoever changes a line changes what people's agents may do."""

NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
QUESTION = {
    "question": "Which?",
    "header": "H",
    "options": [{"label": "A", "description": ""}, {"label": "B", "description": ""}],
}
FLAGS = {"JUPYTER_AGENTTOOLS_SLEEP": "1", "JUPYTER_AGENTTOOLS_BRIEF": "1"}
"""With them a session has every tool that there is."""
IN, OUT = "{project}", "{outside}"
CALLS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "AskUserQuestion": ("AskUserQuestion", {"questions": [QUESTION]}),
    "Bash that reads": ("Bash", {"command": "git status && ls -la | wc -l"}),
    "Bash that makes files": ("Bash", {"command": "mkdir new && touch new/a"}),
    "Bash that makes files outside": ("Bash", {"command": f"touch {OUT}/a"}),
    "Bash that removes a folder": ("Bash", {"command": "rm -r src"}),
    "Bash that runs code": ("Bash", {"command": "python x.py"}),
    "Bash that removes everything": ("Bash", {"command": "rm -rf /"}),
    "Bash that changes what runs": ("Bash", {"command": "echo x > .git/config"}),
    "Bash out of the sandbox": ("Bash", {"command": "make", "dangerouslyDisableSandbox": True}),
    "Brief": ("Brief", {"enabled": True}),
    "Config that reads": ("Config", {"setting": "permissionMode"}),
    "Config that narrows": ("Config", {"setting": "permissionMode", "value": "plan"}),
    "Config that keeps outputs": ("Config", {"setting": "notebookOutputs", "value": "keep"}),
    "Edit": ("Edit", {"file_path": f"{IN}/src/a.py", "old_string": "1", "new_string": "2"}),
    "Edit outside": ("Edit", {"file_path": f"{OUT}/a.py", "old_string": "1", "new_string": "2"}),
    "Edit of a protected file": ("Edit", {"file_path": f"{IN}/.git/config", "old_string": "1", "new_string": "2"}),
    "EnterPlanMode": ("EnterPlanMode", {}),
    "ExitPlanMode": ("ExitPlanMode", {"plan": "Do it."}),
    "Glob": ("Glob", {"pattern": "**/*.py"}),
    "Glob outside": ("Glob", {"pattern": "*", "path": OUT}),
    "Grep": ("Grep", {"pattern": "x"}),
    "Grep outside": ("Grep", {"pattern": "x", "path": OUT}),
    "InspectVariable": ("InspectVariable", {"name": "x"}),
    "Monitor that reads": ("Monitor", {"command": "tail -f src/a.py", "description": "watch"}),
    "Monitor that runs code": ("Monitor", {"command": "python x.py", "description": "watch"}),
    "NotebookEdit": (
        "NotebookEdit",
        {"notebook_path": f"{IN}/a.ipynb", "edit_mode": "insert", "new_source": "1", "cell_type": "code"},
    ),
    "NotebookRead": ("NotebookRead", {"notebook_path": f"{IN}/a.ipynb"}),
    "NotebookRead outside": ("NotebookRead", {"notebook_path": f"{OUT}/a.ipynb"}),
    "PowerShell": ("PowerShell", {"command": "Get-ChildItem"}),
    "Read": ("Read", {"file_path": f"{IN}/src/a.py"}),
    "Read outside": ("Read", {"file_path": f"{OUT}/a.py"}),
    "REPL": ("REPL", {"code": "1 + 1"}),
    "RunCell": ("RunCell", {"notebook_path": f"{IN}/a.ipynb", "cell_ids": ["c1"]}),
    "Sleep": ("Sleep", {"seconds": 1}),
    "TaskOutput": ("TaskOutput", {"task_id": "b1"}),
    "TaskStop": ("TaskStop", {"task_id": "b1"}),
    "TodoWrite": ("TodoWrite", {"todos": []}),
    "Write": ("Write", {"file_path": f"{IN}/b.py", "content": "1"}),
    "Write of the settings": ("Write", {"file_path": f"{IN}/.claude/settings.json", "content": "{}"}),
    "Write outside": ("Write", {"file_path": f"{OUT}/b.py", "content": "1"}),
}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (project / "src", project / ".git", outside):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("x = 1\n")
    (project / ".git" / "config").write_text("1\n")
    (project / "a.ipynb").write_text(json.dumps(NOTEBOOK))
    return {IN: project, OUT: outside}


def placed(value: Any, places: Mapping[str, Path]) -> Any:
    if not isinstance(value, str):
        return value
    for name, path in places.items():
        value = value.replace(name, str(path))
    return value


async def answers(places: Mapping[str, Path]) -> dict[str, str]:
    """For each call what is decided about it, mode by mode."""
    made = {}
    settings = [{"permissions": {"defaultMode": mode}, "env": FLAGS} for mode in MODES]
    sessions = [Session(cwd=places[IN], settings=each) for each in settings]
    for title, (name, input) in CALLS.items():
        whole = {key: placed(value, places) for key, value in input.items()}
        made[title] = " ".join([(await session.decide(name, whole)).behavior for session in sessions])
    return made


async def test_the_whole_table(places: dict[str, Path]) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert golden["modes"] == list(MODES)
    assert await answers(places) == golden["calls"]


def test_no_tool_is_left_out() -> None:
    assert {name for name, _ in CALLS.values()} == {tool.name for tool in get_all_base_tools()}


def test_what_the_table_may_never_say() -> None:
    golden = json.loads(GOLDEN.read_text())["calls"]
    for title, line in golden.items():
        by_mode = dict(zip(MODES, line.split(), strict=True))
        if "removes everything" in title or "protected" in title or "settings" in title or "changes what runs" in title:
            assert "allow" not in by_mode.values(), title
        if by_mode["plan"] == "allow":
            assert by_mode["default"] == "allow", title
        assert by_mode["dontAsk"] != "ask", title
        if by_mode["default"] == "allow":
            assert {by_mode[mode] for mode in MODES if mode != "plan"} == {"allow"}, title


@pytest.mark.parametrize("mode", MODES)
async def test_a_deny_rule_stops_every_tool_in_every_mode(mode: str, places: dict[str, Path]) -> None:
    permissions = {"defaultMode": mode, "deny": ["*"], "allow": [name for name, _ in CALLS.values()]}
    settings = {"permissions": permissions, "env": FLAGS}
    session = Session(cwd=places[IN], settings=settings)
    for title, (name, input) in CALLS.items():
        whole = {key: placed(value, places) for key, value in input.items()}
        assert (await session.decide(name, whole)).behavior == "deny", title
    assert session.tools == ()
