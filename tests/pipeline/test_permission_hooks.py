"""Hooks around a question: who may answer in the place of a person, and who hears of a refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import ScriptedModel, Session, ToolUse, hook
from jupyter_agenttools.core.decision import PermissionResult
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.pipeline import Approval
from tests.support.hooks import command, hook_settings, says
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio


def request_hook(behavior: str, **fields: Any) -> Any:
    @hook("PermissionRequest")
    async def answers(told: dict[str, Any]) -> Any:
        return {"hookSpecificOutput": {"decision": {"behavior": behavior, **fields}}}

    return answers


async def echo(tmp_path, *hooks: Any, permissions: Any = None, **options: Any) -> tuple[Any, list[Any]]:
    asked: list[Any] = []
    session = Session(
        cwd=tmp_path,
        settings={"permissions": permissions or {}},
        tools=[echo_tool()],
        hooks=hooks,
        prompter=lambda request: bool(asked.append(request)),
        **options,
    )
    return await session.call("Echo", {"text": "x"}), asked


async def test_a_hook_answers_before_a_person_is_asked(tmp_path) -> None:
    outcome, asked = await echo(tmp_path, request_hook("allow"))
    assert outcome.status == "ok" and not asked and outcome.decision.decided_by == "hook"
    outcome, asked = await echo(tmp_path, request_hook("deny", message="not now"))
    assert outcome.status == "denied" and not asked and "not now" in outcome.text


async def test_deny_beats_allow_and_silence_leaves_it_to_the_person(tmp_path) -> None:
    outcome, asked = await echo(tmp_path, request_hook("allow"), request_hook("deny"))
    assert outcome.status == "denied" and not asked
    silent = hook("PermissionRequest")(lambda told: None)
    outcome, asked = await echo(tmp_path, silent)
    assert outcome.status == "denied" and len(asked) == 1


@pytest.mark.parametrize("behavior", ["deny", "ask"])
async def test_an_allow_is_no_answer_to_a_rule(tmp_path, behavior: str) -> None:
    outcome, asked = await echo(tmp_path, request_hook("allow"), permissions={behavior: ["Echo"]})
    assert outcome.status == "denied" and len(asked) == (behavior == "ask")


async def test_an_allow_is_no_answer_to_another_hook_or_to_a_critical_command(tmp_path) -> None:
    asking = hook("PreToolUse")(lambda told: "ask")
    outcome, asked = await echo(tmp_path, request_hook("allow"), asking)
    assert outcome.status == "denied" and len(asked) == 1
    session = Session(cwd=tmp_path, hooks=[request_hook("allow")], prompter=lambda request: bool(asked.append(request)))
    assert (await session.call("Bash", {"command": "rm -rf ~"})).status == "denied" and len(asked) == 2


async def test_a_question_to_a_person_is_answered_by_nobody_else(tmp_path) -> None:
    asked: list[Any] = []
    session = Session(
        cwd=tmp_path,
        tools=[echo_tool(requires_user_interaction=True)],
        hooks=[request_hook("allow", updatedInput={"text": "y"})],
        prompter=lambda request: bool(asked.append(request)),
    )
    assert (await session.call("Echo", {"text": "x"})).status == "denied" and len(asked) == 1


@pytest.mark.parametrize(
    ("tool", "input"),
    [
        ("Config", {"setting": "permissionMode", "value": "acceptEdits"}),
        ("Bash", {"command": "ls", "dangerouslyDisableSandbox": True}),
        ("ExitPlanMode", {"plan": "p"}),
        ("AskUserQuestion", {"questions": []}),
    ],
)
async def test_a_hook_widens_no_rights_and_speaks_for_no_person(tmp_path, tool: str, input: dict[str, Any]) -> None:
    asked: list[Any] = []
    session = Session(
        cwd=tmp_path,
        settings={"permissions": {"allow": ["Config"]}, "sandbox": {"mode": "auto"}},
        hooks=[request_hook("allow")],
        prompter=lambda request: bool(asked.append(request)),
    )
    if tool == "AskUserQuestion":
        options = [{"label": label, "description": label} for label in "ab"]
        input = {"questions": [{"question": "q?", "header": "h", "options": options, "multiSelect": False}]}
    mode = "plan" if tool == "ExitPlanMode" else "default"
    session.set_mode(mode)  # type: ignore[arg-type]
    outcome = await session.call(tool, input)
    assert outcome.status == "denied" and session.state.permission.mode == mode, outcome.text
    assert len(asked) == 1


async def test_exit_code_2_answers_no_question(tmp_path) -> None:
    asked: list[Any] = []
    session = Session(
        cwd=tmp_path,
        settings={"hooks": hook_settings("PermissionRequest", command("exit 2"))["hooks"]},
        tools=[echo_tool()],
        prompter=lambda request: asked.append(request) is None,
    )
    assert (await session.call("Echo", {})).status == "ok" and len(asked) == 1


async def test_a_changed_input_is_judged_again(tmp_path) -> None:
    outcome, asked = await echo(tmp_path, request_hook("allow", updatedInput={"text": "changed"}))
    assert (outcome.status, outcome.text) == ("ok", "changed") and not asked
    outcome, asked = await echo(
        tmp_path, request_hook("allow", updatedInput={"text": "bad"}), permissions={"deny": ["Echo(bad)"]}
    )
    assert outcome.status in ("denied", "error")
    outcome, _ = await echo(tmp_path, request_hook("allow", updatedInput={"colour": 1}))
    assert outcome.status == "error" and "`colour` is not a field" in outcome.text


async def test_an_answer_that_cannot_be_read_answers_nothing(tmp_path) -> None:
    for decision in ({"behavior": "perhaps"}, {"behavior": "ask"}, [], {"behavior": "allow", "updatedPermissions": 1}):

        @hook("PermissionRequest")
        async def answers(told: dict[str, Any], decision: Any = decision) -> Any:
            return {"decision": decision}

        outcome, asked = await echo(tmp_path, answers)
        assert outcome.status == "denied" and len(asked) == 1, decision


async def test_an_allow_may_bring_rules_and_a_mode(tmp_path) -> None:
    rule = {"toolName": "Echo", "ruleContent": "x"}
    updates = [
        {"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
    ]
    session = Session(cwd=tmp_path, tools=[echo_tool()], hooks=[request_hook("allow", updatedPermissions=updates)])
    assert (await session.call("Echo", {"text": "x"})).status == "ok"
    assert session.state.permission.always_allow_rules["session"] == ("Echo(x)",)
    assert session.state.permission.mode == "acceptEdits"


@pytest.mark.parametrize(
    "update",
    [
        {"type": "setMode", "mode": "bypassPermissions"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "userSettings"},
        {"type": "addRules", "rules": ["Echo"]},
        {"type": "addRules", "rules": [{"toolName": "Echo"}], "destination": "userSettings"},  # not offered here
        {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": ""}, {"toolName": 1}]},
        {"type": "conquer"},
        {},
    ],
)
async def test_what_a_hook_cannot_ask_for_denies_the_call(tmp_path, update: dict[str, Any]) -> None:
    session = Session(cwd=tmp_path, tools=[echo_tool()], hooks=[request_hook("allow", updatedPermissions=[update])])
    before = session.state.permission
    outcome = await session.call("Echo", {"text": "x"})
    assert outcome.status == "denied" and "updatedPermissions" in outcome.text
    assert session.state.permission == before


async def test_a_slow_answer_is_none_and_the_person_is_asked(tmp_path) -> None:
    import anyio

    @hook("PermissionRequest", timeout_s=0.01)
    async def slow(told: Any) -> Any:
        await anyio.sleep_forever()

    outcome, asked = await echo(tmp_path, slow)
    assert outcome.status == "denied" and len(asked) == 1


async def test_a_denial_can_end_the_turn(tmp_path) -> None:
    model = ScriptedModel([{"tool_uses": [{"name": "Echo", "input": {"text": "x"}}]}, "never said"])
    session = Session(
        cwd=tmp_path, tools=[echo_tool()], hooks=[request_hook("deny", message="stop it", interrupt=True)], model=model
    )
    updates = [update async for update in session.query("go")]
    assert updates[-1] == TurnEnded("hook", "", "stop it", turns=1)


async def test_who_hears_of_a_refusal(tmp_path) -> None:
    heard: list[str] = []

    @hook("PermissionDenied")
    async def hears(told: dict[str, Any]) -> Any:
        heard.append(told["reason"])
        return {"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": True}}

    outcome, _ = await echo(tmp_path, hears, permissions={"deny": ["Echo"]})
    assert "rule Echo" in heard[0] and outcome.text.endswith("may be tried again.")
    outcome, _ = await echo(tmp_path, hears)  # here a person said no, who may be asked again or not
    assert len(heard) == 1 and outcome.status == "denied"
    outcome, _ = await echo(tmp_path, hears, hook("PreToolUse")(lambda told: "deny"))
    assert "blocked this call" in heard[1]


async def test_what_a_failed_call_s_hooks_say_reaches_the_model(tmp_path) -> None:
    def fail(input: Any, context: Any) -> None:
        raise ValueError("broken")

    settings = hook_settings("PostToolUseFailure", says({"additionalContext": "try the other one"}))
    session = Session(cwd=tmp_path, settings=settings, tools=[calling("Fail", fail, is_read_only=True)])
    outcome = await session.call("Fail", {})
    assert outcome.status == "error" and outcome.text.startswith("InternalError: ValueError in the tool Fail")
    assert outcome.text.endswith("[hook] try the other one")


async def test_the_end_of_the_turn_by_a_hook_of_a_call(tmp_path) -> None:
    model = ScriptedModel([{"tool_uses": [{"name": "Echo", "input": {"text": "x"}}]}, "never said"])
    stopping = hook("PostToolUse")(lambda told: {"continue": False, "stopReason": "that is enough"})
    session = Session(
        cwd=tmp_path, settings={"permissions": {"allow": ["Echo"]}}, tools=[echo_tool()], hooks=[stopping], model=model
    )
    updates = [update async for update in session.query("go")]
    assert updates[-1] == TurnEnded("hook", "", "that is enough", turns=1)
    assert session.messages[-1].role == "user"  # the result of the call stands in the conversation


async def test_calls_of_one_message_are_told_together(tmp_path) -> None:
    heard: list[Any] = []

    @hook("PostToolBatch")
    async def batch(told: dict[str, Any]) -> Any:
        heard.append(told["tool_calls"])
        return {"additionalContext": "well done"}

    uses = [ToolUse("Echo", {"text": text}) for text in "ab"]
    session = Session(
        cwd=tmp_path,
        settings={"permissions": {"allow": ["Echo"]}},
        tools=[echo_tool()],
        hooks=[batch],
        model=ScriptedModel([uses, "done"]),
    )
    updates = [update async for update in session.query("go")]
    assert updates[-1] == TurnEnded("end_turn", "done", turns=2)
    assert [(call["tool_use_id"], call["tool_response"]) for call in heard[0]] == [
        (u.id, u.input["text"]) for u in uses
    ]
    assert "well done" in session.messages[-2].content[0].text


ORDINARY = (
    ("Bash", {"command": "touch made"}),
    ("Bash", {"command": "make all && touch $(date +%s)"}),
    ("Write", {"file_path": "{cwd}/new.txt", "content": "x"}),
    ("Write", {"file_path": "{cwd}/../out.txt", "content": "x"}),
    ("Edit", {"file_path": "{cwd}/seen.txt", "old_string": "a", "new_string": "b"}),
    ("Fetch", {"text": "https://example.org/"}),
    ("Echo", {"text": "x"}),
    ("Careful", {"text": "x"}),
)
"""Calls that no rule covers and nothing guards: whatever stands for a person may answer."""


def ordinary_tools(*, only_person: bool = False) -> list[Any]:
    async def careful(input: Any, context: Any) -> PermissionResult:
        return PermissionResult("ask", "looks twice", only_person=only_person)

    return [
        echo_tool(),
        calling("Fetch", lambda input, context: "page", rule_family="domain"),
        calling("Careful", lambda input, context: "done", check_permissions=careful),
    ]


async def called_with_stand_in(
    folder: Path, name: str, input: dict[str, Any], by: str, tools: list[Any]
) -> tuple[Any, list[Any]]:
    """The call where a hook, or the classifier of the mode auto, says yes to everything."""
    (folder / "seen.txt").write_text("a")
    asked: list[Any] = []

    class Yes:
        async def approve(self, question: Any) -> Approval:
            return Approval(True, "harmless")

    session = Session(
        cwd=folder,
        settings={"permissions": {"defaultMode": "auto" if by == "classifier" else "default"}},
        tools=tools,
        hooks=[request_hook("allow")] if by == "hook" else [],
        prompter=lambda request: bool(asked.append(request)),
        auto_classifier=Yes() if by == "classifier" else None,
    )
    await session.call("Read", {"file_path": str(folder / "seen.txt")})
    given = {key: value.format(cwd=folder) if isinstance(value, str) else value for key, value in input.items()}
    return await session.call(name, given), asked


@pytest.mark.parametrize("by", ["hook", "classifier"])
@pytest.mark.parametrize(("name", "input"), ORDINARY)
async def test_who_stands_for_a_person_answers_ordinary_questions(
    tmp_path: Path, name: str, input: dict[str, Any], by: str
) -> None:
    (folder := tmp_path / "project").mkdir()
    outcome, asked = await called_with_stand_in(folder, name, input, by, ordinary_tools())
    assert outcome.decision is not None and outcome.decision.behavior == "allow", outcome.text
    assert outcome.decision.decided_by == by and not asked


@pytest.mark.parametrize("by", ["hook", "classifier"])
async def test_a_tool_can_say_that_only_a_person_answers(tmp_path: Path, by: str) -> None:
    tools = ordinary_tools(only_person=True)
    outcome, asked = await called_with_stand_in(tmp_path, "Careful", {"text": "x"}, by, tools)
    assert outcome.status == "denied" and len(asked) == 1 and "looks twice" in asked[0].decision.reason


async def test_a_tool_s_question_is_denied_where_the_classifier_says_no_and_nobody_can_be_asked(tmp_path: Path) -> None:
    class No:
        async def approve(self, question: Any) -> Approval:
            return Approval(False, "odd")

    settings = {"permissions": {"defaultMode": "auto"}}
    asked: list[Any] = []
    session = Session(
        cwd=tmp_path,
        settings=settings,
        tools=ordinary_tools(),
        auto_classifier=No(),
        prompter=lambda request: bool(asked.append(request)),
    )
    alone = replace(session.state.permission, should_avoid_permission_prompts=True)
    session.modify_state(lambda state: replace(state, permission=alone))
    outcome = await session.call("Careful", {"text": "x"})
    assert outcome.status == "denied" and "nobody can be asked" in outcome.text and not asked
