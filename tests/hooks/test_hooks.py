"""Hooks: whom they meet, what they may say, how they add up, and what their failures do."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Session, UsageError, hook
from jupyter_agenttools.core import Cancellation
from jupyter_agenttools.hooks import HookOutputError, matcher_matches, read_output
from tests.support.tools import echo_tool

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Echo"]}}


def pre(answer: Any, **options: Any):
    """A guard that always answers the same (or raises it)."""

    @hook("PreToolUse", **options)
    async def guard(event: dict[str, Any]) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer(event) if callable(answer) else answer

    return guard


async def echo(tmp_path, *hooks: Any, settings: Any = ALLOW, **input: Any):
    session = Session(cwd=tmp_path, settings=settings, tools=[echo_tool()], hooks=hooks)
    return await session.call("Echo", {"text": "x", **input})


@pytest.mark.parametrize(
    ("matcher", "name", "yes"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("Edit|Write", "NotebookEdit", False),
        ("Notebook.*", "NotebookEdit", True),
        ("^Note", "MyNote", False),
        ("mcp__.*__delete", "mcp__db__delete_all", True),
    ],
)
def test_matchers(matcher: str, name: str, yes: bool) -> None:
    assert matcher_matches(matcher, name) is yes


def test_a_matcher_that_cannot_be_read_is_told_when_the_hook_is_made() -> None:
    with pytest.raises(UsageError, match="regular expression"):
        hook("PreToolUse", matcher="(")
    with pytest.raises(UsageError, match="no event 'Sometimes'"):
        hook("Sometimes")


async def test_a_hook_meets_a_tool_by_its_old_name_too(tmp_path) -> None:
    session = Session(
        cwd=tmp_path, settings=ALLOW, tools=[echo_tool(aliases=("OldEcho",))], hooks=[pre("deny", matcher="OldEcho")]
    )
    assert (await session.call("Echo", {})).status == "denied"


@pytest.mark.parametrize(
    "answer",
    [
        "deny",
        "block",
        {"permissionDecision": "deny", "permissionDecisionReason": "no"},
        {"decision": "block", "reason": "no"},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}},
        {"continue": False, "stopReason": "no"},
        RuntimeError("broken guard"),
        {"permissionDecision": "perhaps"},
        17,
        ["deny"],
    ],
)
async def test_a_no_in_any_form_and_a_broken_guard_block(tmp_path, answer: Any) -> None:
    outcome = await echo(tmp_path, pre(answer))
    assert outcome.status == "denied"
    assert "guard" in outcome.text


async def test_a_hook_cannot_speak_for_another_event(tmp_path) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "permissionDecision": "allow"}}
    outcome = await echo(tmp_path, pre(answer), settings={})
    assert outcome.status == "denied"
    assert "names the event PermissionRequest" in outcome.events[4].reason


async def test_a_yes_of_a_hook_counts_only_where_no_rule_objects(tmp_path) -> None:
    yes = pre("allow")
    assert (await echo(tmp_path, yes, settings={})).status == "ok"
    for behavior in ("deny", "ask"):
        outcome = await echo(tmp_path, yes, settings={"permissions": {behavior: ["Echo"]}})
        assert outcome.status == "denied", behavior


WORDS = ["deny", "defer", "ask", "allow"]


@given(st.lists(st.sampled_from([*WORDS, None]), min_size=1, max_size=5))
def test_the_most_careful_word_wins_in_any_order(words: list[str | None]) -> None:
    from jupyter_agenttools.hooks import HookSet

    hooks = [pre(word) for word in words]
    effects = anyio.run(HookSet(hooks).run, "PreToolUse", hooks, {"tool_name": "Echo"}, Cancellation())
    assert effects.behavior == next((w for w in WORDS if w in words), None)
    assert len(effects.runs) == len(words)
    assert len(effects.ran) == len([word for word in words if word])


async def test_asking_beats_an_allow_rule(tmp_path) -> None:
    assert (await echo(tmp_path, pre("ask"))).status == "denied"  # nobody is there to answer


async def test_a_changed_input_is_judged_and_used_while_the_original_stays(tmp_path) -> None:
    outcome = await echo(tmp_path, pre({"updatedInput": {"text": "changed"}}))
    assert outcome.text == "changed"
    assert outcome.tool_use.input == {"text": "x"}
    bad = await echo(tmp_path, pre({"updatedInput": {"colour": 1}}))
    assert bad.status == "error" and "`colour` is not a field" in bad.text


async def test_a_hook_sees_a_copy(tmp_path) -> None:
    def meddle(event: dict[str, Any]) -> None:
        event["tool_input"]["text"] = "meddled"

    assert (await echo(tmp_path, pre(meddle))).text == "x"


@pytest.mark.parametrize(("on_failure", "status"), [("block", "denied"), ("ask", "denied"), ("pass", "ok")])
async def test_what_a_failure_does_can_be_chosen(tmp_path, on_failure: str, status: str) -> None:
    outcome = await echo(tmp_path, pre(OSError("disk"), on_failure=on_failure))
    assert outcome.status == status
    assert "disk" in outcome.events[4].reason


async def test_a_guard_that_takes_too_long_asks(tmp_path) -> None:
    @hook("PreToolUse", timeout_s=0.01)
    async def slow(event: dict[str, Any]) -> str:
        await anyio.sleep_forever()
        return "allow"

    asked: list[Any] = []
    session = Session(
        cwd=tmp_path, settings=ALLOW, tools=[echo_tool()], hooks=[slow], prompter=lambda r: asked.append(r) or False
    )
    assert (await session.call("Echo", {})).status == "denied"
    assert asked


async def test_a_sync_hook_runs_beside_the_loop(tmp_path) -> None:
    seen: list[int] = []

    @hook("PreToolUse")
    def plain(event: dict[str, Any]) -> None:
        seen.append(threading.get_ident())

    assert (await echo(tmp_path, plain)).status == "ok"
    assert seen and seen[0] != threading.get_ident()


async def test_after_the_call_a_hook_can_speak_to_the_model_and_change_the_output(tmp_path) -> None:
    @hook("PostToolUse")
    async def note(event: dict[str, Any]) -> dict[str, Any]:
        assert event["tool_response"] == "x"
        return {"decision": "block", "reason": "check the spelling", "updatedToolOutput": "y"}

    outcome = await echo(tmp_path, note)
    assert outcome.status == "ok" and outcome.output == "y"
    assert outcome.text.startswith("y") and "check the spelling" in outcome.text


async def test_an_output_of_another_shape_is_not_taken(tmp_path) -> None:
    @hook("PostToolUse")
    async def wrong(event: dict[str, Any]) -> dict[str, Any]:
        return {"updatedToolOutput": {"not": "text"}}

    outcome = await echo(tmp_path, wrong)
    assert outcome.text == "x" and "ignored" in outcome.events[7].reason


async def test_a_broken_hook_after_the_call_does_not_hide_the_result(tmp_path) -> None:
    @hook("PostToolUse")
    async def broken(event: dict[str, Any]) -> None:
        raise ValueError("late")

    outcome = await echo(tmp_path, broken)
    assert (outcome.status, outcome.text) == ("ok", "x")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_reading_an_answer_never_makes_an_allow_of_nonsense(answer: Any) -> None:
    try:
        output = read_output("PreToolUse", answer)
    except HookOutputError:
        return
    assert output.behavior != "allow" or str(answer).lower() in ("allow", "approve")
