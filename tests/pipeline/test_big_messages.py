"""What reaches the model is bounded, whoever said it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Hook, Outcome, Session, hook
from jupyter_agenttools.pipeline.map_result import MAX_CONTEXT_CHARS
from jupyter_agenttools.pipeline.run_call import MAX_ERROR_CHARS
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio

HUGE = "begin" + "x" * 1_000_000 + "end"
NOTE = 100
"""Characters of the words around a text that was cut."""


async def failing(input: Any, context: Any) -> str:
    raise ValueError(HUGE)


def check(outcome: Outcome, limit: int) -> None:
    assert len(outcome.text) < limit + NOTE
    assert "begin" in outcome.text and outcome.text.endswith("end") and "characters left out" in outcome.text


async def test_an_error_is_cut_and_whole_in_the_outcome(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, tools=[calling("Fail", failing)], prompter=lambda request: True)
    outcome = await session.call("Fail", {})
    check(outcome, MAX_ERROR_CHARS)
    assert str(outcome.error) == HUGE


def answering(event: Any, **said: str) -> Hook:
    return hook(event)(lambda payload: {"hookSpecificOutput": {"hookEventName": event, **said}})


async def test_the_reason_of_a_refusal_is_cut(tmp_path: Path) -> None:
    guard = answering("PreToolUse", permissionDecision="deny", permissionDecisionReason=HUGE)
    outcome = await Session(cwd=tmp_path, tools=[echo_tool()], hooks=[guard]).call("Echo", {"text": "hi"})
    assert outcome.status == "denied"
    check(outcome, MAX_ERROR_CHARS)


async def test_what_a_hook_adds_is_cut(tmp_path: Path) -> None:
    adding = answering("PostToolUse", additionalContext=HUGE)
    session = Session(cwd=tmp_path, tools=[echo_tool()], hooks=[adding], prompter=lambda request: True)
    outcome = await session.call("Echo", {"text": "hi"})
    assert outcome.text.startswith("hi\n")
    check(outcome, MAX_CONTEXT_CHARS)


@pytest.mark.parametrize(("name", "input"), [("begin" + "N" * 100_000, {}), ("Read", {"file_path": "n" * 100_000})])
async def test_what_the_model_wrote_is_not_told_back_at_length(tmp_path: Path, name: str, input: Any) -> None:
    outcome = await Session(cwd=tmp_path).call(name, input)
    assert outcome.is_error and len(outcome.text) < MAX_ERROR_CHARS + NOTE
