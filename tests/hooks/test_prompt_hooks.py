"""Prompt hooks: a model is asked whether it objects, and its answer is read strictly."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import ScriptedModel, Session
from jupyter_agenttools.hooks import Hook
from jupyter_agenttools.hooks.handlers import PromptHandler
from jupyter_agenttools.hooks.prompt import question, read_verdict
from tests.support.hooks import hook_settings
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio


async def called(tmp_path, answer: Any, event: str = "PreToolUse", **fields: Any) -> Any:
    entry = {"type": "prompt", "prompt": "Is this fine? $ARGUMENTS", **fields}
    model = None if answer is None else ScriptedModel([answer])
    session = Session(cwd=tmp_path, settings=hook_settings(event, entry), tools=[echo_tool()], model=model)
    return await session.call("Echo", {"text": "x"})


async def test_the_model_reads_the_event_and_objects(tmp_path) -> None:
    asked: list[str] = []

    def answer(messages: Any) -> str:
        asked.append(messages[-1].content[0].text)
        return '{"ok": false, "reason": "not on a Friday"}'

    outcome = await called(tmp_path, answer)
    assert outcome.status == "denied" and "not on a Friday" in outcome.text
    assert asked[0].startswith('Is this fine? {"hook_event_name": "PreToolUse"') and "$ARGUMENTS" not in asked[0]


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        '{"ok": "true"}',
        '{"ok": 1}',
        "{}",
        'Sure: {"ok": true}',
        '```json\n{"ok": true}\n```',
        '[{"ok": true}]',
        "",
    ],
)
async def test_an_answer_of_another_form_makes_the_call_ask(tmp_path, answer: str) -> None:
    outcome = await called(tmp_path, [answer] if answer else [])
    assert outcome.status == "denied" and "form that was asked for" in outcome.text


async def test_no_objection(tmp_path) -> None:
    assert (await called(tmp_path, '{"ok": true}')).status == "ok"


async def test_without_a_model_a_guard_asks_and_others_say_nothing(tmp_path) -> None:
    outcome = await called(tmp_path, None)
    assert outcome.status == "denied" and "no model" in outcome.text
    assert (await called(tmp_path, None, "PostToolUse")).status == "ok"


async def test_an_objection_afterwards_tells_the_model(tmp_path) -> None:
    outcome = await called(tmp_path, '{"ok": false, "reason": "hm"}', "PostToolUse", continueOnBlock=True)
    assert outcome.status == "ok" and "hm" in outcome.text and outcome.events[-1].after.post_hooks.stop is None
    outcome = await called(tmp_path, '{"ok": false, "reason": "hm"}', "PostToolUse")
    assert outcome.events[-1].after.post_hooks.stop == "hm"


@given(st.text(max_size=40))
def test_nothing_but_the_form_is_a_yes(said: str) -> None:
    hook = Hook("PreToolUse", None, "h", handler=PromptHandler("?"), kind="prompt")
    assert read_verdict(hook, said).output.behavior == "ask"


def test_the_event_comes_after_a_question_that_does_not_place_it() -> None:
    assert question(PromptHandler("Fine?"), "EVENT").startswith("Fine?\n\nEVENT\n\n")
