"""Command hooks as documented: what they read, what their exit codes and their output mean. Real scripts."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.hooks import BLOCKABLE, EVENTS, TOLD, Hook, ProcessEnd
from jupyter_agenttools.hooks.command import detach_s, interpret
from jupyter_agenttools.hooks.handlers import CommandHandler
from tests.support.hooks import Notes, command, hook_settings, python_script, says
from tests.support.shell import until
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio

COMMON = {"session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name"}


async def echo(tmp_path: Path, *entries: dict[str, Any], event: str = "PreToolUse", **options: Any) -> Any:
    session = Session(cwd=tmp_path, settings=hook_settings(event, *entries), tools=[echo_tool()], **options)
    try:
        return await session.call("Echo", {"text": "x"})
    finally:
        await session.aclose()


def read(path: str) -> str:
    return Path(path).read_text()


def pre_reason(outcome: Any) -> str:
    return next(event.reason for event in outcome.events if event.stage == "pre_hooks")


# ---- what goes in


async def read_by(tmp_path: Path, event: str, name: str, input: dict[str, Any], **options: Any) -> dict[str, Any]:
    """What a hook of ``event`` reads from its standard input when this call is made."""
    script = python_script(tmp_path, "import sys; open('told.json', 'wb').write(sys.stdin.buffer.read())")
    session = Session(cwd=tmp_path, settings=hook_settings(event, command(script)), **options)
    await session.call(name, input, tool_use_id="toolu_1")
    await session.aclose()
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["hook_event_name"] == event and told["session_id"] == session.id
    assert told["cwd"] == str(tmp_path) and told["transcript_path"] == str(session.transcript.path)
    return told


async def test_pre_tool_use(tmp_path) -> None:
    told = await read_by(tmp_path, "PreToolUse", "Bash", {"command": "echo é"})
    assert told.keys() == COMMON | {"tool_name", "tool_input", "tool_use_id"}
    assert (told["tool_name"], told["tool_use_id"]) == ("Bash", "toolu_1")
    assert told["tool_input"] == {"command": "echo é"}
    assert told["permission_mode"] == "default"


async def test_text_that_is_no_unicode_arrives_as_json(tmp_path) -> None:
    told = await read_by(tmp_path, "PreToolUse", "Echo", {"text": "é\ud800\0\n"}, tools=[echo_tool()])
    assert told["tool_input"] == {"text": "é\ud800\0\n"}


@pytest.mark.parametrize(
    ("name", "rest"), [("Read", {}), ("Write", {"content": "x"}), ("Edit", {"old_string": "", "new_string": "x"})]
)
async def test_paths_are_absolute(tmp_path, monkeypatch, name: str, rest: dict[str, Any]) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    made = {"Read": "old.txt", "Write": "new.txt", "Edit": "new.txt"}[name]
    (tmp_path / "old.txt").write_text("x")
    for given in (f"a/../{made}", f"~/{made}"):
        told = await read_by(tmp_path, "PreToolUse", name, {"file_path": given, **rest})
        assert told["tool_input"]["file_path"] == str(tmp_path / made)


async def test_post_tool_use(tmp_path) -> None:
    told = await read_by(tmp_path, "PostToolUse", "Bash", {"command": "echo hi"})
    assert told.keys() == COMMON | {"tool_name", "tool_input", "tool_use_id", "tool_response", "duration_ms"}
    assert told["tool_response"]["stdout"] == "hi\n" and told["tool_response"]["interrupted"] is False
    assert told["duration_ms"] > 0


async def test_post_tool_use_failure_of_an_error_and_of_a_failed_result(tmp_path) -> None:
    def fail(input: Any, context: Any) -> None:
        raise ValueError("broken")

    options = {"tools": [calling("Fail", fail, is_read_only=True)]}
    told = await read_by(tmp_path, "PostToolUseFailure", "Fail", {}, **options)
    fields = {"tool_name", "tool_input", "tool_use_id", "error", "is_interrupt"}
    assert told.keys() - {"duration_ms"} == COMMON | fields
    assert told["error"] == "broken" and told["is_interrupt"] is False
    told = await read_by(tmp_path, "PostToolUseFailure", "Bash", {"command": "touch /no/such/folder/x"})
    assert "No such file" in told["error"] and told["tool_name"] == "Bash"


async def test_permission_request_and_denied(tmp_path) -> None:
    told = await read_by(tmp_path, "PermissionRequest", "Bash", {"command": "rm x"})
    assert told.keys() == COMMON | {"tool_name", "tool_input", "permission_suggestions"}  # and no tool_use_id
    suggestion = told["permission_suggestions"][0]
    assert suggestion["type"] == "addRules" and suggestion["rules"][0]["toolName"] == "Bash"
    told = await read_by(tmp_path, "PermissionDenied", "Bash", {"command": "rm x"})
    assert told.keys() == COMMON | {"tool_name", "tool_input", "tool_use_id", "reason"}
    assert "nobody can be asked" in told["reason"]


async def test_the_environment_of_a_hook(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "startup.sh"))
    monkeypatch.setenv("ENV", str(tmp_path / "startup.sh"))
    (tmp_path / "startup.sh").write_text("echo a start-up file was read\n")
    settings = hook_settings("PreToolUse", command("env > env.txt"), env={"FROM_SETTINGS": "1"})
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    await session.call("Bash", {"command": "echo $0; export PATH=/nowhere:$PATH OF_THE_MODEL=1"})
    assert (await session.call("Echo", {})).status == "ok"
    lines = dict(line.split("=", 1) for line in (tmp_path / "env.txt").read_text().splitlines() if "=" in line)
    assert lines["CLAUDE_PROJECT_DIR"] == lines["JUPYTER_AGENTTOOLS_PROJECT_DIR"] == str(tmp_path)
    assert lines["FROM_SETTINGS"] == "1"
    assert "OF_THE_MODEL" not in lines and "/nowhere" not in lines["PATH"]  # a model must not choose a guard's programs
    assert "CLAUDE_ENV_FILE" not in lines and "BASH_ENV" not in lines and "ENV" not in lines


async def test_arguments_reach_a_program_without_a_shell(tmp_path) -> None:
    script = tmp_path / "a script"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > args.txt\n')
    script.chmod(0o755)
    entry = command("${CLAUDE_PROJECT_DIR}/a script", args=["$HOME; exit 2", "${CLAUDE_PROJECT_DIR}/x", "*"])
    assert (await echo(tmp_path, entry)).status == "ok"
    assert (tmp_path / "args.txt").read_text().splitlines() == ["$HOME; exit 2", f"{tmp_path}/x", "*"]


# ---- what comes out, by exit code


def end(event: str, status: int, stdout: str = "", stderr: str = "") -> Any:
    hook = Hook(event, None, "h", handler=CommandHandler("x"), kind="command")  # type: ignore[arg-type]
    return interpret(hook, ProcessEnd(status, stdout.encode(), stderr.encode())).output


BLOCKING = (
    "PreToolUse UserPromptSubmit UserPromptExpansion Stop SubagentStop TeammateIdle TaskCreated TaskCompleted "
    "ConfigChange PostToolBatch PreCompact Elicitation ElicitationResult WorktreeCreate"
).split()
TELLING = ["PostToolUse", "PostToolUseFailure"]


def test_the_documented_table_of_exit_code_2() -> None:
    assert set(BLOCKING) == BLOCKABLE and set(TELLING) == TOLD


@pytest.mark.parametrize("event", EVENTS)
def test_exit_code_2_for_every_event(event: str) -> None:
    output = end(event, 2, "", "not today")
    if event in BLOCKING:
        assert (output.behavior, output.reason) == ("deny", "not today")
    elif event in TELLING:
        assert output.additional_context == "not today"
    else:
        assert output.behavior is None and "not today" in output.warning


@pytest.mark.parametrize("event", BLOCKING)
@pytest.mark.parametrize("stdout", ['{"decision": "approve"}', '{"permissionDecision": "allow"}', "{broken", "text"])
def test_exit_code_2_blocks_whatever_was_printed(event: str, stdout: str) -> None:
    assert end(event, 2, stdout, "no").behavior == "deny"


def test_the_reason_of_the_json_comes_before_the_error_output() -> None:
    assert end("Stop", 2, '{"decision": "block", "reason": "from json"}', "from stderr").reason == "from json"


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("status", [0, 1, 3, 126, 127, 255])
def test_no_other_exit_code_blocks(event: str, status: int) -> None:
    output = end(event, status, "", "hm")
    if event == "WorktreeCreate" and status:
        assert output.behavior == "deny"
        return
    assert output.behavior is None
    assert ("hm" in output.warning) == (status != 0)


@pytest.mark.parametrize("event", [event for event in EVENTS if event not in ("PreToolUse", "PermissionRequest")])
def test_a_block_in_the_json_counts_where_an_event_can_be_blocked(event: str) -> None:
    output = end(event, 0, '{"decision": "block", "reason": "because"}')
    assert (output.behavior == "deny") == (event in BLOCKING or event in TELLING)
    if event in TELLING:
        assert "because" in output.additional_context


def test_valid_json_decides_at_any_other_exit_code() -> None:
    assert end("PreToolUse", 1, '{"permissionDecision": "deny"}').behavior == "deny"
    assert end("PreToolUse", 7, '{"permissionDecision": "allow"}').behavior == "allow"


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_plain_text_is_context_for_some_events(event: str) -> None:
    assert end(event, 0, "remember\n").additional_context == "remember"
    assert end("PostToolUse", 0, "remember\n").additional_context == ""


def test_the_json_of_each_event() -> None:
    specific = {"hookEventName": "SessionStart", "additionalContext": "c", "watchPaths": ["/x"], "sessionTitle": "t"}
    output = end("SessionStart", 0, json.dumps({"hookSpecificOutput": specific, "systemMessage": "m"}))
    assert (output.additional_context, output.message) == ("c", "m")
    assert output.extra == {"watchPaths": ["/x"], "sessionTitle": "t"}
    assert end("PermissionDenied", 0, '{"hookSpecificOutput": {"retry": true}}').retry
    assert end("Stop", 0, '{"continue": false, "stopReason": "enough"}').stop == "enough"
    decision = {"behavior": "deny", "message": "no", "interrupt": True}
    output = end("PermissionRequest", 0, json.dumps({"hookSpecificOutput": {"decision": decision}}))
    assert (output.behavior, output.reason, output.interrupt) == ("deny", "no", True)


def test_strictness_where_two_decisions_are_given() -> None:
    both = {"permissionDecision": "deny", "hookSpecificOutput": {"permissionDecision": "allow"}}
    assert end("PreToolUse", 0, json.dumps(both)).behavior == "deny"
    assert end("PreToolUse", 0, '{"permissionDecision": "deny", "permissionDecision": "allow"}').behavior == "ask"


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ('{"async": true}', 600),
        ('{"async": true, "asyncTimeout": 3}', 3),
        ('{"async": true, "asyncTimeout": "x"}', 600),
        ('{"async": "yes"}', None),
        ('{"async": true, "systemMessage": "on it"}', 600),
        ('{"async": true, "permissionDecision": "deny"}', None),
        ('{"async": true, "hookSpecificOutput": {"permissionDecision": "deny"}}', None),
        ('{"async": true, "decision": "block"}', None),
        ('{"async": true, "continue": false}', None),
        ('{"async": true', None),
        ("[]", None),
        ("", None),
    ],
)
def test_how_a_program_says_that_nobody_has_to_wait(line: str, seconds: float | None) -> None:
    assert detach_s(line.encode()) == seconds


# ---- through a session


async def test_a_deny_at_the_top_level_of_the_json_blocks(tmp_path) -> None:
    session = Session(
        cwd=tmp_path,
        settings=hook_settings(
            "PreToolUse", says({"permissionDecision": "deny", "permissionDecisionReason": "no"}), matcher="Bash"
        ),
    )
    outcome = await session.call("Bash", {"command": "touch ran"})
    assert outcome.status == "denied" and "no" in outcome.text and not (tmp_path / "ran").exists()


async def test_an_answer_for_another_event_is_ignored_with_a_warning(tmp_path) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "permissionDecision": "allow"}}
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", says(answer), matcher="Bash"))
    notes = Notes(session)
    outcome = await session.call("Bash", {"command": "rm x"})
    assert outcome.status == "denied" and "nobody can be asked" in outcome.text
    assert "names the event PermissionRequest" in pre_reason(outcome)
    assert len(notes.seen) == 1


async def test_a_hook_with_nothing_to_say_leaves_no_line(tmp_path) -> None:
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command("exit 0")), tools=[echo_tool()])
    notes = Notes(session)
    outcome = await session.call("Echo", {"text": "hi"})
    assert (outcome.status, outcome.text) == ("ok", "hi") and pre_reason(outcome) == "" and not notes.seen
    (run,) = outcome.events[4].after.pre_hooks.runs  # the record of the stage knows it nevertheless
    assert (run.name, run.decision, run.source, run.exit_code) == ("exit 0", "no objection", "session settings", 0)
    assert run.duration_ms > 0


async def test_exit_code_1_is_one_warning(tmp_path) -> None:
    session = Session(
        cwd=tmp_path, settings=hook_settings("PreToolUse", command("echo oops >&2; exit 1")), tools=[echo_tool()]
    )
    notes = Notes(session)
    outcome = await session.call("Echo", {"text": "hi"})
    assert (outcome.status, outcome.text) == ("ok", "hi")
    assert [note.text for note in notes.seen] == ["echo oops >&2; exit 1: exit code 1: oops"]


@pytest.mark.parametrize(("on_failure", "status"), [("block", "denied"), ("ask", "denied"), ("pass", "ok")])
async def test_who_chose_what_failures_do_is_listened_to(tmp_path, on_failure: str, status: str) -> None:
    assert (await echo(tmp_path, command("exit 1", onFailure=on_failure))).status == status


async def test_a_changed_input_is_used(tmp_path) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"text": "changed"}}}
    assert (await echo(tmp_path, says(answer))).text == "changed"


async def test_identical_hooks_run_once_and_different_ones_side_by_side(tmp_path) -> None:
    settings = hook_settings("PreToolUse", command("echo x >> runs"), command("echo x >> runs"), matcher="Echo")
    settings["hooks"]["PreToolUse"].append({"matcher": "E.*", "hooks": [command("echo x >> runs")]})
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    await session.call("Echo", {})
    assert (tmp_path / "runs").read_text() == "x\n"
    # each waits for the other: one after the other they would never end
    one = command("touch one; while [ ! -e two ]; do sleep 0.01; done", timeout=20)
    two = command("touch two; while [ ! -e one ]; do sleep 0.01; done", timeout=20)
    assert (await echo(tmp_path, one, two)).status == "ok"


async def test_the_filter_is_a_permission_rule_and_fails_open(tmp_path) -> None:
    async def status(rule: str, name: str, input: dict[str, Any]) -> str:
        entry = command("exit 2", **{"if": rule})
        session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", entry), tools=[echo_tool()])
        return (await session.call(name, input)).status

    assert await status("Bash(touch *)", "Bash", {"command": "echo a; touch b"}) == "denied"
    assert await status("Bash(git *)", "Bash", {"command": "touch b"}) == "ok"
    assert await status("Bash(", "Bash", {"command": "touch b"}) == "denied"  # unreadable: the hook runs


async def test_long_texts_go_to_a_file(tmp_path) -> None:
    script = python_script(tmp_path, "import json; print(json.dumps({'additionalContext': 'é' * 12_000}))")
    outcome = await echo(tmp_path, command(script), event="PostToolUse")
    assert len(outcome.text) < 4_000 and "12,000 characters" in outcome.text
    path = outcome.text.rsplit("in ", 1)[1].rstrip("]")
    assert read(path) == "é" * 12_000


async def test_a_hook_in_the_background_has_no_say_and_is_heard_later(tmp_path) -> None:
    os.mkfifo(tmp_path / "gate")
    entry = command('read x < gate; echo \'{"decision": "block", "additionalContext": "late"}\'', **{"async": True})
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", entry), tools=[echo_tool()])
    assert (await session.call("Echo", {})).status == "ok"  # it cannot even have begun to answer
    (tmp_path / "gate").write_text("go\n")
    texts = await reminders(session)
    assert "late" in texts[0]
    await session.aclose()


async def test_long_texts_of_late_hooks_go_to_a_file_too(tmp_path) -> None:
    os.mkfifo(tmp_path / "gate")
    source = "import json; print(json.dumps({'additionalContext': 'x' * 20_000}))"
    script = f"echo '{{\"async\": true}}'; read x < gate; {python_script(tmp_path, source)}"
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command(script)), tools=[echo_tool()])
    assert (await session.call("Echo", {})).status == "ok"
    (tmp_path / "gate").write_text("go\n")
    (text,) = await reminders(session)
    assert "20,000 characters" in text and len(text) < 4_000
    await session.aclose()


async def test_a_program_may_go_on_in_the_background(tmp_path) -> None:
    os.mkfifo(tmp_path / "gate")
    script = 'echo \'{"async": true, "asyncTimeout": 60}\'; read x < gate; echo \'{"additionalContext": "late"}\''
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command(script)), tools=[echo_tool()])
    assert (await session.call("Echo", {})).status == "ok"
    (tmp_path / "gate").write_text("go\n")
    assert "late" in (await reminders(session))[0]
    await session.aclose()


DENY = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not this"}


@pytest.mark.parametrize("indent", [None, 2])
async def test_who_says_async_and_decides_in_one_answer_is_heard(tmp_path, indent: int | None) -> None:
    answer = json.dumps({"async": True, "hookSpecificOutput": DENY}, indent=indent)
    session = Session(
        cwd=tmp_path, settings=hook_settings("PreToolUse", command(f"cat <<'END'\n{answer}\nEND")), tools=[echo_tool()]
    )
    outcome = await session.call("Echo", {})
    assert outcome.status == "denied" and "not this" in outcome.text
    await session.aclose()


@pytest.mark.parametrize("answer", [{"permissionDecision": "allow"}, {"decision": "approve"}])
async def test_an_allow_beside_async_allows_nothing(tmp_path, answer: dict[str, Any]) -> None:
    settings = {"hooks": hook_settings("PreToolUse", says({"async": True, **answer}))["hooks"]}
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()])
    notes = Notes(session)
    assert (await session.call("Echo", {})).status == "denied"  # nobody can be asked, and nobody allowed it
    assert any("so is an allow" in note.text for note in notes.seen)
    await session.aclose()


LATE = (
    (
        'printf \'{"permissionDecision": "deny", "permissionDecisionReason": "no"}\'',
        "says deny (no), which has no effect",
    ),
    ("echo no >&2; exit 2", "says deny (no), which has no effect"),
    ('printf \'{"continue": false, "stopReason": "enough"}\'', "says stop (enough), which has no effect"),
    ("exit 3", "exit code 3"),
    ("kill -SEGV $$", "ended by signal 11"),
    ("printf '{oops'", "is not JSON"),
)


@pytest.mark.parametrize(("script", "said"), LATE)
async def test_a_decision_that_comes_too_late_is_told(tmp_path, script: str, said: str) -> None:
    entry = command(script, **{"async": True})
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", entry), tools=[echo_tool()])
    notes = Notes(session)
    assert (await session.call("Echo", {})).status == "ok"
    await until(lambda: notes.seen, 20)
    assert said in notes.seen[0].text
    await session.aclose()


async def test_a_late_decision_of_a_program_that_went_on(tmp_path) -> None:
    os.mkfifo(tmp_path / "gate")
    script = "echo '{\"async\": true}'; read x < gate; echo no >&2; exit 2"
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", command(script)), tools=[echo_tool()])
    notes = Notes(session)
    assert (await session.call("Echo", {})).status == "ok"
    (tmp_path / "gate").write_text("go\n")
    await until(lambda: [note for note in notes.seen if "says deny (no), which has no effect" in note.text], 20)
    await session.aclose()


async def test_a_message_is_shown_while_the_hook_runs(tmp_path) -> None:
    shown: list[Any] = []

    class Watcher:
        def on_progress(self, event: Any) -> None:
            shown.append((event.tool_use_id, event.data.message))

    os.mkfifo(tmp_path / "gate")
    entry = command("read x < gate; touch done", statusMessage="Looking at it")
    session = Session(cwd=tmp_path, settings=hook_settings("PreToolUse", entry), tools=[echo_tool()])
    session.observers.attach(Watcher())
    async with anyio.create_task_group() as group:
        group.start_soon(partial(session.call, "Echo", {}, tool_use_id="toolu_1"))
        await until(lambda: shown, 20)
        assert shown == [("toolu_1", "Looking at it")] and not (tmp_path / "done").exists()
        await anyio.to_thread.run_sync((tmp_path / "gate").write_text, "go\n")
    assert (tmp_path / "done").exists()
    await session.aclose()


async def reminders(session: Session) -> list[str]:
    texts: list[str] = []
    await until(lambda: texts.extend(session.hook_events.take_reminders()) or texts, 20)
    return texts


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
async def test_a_hook_without_a_shell_of_its_own_choice_still_runs(tmp_path, monkeypatch) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("sh", "touch"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert (await echo(tmp_path, command("touch ran"))).status == "ok"
    assert (tmp_path / "ran").exists()
