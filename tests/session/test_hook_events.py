"""What hooks are told outside of single calls, and what they can do about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import ScriptedModel, Session, ToolUse, hook
from jupyter_agenttools.agents import MAX_STOP_BLOCKS
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.settings import load_settings
from tests.support.hooks import ALLOWED, Notes, command, hook_settings, python_script, says
from tests.support.shell import until
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

KEEP = "import sys; open('told.jsonl', 'ab').write(sys.stdin.buffer.readline())"


def listening(tmp_path: Path, *events: str) -> dict[str, Any]:
    """Settings whose hooks write what they are told into a file."""
    entry = command(python_script(tmp_path, KEEP))
    return {"permissions": ALLOWED, "hooks": {event: [{"hooks": [entry]}] for event in events}}


def told(tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "told.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def query(session: Session, prompt: str = "go") -> TurnEnded:
    last = [update async for update in session.query(prompt)][-1]
    assert isinstance(last, TurnEnded)
    return last


def texts(session: Session) -> list[str]:
    return [block.text for m in session.messages for block in m.content if hasattr(block, "text")]


# ---- the session


async def test_the_beginning_and_the_end_are_told_once(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=listening(tmp_path, "SessionStart", "SessionEnd"), tools=[echo_tool()])
    assert not told(tmp_path)
    await session.call("Echo", {})
    await session.call("Echo", {})
    await session.aclose()
    await session.aclose()
    start, end = told(tmp_path)
    assert (start["hook_event_name"], start["source"]) == ("SessionStart", "startup")
    assert (end["hook_event_name"], end["reason"]) == ("SessionEnd", "other")


async def test_the_end_does_not_wait_longer_than_its_budget(tmp_path) -> None:
    settings = hook_settings("SessionEnd", command("sleep 1000", timeout=600), command("trap '' TERM; sleep 1000"))
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    await session.call("Echo", {})
    with anyio.fail_after(20):
        await session.aclose()


async def test_context_and_variables_from_the_beginning(tmp_path) -> None:
    script = 'echo \'export GREETING="hello $USER_NAME"\' >> "$CLAUDE_ENV_FILE"; echo "Mind the gap."'
    settings = hook_settings("SessionStart", command(script), env={"USER_NAME": "you"})
    session = Session(cwd=tmp_path, settings=settings, model=ScriptedModel(["Hi."]))
    notes = Notes(session)
    assert (await session.call("Bash", {"command": 'echo "$GREETING"'})).text.strip() == "hello you"
    assert session.state.shell_env["GREETING"] == "hello you"
    assert any("GREETING" in note.text for note in notes.seen)
    await query(session)
    assert any("Mind the gap." in text for text in texts(session))
    await session.aclose()


async def test_lines_for_later_commands_that_hang_are_given_up(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("jupyter_agenttools.session.hook_services.ENV_FILE_S", 0.5)
    settings = hook_settings("SessionStart", command('echo "sleep 1000" > "$CLAUDE_ENV_FILE"'))
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    notes = Notes(session)
    with anyio.fail_after(30):
        assert (await session.call("Echo", {})).status == "ok"
    assert any("could not be taken over" in note.text for note in notes.seen)


# ---- the turn


async def test_a_prompt_can_be_blocked_and_added_to(tmp_path) -> None:
    settings = hook_settings(
        "UserPromptSubmit", command("grep -q secret && { echo 'no secrets' >&2; exit 2; }; echo noted")
    )
    session = Session(cwd=tmp_path, settings=settings, model=ScriptedModel(["Hi.", "Hi again."]))
    ended = await query(session, "a secret")
    assert ended.reason == "hook" and "no secrets" in ended.detail
    assert session.messages == ()
    assert (await query(session, "good morning")).reason == "end_turn"
    assert any("noted" in text for text in texts(session)) and "good morning" in texts(session)


async def test_what_the_hooks_of_a_turn_read(tmp_path) -> None:
    settings = listening(tmp_path, "UserPromptSubmit", "Stop", "StopFailure", "PostToolBatch")
    model = ScriptedModel([ToolUse("Echo", {"text": "a"}), "The answer."])
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()], model=model)
    await query(session, "go on")
    prompt, batch, stop = told(tmp_path)
    assert prompt["prompt"] == "go on" and prompt["prompt_id"] == stop["prompt_id"] != ""
    assert (stop["stop_hook_active"], stop["last_assistant_message"]) == (False, "The answer.")
    assert batch["tool_calls"][0]["tool_name"] == "Echo" and batch["tool_calls"][0]["tool_response"] == "a"

    class Broken:
        name = "broken"

        async def stream(self, request: Any) -> Any:
            raise ConnectionError("gone")
            yield

    session.model = Broken()
    assert (await query(session)).reason == "error"
    assert told(tmp_path)[-1]["error_details"] == "ConnectionError: gone"


async def test_the_end_of_a_turn_can_be_refused_and_the_loop_goes_on_with_the_reason(tmp_path) -> None:
    script = 'grep -q \'"stop_hook_active": true\' || { echo "run the tests first" >&2; exit 2; }'
    settings = hook_settings("Stop", command(script))
    session = Session(cwd=tmp_path, settings=settings, model=ScriptedModel(["Done.", "Tests pass."]))
    ended = await query(session)
    assert (ended.reason, ended.text) == ("end_turn", "Tests pass.")
    assert any("run the tests first" in text for text in texts(session))


async def test_a_hook_that_always_refuses_the_end_does_not_keep_the_turn_for_ever(tmp_path) -> None:
    session = Session(
        cwd=tmp_path,
        settings=hook_settings("Stop", says({"decision": "block", "reason": "more"})),
        model=ScriptedModel([f"answer {number}" for number in range(100)]),
    )
    ended = await query(session)
    assert ended.reason == "end_turn" and ended.text == f"answer {MAX_STOP_BLOCKS}"
    assert "refused 8 times" in ended.detail


async def test_a_stop_hook_may_also_end_it_for_good(tmp_path) -> None:
    answer = {"decision": "block", "reason": "more", "continue": False, "stopReason": "enough"}
    session = Session(cwd=tmp_path, settings=hook_settings("Stop", says(answer)), model=ScriptedModel(["a", "b"]))
    assert await query(session) == TurnEnded("end_turn", "a", "enough", turns=1)


async def test_a_stop_while_a_hook_thinks_ends_the_turn(tmp_path) -> None:
    begun = anyio.Event()

    @hook("Stop")
    async def slow(event: Any) -> Any:
        begun.set()
        await anyio.sleep_forever()

    session = Session(cwd=tmp_path, hooks=[slow], model=ScriptedModel(["a"]))
    ended: list[TurnEnded] = []
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:

            async def run() -> None:
                ended.append(await query(session))

            group.start_soon(run)
            await begun.wait()
            session.interrupt("enough")
    assert ended[0].text == "a"


# ---- what happens beside


async def test_a_question_that_waits_is_told(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=listening(tmp_path, "Notification"))
    await session.call("Bash", {"command": "rm x"})
    await until(lambda: told(tmp_path), 20)
    (event,) = told(tmp_path)
    assert event["notification_type"] == "permission_prompt" and "Bash waits" in event["message"]
    await session.aclose()


async def test_tasks_in_the_background_are_told(tmp_path) -> None:
    settings = listening(tmp_path, "TaskCreated", "TaskCompleted", "Notification")
    session = Session(cwd=tmp_path, settings=settings)
    await session.call("Bash", {"command": "echo hi", "run_in_background": True, "description": "say hi"})
    await until(lambda: len(told(tmp_path)) == 3, 20)
    events = {event["hook_event_name"]: event for event in told(tmp_path)}
    assert events["TaskCreated"]["task_id"] == events["TaskCompleted"]["task_id"] == "bash_1"
    assert events["TaskCreated"]["task_subject"] == "say hi"
    assert events["Notification"]["notification_type"] == "task_ended"
    await session.aclose()


async def test_a_task_can_be_refused(tmp_path) -> None:
    settings = hook_settings("TaskCreated", command("echo no tasks today >&2; exit 2"))
    settings["permissions"] = {"allow": ["Bash"]}
    session = Session(cwd=tmp_path, settings=settings)
    await session.call("Bash", {"command": "sleep 1000", "run_in_background": True})
    job = session.jobs.find("bash_1")
    assert job is not None
    with anyio.fail_after(20):
        await job.wait()
    assert "no tasks today" in job.stopped_by
    await session.aclose()


async def test_a_change_of_the_folder_is_told_and_may_set_variables(tmp_path) -> None:
    (tmp_path / "sub").mkdir()
    script = "cat >> told.jsonl; echo 'export HERE=1' > \"$CLAUDE_ENV_FILE\""
    settings = hook_settings("CwdChanged", command(script))
    settings["permissions"] = {"allow": ["Bash(cd *)", "Bash(echo *)"]}
    session = Session(cwd=tmp_path, settings=settings)
    await session.call("Bash", {"command": "cd sub"})
    (event,) = told(tmp_path / "sub")
    assert (event["old_cwd"], event["new_cwd"]) == (str(tmp_path), str(tmp_path / "sub"))
    assert (await session.call("Bash", {"command": "echo $HERE"})).text.strip() == "1"
    await session.aclose()


async def test_a_change_of_a_watched_file_is_told(tmp_path) -> None:
    settings = listening(tmp_path, "FileChanged")
    settings["hooks"]["FileChanged"][0]["matcher"] = ".env|.envrc"
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    await session.call("Echo", {})
    numbers = iter(range(10_000))

    def heard() -> bool:
        (tmp_path / ".env").write_text(f"A={next(numbers)}")  # again and again: the watcher may just be beginning
        (tmp_path / "other").write_text("x")
        return bool(told(tmp_path))

    await until(heard, 30)
    await session.aclose()
    events = told(tmp_path)
    assert {event["file_path"] for event in events} == {str(tmp_path / ".env")}
    assert {event["event"] for event in events} <= {"add", "change"}


async def test_a_change_of_the_settings_can_be_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = tmp_path / "home" / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    hooks = hook_settings("ConfigChange", command("cat > told.jsonl; echo not now >&2; exit 2"))["hooks"]
    file.write_text(json.dumps({"hooks": hooks, "permissions": {"allow": ["Echo"]}}))
    session = Session(
        cwd=tmp_path,
        settings=load_settings(str(tmp_path)),
        tools=[echo_tool(), echo_tool("Other")],
        watch_settings=True,
    )
    assert (await session.call("Echo", {})).status == "ok"
    file.write_text(json.dumps({"permissions": {"allow": ["Other"]}}))
    assert (await session.call("Other", {})).status == "denied"
    assert (await session.call("Echo", {})).status == "ok"
    (event,) = told(tmp_path)
    assert (event["source"], event["file_path"]) == ("user_settings", str(file))
    await session.aclose()


async def test_hooks_that_come_with_new_settings_count_from_the_next_call_on(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": ALLOWED}, tools=[echo_tool()])
    assert (await session.call("Echo", {})).status == "ok"
    session.reload_settings(hook_settings("PreToolUse", command("exit 2")))
    assert (await session.call("Echo", {})).status == "denied"
    session.reload_settings({"permissions": ALLOWED})
    assert (await session.call("Echo", {})).status == "ok"


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("SubagentStart", {"agent_id": "a", "agent_type": "Explore"}),
        ("SubagentStop", {"agent_id": "a", "agent_type": "Explore", "stop_hook_active": False}),
        ("PreCompact", {"trigger": "auto", "custom_instructions": ""}),
        ("PostCompact", {"trigger": "auto", "compact_summary": "s"}),
    ],
)
async def test_events_of_parts_that_are_told_through_the_same_door(tmp_path, event: str, fields: Any) -> None:
    settings = hook_settings(event, command("cat >> told.jsonl; echo no >&2; exit 2"), matcher="Explore|auto")
    session = Session(cwd=tmp_path, settings=settings)
    effects = await session.hook_events.fire(event, fields)
    assert (effects.behavior == "deny") == (event in ("SubagentStop", "PreCompact"))
    (heard,) = told(tmp_path)
    assert fields.items() <= heard.items() and heard["hook_event_name"] == event
    other = {name: "other" if name in ("agent_type", "trigger") else value for name, value in fields.items()}
    assert (await session.hook_events.fire(event, other)).runs == ()


async def test_a_hook_of_python_hears_the_same(tmp_path) -> None:
    heard: list[dict[str, Any]] = []

    def keep(event: dict[str, Any]) -> None:
        heard.append(event)

    hooks = [hook(event)(keep) for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")]  # type: ignore[arg-type]
    session = Session(cwd=tmp_path, hooks=hooks, model=ScriptedModel(["Hi."]))
    await query(session)
    await session.aclose()
    assert [event["hook_event_name"] for event in heard] == ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
    assert all(event["session_id"] == session.id for event in heard)
