"""What a function answers in the form of the wire, and what a model is told of plan mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core.blocks import Message
from jupyter_agenttools.models import ModelRequest, ScriptedModel
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


async def test_updated_permissions_of_a_function(tmp_path: Path) -> None:
    rule = {"toolName": "Echo"}
    updates = [{"type": "addRules", "rules": [rule]}, {"type": "setMode", "mode": "acceptEdits"}]
    session = Session(
        cwd=tmp_path, tools=[echo_tool()], prompter=lambda r: {"behavior": "allow", "updatedPermissions": updates}
    )
    assert (await session.call("Echo", {"text": "x"})).status == "ok"
    permission = session.state.permission
    assert (permission.mode, permission.always_allow_rules) == ("acceptEdits", {"session": ("Echo",)})


async def test_updates_that_cannot_be_read_are_a_denial(tmp_path: Path) -> None:
    answer = {"behavior": "allow", "updatedPermissions": [{"type": "addRule"}]}
    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=lambda request: answer)
    outcome = await session.call("Echo", {"text": "x"})
    assert outcome.status == "denied" and "`type`" in outcome.text


async def test_a_model_is_told_of_plan_mode(tmp_path: Path) -> None:
    prompts: list[str] = []

    class Listening(ScriptedModel):
        def stream(self, request: ModelRequest) -> Any:
            prompts.append(request.system)
            return super().stream(request)

    session = Session(cwd=tmp_path, session_dir=tmp_path / "own", model=Listening.from_json('["a", "b"]'))
    for mode in ("plan", "default"):
        session.set_mode(mode)  # type: ignore[arg-type]
        async for _ in session.query("Go."):
            pass
    planning, other = prompts
    assert "Plan mode is on" in planning and str(tmp_path / "own" / "plans" / "plan-own.md") in planning
    assert planning.startswith(other), "what stands before it stays the same"
    assert isinstance(session.messages[0], Message)
