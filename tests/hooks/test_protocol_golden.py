"""The protocol of command hooks, event by event: what real scripts in sh and in Python read, and what their ends do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import ScriptedModel, Session, ToolUse
from jupyter_agenttools.hooks import FIRED, HookEvent
from jupyter_agenttools.settings import load_settings
from tests.support.hooks import command, hook_settings, python_script
from tests.support.shell import until
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio

ALWAYS = {"session_id": str, "transcript_path": str, "cwd": str, "hook_event_name": str, "permission_mode": str}
CALL = {"tool_name": str, "tool_input": dict}
TURN = {"prompt_id": str}
READ: Mapping[HookEvent, Mapping[str, type | tuple[type, ...]]] = {
    "SessionStart": {"source": str, "model": str},
    "SessionEnd": {"reason": str},
    "UserPromptSubmit": {**TURN, "prompt": str},
    "Stop": {**TURN, "stop_hook_active": bool, "last_assistant_message": str},
    "StopFailure": {**TURN, "error": str, "error_details": str, "last_assistant_message": str},
    "PreToolUse": {**CALL, "tool_use_id": str},
    "PermissionRequest": {**CALL, "permission_suggestions": list},
    "PermissionDenied": {**CALL, "tool_use_id": str, "reason": str},
    "PostToolUse": {**CALL, "tool_use_id": str, "tool_response": dict, "duration_ms": (int, float)},
    "PostToolUseFailure": {
        **CALL, "tool_use_id": str, "error": str, "is_interrupt": bool, "duration_ms": (int, float),
    },
    "PostToolBatch": {**TURN, "tool_calls": list},
    "Notification": {"message": str, "notification_type": str},
    "TaskCreated": {"task_id": str, "task_subject": str},
    "TaskCompleted": {"task_id": str, "task_subject": str},
    "CwdChanged": {"old_cwd": str, "new_cwd": str},
    "FileChanged": {"file_path": str, "event": str},
    "ConfigChange": {"source": str, "file_path": str},
    "SubagentStart": {"agent_id": str, "agent_type": str},
    "SubagentStop": {"agent_id": str, "agent_type": str, "stop_hook_active": bool},
    "PreCompact": {"trigger": str, "custom_instructions": str},
    "PostCompact": {"trigger": str, "compact_summary": str},
}  # fmt: skip
"""The fields of each event beside those that every event has. Not one more and not one less is sent."""

KEEP = "import sys\ntext = sys.stdin.buffer.read()\nopen('{path}', 'ab').write(text)\n"


def test_every_event_that_is_fired_is_in_the_table() -> None:
    assert set(READ) == FIRED


# ---- what is read


class Place:
    """A folder with hooks in two languages that keep what they read."""

    def __init__(self, base: Path) -> None:
        self.project, self.kept = base / "project", base / "kept"
        self.project.mkdir()
        self.kept.mkdir()
        by_sh = command(f"cat >> '{self.kept}/sh'")
        by_python = command(python_script(base, KEEP.format(path=f"{self.kept}/python")))
        self.entries = (by_sh, by_python)

    def session(self, event: HookEvent, *, matcher: str = "", **options: Any) -> Session:
        settings = hook_settings(event, *self.entries, matcher=matcher)
        settings["permissions"] = {"allow": ["Bash(echo *)", "Bash(cd *)", "Bash(sleep *)", "Echo"]}
        return Session(cwd=self.project, settings=settings, **options)

    def read(self, name: str) -> list[dict[str, Any]]:
        path = self.kept / name
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []

    def both(self) -> bool:
        return bool(self.read("sh")) and bool(self.read("python"))


async def fire_by_hand(session: Session, event: HookEvent) -> None:
    """For the events of parts that tell through the same door."""
    text = {"agent_type": "Explore", "trigger": "auto"}
    samples = {str: "x", bool: False}
    fields = {name: text.get(name, samples.get(kind, "x")) for name, kind in READ[event].items()}  # type: ignore[call-overload]
    await session.hook_events.fire(event, fields)


async def happens(place: Place, event: HookEvent, home: Path) -> Session:
    """Make the event happen in a session that has the hooks; the session."""
    if event in ("SubagentStart", "SubagentStop", "PreCompact", "PostCompact"):
        session = place.session(event)
        await fire_by_hand(session, event)
    elif event == "ConfigChange":
        session = await change_of_config(place, home)
    elif event in ("UserPromptSubmit", "Stop", "PostToolBatch"):
        model = ScriptedModel([ToolUse("Echo", {"text": "é"}), "Done."])
        session = place.session(event, model=model, tools=[echo_tool()])
        [update async for update in session.query("go on")]
    elif event == "StopFailure":
        session = place.session(event, model=Broken())
        [update async for update in session.query("go on")]
    elif event == "FileChanged":
        session = await change_of_file(place)
    else:
        session = place.session(event, tools=[calling("Fail", fail, is_read_only=True)])
        await CALLS[event](session)
    return session


class Broken:
    """A model that cannot be asked."""

    name = "broken"

    async def stream(self, request: Any) -> Any:
        raise ConnectionError("gone")
        yield


def fail(input: Any, context: Any) -> None:
    raise ValueError("broken")


async def change_of_file(place: Place) -> Session:
    session = place.session("FileChanged", matcher=".env", tools=[echo_tool()])
    await session.call("Echo", {})
    numbers = iter(range(10_000))

    def heard() -> bool:
        (place.project / ".env").write_text(f"A={next(numbers)}")  # again and again: the watcher may just be beginning
        return place.both()

    await until(heard, 30)
    return session


async def change_of_config(place: Place, home: Path) -> Session:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    settings = hook_settings("ConfigChange", *place.entries)
    file.write_text(json.dumps(settings))
    session = Session(
        cwd=place.project, settings=load_settings(str(place.project)), tools=[echo_tool()], watch_settings=True
    )
    await session.call("Echo", {})
    file.write_text(json.dumps({**settings, "cleanupPeriodDays": 3}))
    await session.call("Echo", {})
    return session


def calls(name: str, input: Mapping[str, Any]) -> Callable[[Session], Awaitable[Any]]:
    async def call(session: Session) -> None:
        await session.call(name, dict(input))
        if name == "Bash" and input.get("run_in_background"):
            job = session.jobs.find("bash_1")
            assert job is not None
            with anyio.fail_after(20):
                await job.wait()

    return call


async def begin_and_end(session: Session) -> None:
    await session.call("Bash", {"command": "echo hi"})
    await session.aclose()


IN_BACKGROUND = {"command": "echo hi", "run_in_background": True, "description": "say hi"}
CALLS: Mapping[HookEvent, Callable[[Session], Awaitable[Any]]] = {
    "SessionStart": calls("Bash", {"command": "echo hi"}),
    "SessionEnd": begin_and_end,
    "PreToolUse": calls("Bash", {"command": "echo é"}),
    "PostToolUse": calls("Bash", {"command": "echo é"}),
    "PostToolUseFailure": calls("Fail", {}),
    "PermissionRequest": calls("Bash", {"command": "rm x"}),
    "PermissionDenied": calls("Bash", {"command": "rm x"}),
    "Notification": calls("Bash", {"command": "rm x"}),
    "TaskCreated": calls("Bash", IN_BACKGROUND),
    "TaskCompleted": calls("Bash", IN_BACKGROUND),
    "CwdChanged": calls("Bash", {"command": "cd sub"}),
}


@pytest.mark.parametrize("event", sorted(FIRED))
async def test_what_scripts_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: HookEvent) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    place = Place(tmp_path)
    if event == "CwdChanged":
        (place.project / "sub").mkdir()
    session = await happens(place, event, tmp_path / "home")
    await until(place.both, 30)
    await session.aclose()
    (by_sh, *_), (by_python, *_) = place.read("sh"), place.read("python")
    assert by_sh == by_python
    fields = {**ALWAYS, **READ[event]}
    assert by_sh.keys() == fields.keys()
    assert {name for name, kind in fields.items() if not isinstance(by_sh[name], kind)} == set()
    assert (by_sh["hook_event_name"], by_sh["session_id"]) == (event, session.id)
    assert by_sh["transcript_path"] == str(session.transcript.path) and Path(by_sh["cwd"]).is_absolute()


# ---- what their ends do, for every event

BLOCKED_BY_2 = (
    "PreToolUse UserPromptSubmit Stop SubagentStop TaskCreated TaskCompleted ConfigChange PostToolBatch PreCompact"
).split()
TOLD_BY_2 = ("PostToolUse", "PostToolUseFailure")
PYTHON = """\
import json, sys
event = json.load(sys.stdin)["hook_event_name"]
"""
WITH_REASON = PYTHON + 'print(json.dumps({"decision": "block", "reason": f"no {event}"}))\n'
EXIT_2 = PYTHON + 'print(json.dumps({"decision": "approve"}))\nsys.exit(2)\n'


async def effects(tmp_path: Path, event: HookEvent, text: str) -> Any:
    session = Session(cwd=tmp_path, settings=hook_settings(event, command(text)))
    samples = {str: "x", bool: False, dict: {}, list: []}
    fields = {name: samples.get(kind, 1) for name, kind in READ[event].items()}  # type: ignore[call-overload]
    try:
        return await session.hook_events.fire(event, fields)
    finally:
        await session.aclose()


@pytest.mark.parametrize("event", sorted(FIRED))
async def test_exit_code_2_of_a_script_in_sh(tmp_path: Path, event: HookEvent) -> None:
    said = await effects(tmp_path, event, f"cat > /dev/null; echo 'no {event}' >&2; exit 2")
    assert (said.behavior == "deny") == (event in (*BLOCKED_BY_2, *TOLD_BY_2))
    if event in BLOCKED_BY_2:
        assert said.reason == f"no {event}"
    elif event in TOLD_BY_2:
        assert said.additional_context == (f"no {event}",)
    else:
        assert "has no effect" in said.ran[0] and f"no {event}" in said.ran[0]


@pytest.mark.parametrize("event", sorted(FIRED))
async def test_exit_code_2_of_a_program_in_python_beats_its_own_approval(tmp_path: Path, event: HookEvent) -> None:
    said = await effects(tmp_path, event, python_script(tmp_path, EXIT_2))
    assert (said.behavior == "deny") == (event in (*BLOCKED_BY_2, *TOLD_BY_2))


@pytest.mark.parametrize("event", sorted(FIRED))
async def test_a_block_in_json_of_a_program_in_python(tmp_path: Path, event: HookEvent) -> None:
    said = await effects(tmp_path, event, python_script(tmp_path, WITH_REASON))
    blocks = event in (*BLOCKED_BY_2, *TOLD_BY_2, "PermissionRequest")
    assert said.behavior == ("deny" if blocks else None)
    assert said.reason == f"no {event}" or not blocks


@pytest.mark.parametrize("event", sorted(FIRED))
async def test_other_exit_codes_are_told_and_silence_is_silence(tmp_path: Path, event: HookEvent) -> None:
    said = await effects(tmp_path, event, "cat > /dev/null; echo oops >&2; exit 1")
    assert said.behavior is None and "exit code 1: oops" in said.ran[0]
    said = await effects(tmp_path, event, "exit 0")
    assert (said.behavior, said.ran, said.messages, said.additional_context) == (None, (), (), ())


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
async def test_json_printed_by_shells(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    program = tmp_path / "hook"
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
              "permissionDecisionReason": "by $SHELL"}}  # fmt: skip
    program.write_text(f"#!{shutil.which(shell)}\ncat > /dev/null\ncat <<'END'\n{json.dumps(answer, indent=2)}\nEND\n")
    program.chmod(0o755)
    said = await effects(tmp_path, "PreToolUse", "./hook")
    assert (said.behavior, said.reason) == ("deny", "by $SHELL")
