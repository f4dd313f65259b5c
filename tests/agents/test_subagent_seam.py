"""What a sub-agent calls: under the rules and hooks of the session, in its own name, stopped by its own switch."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from jupyter_agenttools import Session, ToolUse, hook
from jupyter_agenttools.core.context import create_subagent_context
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio


def as_agent(*calls: ToolUse, found: list[Any]) -> Any:
    """A tool that makes these calls as a sub-agent."""

    async def run(input: Any, context: Any) -> str:
        child = create_subagent_context(context, agent_id="agent_1", agent_type="helper")
        for call in calls:
            found.append(await child.can_use_tool(call.name, call.input))
        return "ran"

    return calling("Outer", run)


async def test_deny_rules_and_hooks_of_the_session_hold(tmp_path) -> None:
    told: list[dict[str, Any]] = []

    @hook("PreToolUse", matcher="Write")
    async def no_writing(event: dict[str, Any]) -> dict[str, Any]:
        told.append(event)
        return {"decision": "block", "reason": "nobody writes here"}

    found: list[Any] = []
    calls = (
        ToolUse("Bash", {"command": "curl x"}),
        ToolUse("Write", {"file_path": "w", "content": "1"}),
        ToolUse("Bash", {"command": "echo fine"}),
    )
    rules = {"permissions": {"allow": ["Outer", "Bash", "Write"], "deny": ["Bash(curl *)"]}}
    session = Session(cwd=tmp_path, settings=rules, tools=[as_agent(*calls, found=found)], hooks=[no_writing])
    assert (await session.call("Outer", {})).status == "ok"
    assert [outcome.status for outcome in found] == ["denied", "denied", "ok"]
    assert "curl" in found[0].text and "nobody writes here" in found[1].text and not (tmp_path / "w").exists()
    assert told[0]["agent_id"] == "agent_1" and told[0]["agent_type"] == "helper"


async def test_it_has_no_more_rights_than_the_session(tmp_path) -> None:
    found: list[Any] = []
    tool = as_agent(ToolUse("Write", {"file_path": "w", "content": "1"}), found=found)
    settings = {"permissions": {"allow": ["Outer"], "defaultMode": "plan"}}
    session = Session(cwd=tmp_path, settings=settings, tools=[tool])
    await session.call("Outer", {})
    assert all(outcome.status == "denied" for outcome in found) and not (tmp_path / "w").exists()


async def test_it_does_not_move_the_session(tmp_path) -> None:
    (tmp_path / "inside").mkdir()
    found: list[Any] = []
    calls = (ToolUse("Bash", {"command": "cd inside && pwd"}), ToolUse("Bash", {"command": "pwd"}))
    session = Session(
        cwd=tmp_path, settings={"permissions": {"allow": ["Outer"]}}, tools=[as_agent(*calls, found=found)]
    )
    await session.call("Outer", {})
    assert "does not move" in found[0].text and found[1].text.strip() == str(tmp_path) == session.cwd


async def test_its_own_switch_stops_its_calls_alone(tmp_path) -> None:
    seen: list[Any] = []

    async def run(input: Any, context: Any) -> str:
        child = create_subagent_context(context, agent_id="agent_1", agent_type="helper")
        async with anyio.create_task_group() as group:

            async def inner() -> None:
                seen.append(await child.can_use_tool("Echo", {"text": "x", "seconds": 3600}))

            group.start_soon(inner)
            await anyio.wait_all_tasks_blocked()
            child.cancellation.cancel("no longer needed")
        return f"goes on, {context.cancellation.cancelled}"

    settings = {"permissions": {"allow": ["Outer", "Echo"]}}
    session = Session(cwd=tmp_path, settings=settings, tools=[calling("Outer", run), echo_tool()])
    with anyio.fail_after(20):
        outcome = await session.call("Outer", {})
    assert outcome.text == "goes on, False"
    assert seen[0].status == "interrupted" and "no longer needed" in seen[0].text
