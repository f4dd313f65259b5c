"""The session: its rights, its pool, its transcript on disk, who answers."""

from __future__ import annotations

import json
import resource
from typing import Any

import pytest

from jupyter_agenttools import PermissionAnswer, Session, UsageError, build_tool, hook
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.registry import get_all_base_tools
from jupyter_agenttools.session import AllowListPrompter, register_prompter
from tests.support.tools import calling, echo_tool, writer

pytestmark = pytest.mark.anyio


def lines(session: Session) -> list[dict[str, Any]]:
    return [json.loads(line) for line in session.transcript.path.read_bytes().splitlines()]


async def test_the_transcript_holds_every_step_and_is_private(tmp_path) -> None:
    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=lambda request: True)
    await session.call("Echo", {"text": "x" * 5000})
    kinds = [line["type"] for line in lines(session)]
    assert kinds[0] == "session" and kinds.count("stage") == 9
    assert kinds.index("call_start") < kinds.index("stage") < kinds.index("call_end")
    assert {"schedule", "permission_request", "permission_answer"} <= set(kinds)
    assert [line["block"]["content"] for line in lines(session) if line["type"] == "call_end"] == ["x" * 5000]
    assert session.transcript.path.stat().st_mode & 0o077 == 0


async def test_any_text_can_be_written(tmp_path) -> None:
    session = Session(cwd=tmp_path, tools=[echo_tool()], settings={"permissions": {"allow": ["Echo"]}})
    for text in ("é → 🙂", "lone \ud83d surrogate", "\u2028\x00\n"):
        await session.call("Echo", {"text": text})
    assert next(line["block"]["content"] for line in lines(session) if line["type"] == "call_end") == "é → 🙂"
    assert len(session.transcript.path.read_bytes().splitlines()) == len(lines(session))


async def test_a_transcript_that_cannot_be_written_stops_nothing(tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    session = Session(
        cwd=tmp_path, tools=[echo_tool()], session_dir=blocked / "inside", settings={"permissions": {"allow": ["Echo"]}}
    )
    assert (await session.call("Echo", {"text": "x"})).text == "x"
    assert (await session.call("Bash", {"command": "echo one"})).output.stdout == "one\n"
    assert session.transcript.fault is not None


async def test_a_disk_that_was_full_costs_no_later_line(tmp_path) -> None:
    session = Session(cwd=tmp_path, tools=[echo_tool()], settings={"permissions": {"allow": ["Echo"]}})
    await session.call("Echo", {"text": "before"})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (session.transcript.path.stat().st_size + 100, limits[1]))
    try:
        await session.call("Echo", {"text": "meanwhile"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert session.transcript.fault is not None
    await session.call("Echo", {"text": "after"})
    texts = session.transcript.path.read_bytes().splitlines()
    torn = max(number for number, line in enumerate(texts) if not line.endswith(b"}"))
    kinds = [json.loads(line)["type"] for line in texts[torn + 1 :]]
    assert [kind for kind in kinds if kind != "schedule"] == ["call_start", *["stage"] * 9, "call_end"]


async def test_the_pool_has_one_order_and_leaves_denied_tools_out(tmp_path) -> None:
    session = Session(
        cwd=tmp_path, settings={"permissions": {"deny": ["Bash"]}}, tools=[echo_tool("Zed"), echo_tool("Abc")]
    )
    usual = (tool.name for tool in get_all_base_tools() if tool.is_enabled(session.options))
    own = sorted(name for name in usual if name not in ("Bash", "Monitor"))
    assert [t.name for t in session.tools] == [*own, "Abc", "Zed"]
    outcome = await session.call("Bash", {"command": "true"})
    assert outcome.status == "denied" and "Bash" in outcome.text


async def test_both_names_of_a_tool_work(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("alpha\n")
    session = Session(cwd=tmp_path)
    for name in ("Read", "FileRead"):
        assert "alpha" in (await session.call(name, {"file_path": "a.txt", "limit": 5 + len(name)})).text


def test_a_name_of_a_built_in_tool_is_taken(tmp_path) -> None:
    with pytest.raises(UsageError, match="built-in"):
        Session(cwd=tmp_path, tools=[echo_tool("FileRead")])


def test_a_tool_of_the_same_name_is_replaced_and_can_be_taken_back(tmp_path) -> None:
    session = Session(cwd=tmp_path, tools=[writer()])
    undo = session.add_tool(second := writer())
    assert session.find_tool("Writer") is second
    undo()
    assert session.find_tool("Writer") is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cwd": "/nowhere/at/all"}, "no such folder"),
        ({"prompter": "telepathy"}, "no prompter is named 'telepathy'"),
        ({"prompter": 7}, "prompter"),
        ({"settings": {"permissions": {"allow": "Read"}}}, "allow"),
        ({"settings": {"permissions": {"defaultMode": "yolo"}}}, "defaultMode"),
        ({"settings": {"permissions": {"allow": ["Bash("]}}}, "Bash"),
    ],
)
def test_a_bad_argument_is_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Session(**arguments)


async def test_a_front_end_registers_itself_and_leaves(tmp_path) -> None:
    class Yes:
        async def ask(self, request: Any) -> PermissionAnswer:
            return PermissionAnswer("allow", answered_by="front end")

    undo = register_prompter("window", lambda session: Yes(), default=True)
    try:
        assert (await Session(cwd=tmp_path, tools=[echo_tool()]).call("Echo", {})).status == "ok"
    finally:
        undo()
    assert (await Session(cwd=tmp_path, tools=[echo_tool()]).call("Echo", {})).status == "denied"


async def test_nobody_there_means_a_denial_that_names_the_rule(tmp_path) -> None:
    outcome = await Session(cwd=tmp_path).call("Bash", {"command": "touch made"})
    assert outcome.status == "denied" and "Bash(touch made)" in outcome.text
    allowed = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Bash(touch made)"]}})
    assert (await allowed.call("Bash", {"command": "touch made"})).status == "ok"
    assert (tmp_path / "made").exists()


async def test_an_allow_list_answers_from_its_rules(tmp_path) -> None:
    session = Session(cwd=tmp_path)
    session.prompter = AllowListPrompter(session, ["Bash(touch *)"])
    assert (await session.call("Bash", {"command": "touch a"})).status == "ok"
    assert (await session.call("Bash", {"command": "rm a"})).status == "denied"
    assert (tmp_path / "a").exists()


class TestKeepingRules:
    async def test_always_allow_asks_no_second_time(self, tmp_path) -> None:
        asked: list[Any] = []

        def ask(request: Any) -> PermissionAnswer:
            asked.append(request)
            return PermissionAnswer("allow", rule_updates=(RuleUpdate(request.suggestions[0]),))

        session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=ask)
        for _ in range(2):
            assert (await session.call("Echo", {"text": "x"})).status == "ok"
        assert len(asked) == 1

    @pytest.mark.parametrize("update", [RuleUpdate("Bash("), RuleUpdate("Echo", "userSettings")])
    async def test_a_rule_that_cannot_be_kept_denies(self, tmp_path, update: RuleUpdate) -> None:
        session = Session(
            cwd=tmp_path,
            tools=[echo_tool()],
            prompter=lambda r: PermissionAnswer("allow", rule_updates=(RuleUpdate("Echo"), update)),
        )
        assert (await session.call("Echo", {})).status == "denied"
        assert (await session.decide("Echo", {})).behavior == "ask"

    async def test_a_rule_for_the_project_is_on_disk(self, tmp_path) -> None:
        session = Session(cwd=tmp_path, tools=[echo_tool()], rule_scopes=("session", "localSettings"))
        await session.keep_rules([RuleUpdate("Echo", "localSettings")])
        saved = json.loads((tmp_path / ".claude/settings.local.json").read_text())
        assert saved["permissions"]["allow"] == ["Echo"]
        assert (await session.decide("Echo", {})).behavior == "allow"


class TestDeciding:
    async def test_nothing_runs(self, tmp_path) -> None:
        ran: list[str] = []

        @hook("PreToolUse")
        async def guard(event: Any) -> None:
            ran.append("hook")

        tool = calling("Echo", lambda input, context: ran.append("tool"))
        session = Session(cwd=tmp_path, tools=[tool], hooks=[guard], prompter=lambda r: ran.append("asked") or True)
        decision = await session.decide("Echo", {"text": "x"})
        assert decision.behavior == "ask" and decision.trace
        assert any("guard" in step.detail for step in decision.trace)
        assert ran == []
        assert not session.outcomes

    @pytest.mark.parametrize(("behavior", "expected"), [("allow", "allow"), ("ask", "ask"), ("deny", "deny")])
    async def test_a_rule_decides_and_is_named(self, tmp_path, behavior: str, expected: str) -> None:
        session = Session(cwd=tmp_path, settings={"permissions": {behavior: ["Bash(rm *)"]}})
        decision = await session.decide("Bash", {"command": "rm -rf build"})
        assert (decision.behavior, decision.rule) == (expected, "Bash(rm *)")

    async def test_what_is_no_call_at_all_is_denied(self, tmp_path) -> None:
        session = Session(cwd=tmp_path)
        for name, input in (("Nothing", {}), ("Bash", {}), ("Bash", {"command": 3})):
            decision = await session.decide(name, input)
            assert decision.behavior == "deny" and decision.reason

    async def test_a_call_that_would_fail_is_still_judged(self, tmp_path) -> None:
        decision = await Session(cwd=tmp_path).decide("Bash", {"command": "true", "timeout": -1})
        assert decision.behavior == "allow"
        assert any("would fail" in step.detail for step in decision.trace)


async def test_a_stop_during_the_call_is_not_blamed_on_hooks_that_do_not_exist(tmp_path) -> None:
    async def stop(input: Any, context: Any) -> str:
        session.interrupt()
        return "kept"

    tool = build_tool(name="Stop", call=stop, input_json_schema={"type": "object"})
    session = Session(cwd=tmp_path, tools=[tool], settings={"permissions": {"allow": ["Stop"]}})
    outcome = await session.call("Stop", {})
    (event,) = [event for event in outcome.events if event.stage == "post_hooks"]
    assert (event.status, event.reason) == ("skipped", "no PostToolUse hook matches")
