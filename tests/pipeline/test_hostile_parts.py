"""Whatever the parts around a call do (tools, prompters, hooks, steppers): one result, and nothing runs unallowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from jupyter_agenttools import Outcome, PermissionAnswer, PermissionRequest, Session, ToolError, ToolUse, hook
from jupyter_agenttools.core.blocks import ToolResultBlock
from jupyter_agenttools.core.decision import PermissionResult
from jupyter_agenttools.core.stepping import StepChoice
from tests.support.tools import calling, echo_tool

pytestmark = pytest.mark.anyio

ALLOW = {"permissions": {"allow": ["Echo", "Broken"]}}


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Unfinished(ToolError):
    def __init__(self) -> None:
        pass


@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("error", [Unspeakable(), Unfinished(), SystemExit(3), ExceptionGroup("x", [ValueError()])])
async def test_whatever_a_tool_raises_there_is_one_result(tmp_path, error: BaseException, safe: bool) -> None:
    def broken(input: Any, context: Any) -> None:
        raise error

    tools = [calling("Broken", broken, is_concurrency_safe=safe), echo_tool(is_concurrency_safe=safe)]
    uses = [ToolUse("Echo"), ToolUse("Broken"), ToolUse("Echo")]
    outcomes = await Session(cwd=tmp_path, tools=tools, settings=ALLOW).run(uses)
    assert [o.status for o in outcomes] == ["ok", "error", "ok"]
    assert [o.block.tool_use_id for o in outcomes] == [use.id for use in uses]


async def test_ctrl_c_goes_on_to_the_caller_after_the_end_was_told(tmp_path) -> None:
    def broken(input: Any, context: Any) -> None:
        raise KeyboardInterrupt

    class Watcher:
        ends: ClassVar[list[str]] = []

        def on_call_end(self, outcome: Outcome) -> None:
            self.ends.append(outcome.status)

    session = Session(cwd=tmp_path, tools=[calling("Broken", broken)], settings=ALLOW)
    session.observers.attach(Watcher())
    with pytest.raises(KeyboardInterrupt):
        await session.call("Broken", {})
    assert Watcher.ends == ["interrupted"]


async def test_a_result_always_answers_its_own_call(tmp_path) -> None:
    tool = echo_tool(map_tool_result=lambda output, tool_use_id: ToolResultBlock("somebody-else", "x"))
    outcome = await Session(cwd=tmp_path, tools=[tool], settings=ALLOW).call("Echo", {})
    assert outcome.block.tool_use_id == outcome.tool_use.id


@pytest.mark.parametrize("name", ["Echo", "Nothing", 5, None])
@pytest.mark.parametrize("input", [None, 5, "text", [1], [{"_simulatedSedEdit": 1}]])
async def test_an_input_that_is_no_object_is_told_as_such(tmp_path, name: Any, input: Any) -> None:
    outcome = await Session(cwd=tmp_path, tools=[echo_tool()]).call(name, input)
    assert outcome.error.check_id == ("input-no-object" if name == "Echo" else "unknown-tool")


async def test_an_input_that_holds_itself_is_told_as_such(tmp_path) -> None:
    endless: dict[str, Any] = {}
    endless["text"] = endless
    outcome = await Session(cwd=tmp_path, tools=[echo_tool()]).call("Echo", endless)
    assert outcome.error.check_id == "schema"


def answering(answer: Any) -> Any:
    class Prompter:
        async def ask(self, request: PermissionRequest) -> Any:
            return answer

    return Prompter()


@pytest.mark.parametrize("word", ["yes", "Deny", "ask", None, True])
@pytest.mark.parametrize("wrap", [answering, lambda answer: lambda request: answer])
async def test_only_a_plain_allow_allows(tmp_path, word: Any, wrap: Callable[[Any], Any]) -> None:
    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=wrap(PermissionAnswer(word)))
    assert (await session.call("Echo", {})).status == "denied"


@pytest.mark.parametrize("answer", [None, True, 1, "allow"])
async def test_an_answer_of_another_kind_is_a_denial(tmp_path, answer: Any) -> None:
    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=answering(answer))
    assert (await session.call("Echo", {})).status == "denied"


@pytest.mark.parametrize("word", ["Deny", "block", None])
async def test_an_opinion_that_is_no_decision_makes_the_call_ask(tmp_path, word: Any) -> None:
    async def check(input: Any, context: Any) -> PermissionResult:
        return PermissionResult(word)

    session = Session(cwd=tmp_path, tools=[echo_tool(check_permissions=check)], settings=ALLOW)
    assert (await session.decide("Echo", {})).behavior == "ask"


@pytest.mark.parametrize("rewritten", ["unseen", "edited"])
async def test_an_approval_counts_for_the_input_that_was_approved(tmp_path, rewritten: str) -> None:
    @hook("PreToolUse")
    async def rewrite(event: dict[str, Any]) -> Any:
        return {"updatedInput": {"text": rewritten}} if event["tool_input"]["text"] == "edited" else None

    asked: list[str] = []

    def person(request: PermissionRequest) -> PermissionAnswer:
        asked.append(request.input["text"])
        return PermissionAnswer("allow", updated_input={"text": "edited"} if len(asked) == 1 else None)

    outcome = await Session(cwd=tmp_path, tools=[echo_tool()], hooks=[rewrite], prompter=person).call(
        "Echo", {"text": "given"}
    )
    assert outcome.output in asked or outcome.output == "edited"
    assert asked == (["given"] if rewritten == "edited" else ["given", "unseen"])


async def test_an_edit_made_in_the_question_itself_counts(tmp_path) -> None:
    def person(request: PermissionRequest) -> PermissionAnswer:
        request.input["text"] = "edited"  # type: ignore[index]
        return PermissionAnswer("allow", updated_input=request.input)

    session = Session(cwd=tmp_path, tools=[echo_tool()], prompter=person)
    assert (await session.call("Echo", {"text": "given"})).output == "edited"


@pytest.mark.parametrize("choice", [None, StepChoice("Abort")])  # type: ignore[arg-type]
async def test_a_stepper_that_says_nothing_known_ends_the_call(tmp_path, choice: Any) -> None:
    class Stepper:
        async def between(self, event: Any, next_stage: str, may_edit: bool) -> Any:
            return choice

    outcome = await Session(cwd=tmp_path, tools=[echo_tool()], settings=ALLOW).call("Echo", {}, stepper=Stepper())
    assert outcome.status == "error" and outcome.result is None


async def test_a_call_that_was_made_is_not_made_again_by_an_edit(tmp_path) -> None:
    calls: list[str] = []

    class Stepper:
        async def between(self, event: Any, next_stage: str, may_edit: bool) -> StepChoice:
            return StepChoice("next") if may_edit or len(calls) > 1 else StepChoice("edit", {"text": "again"})

    tool = calling("Broken", lambda input, context: calls.append(input.text))
    outcome = await Session(cwd=tmp_path, tools=[tool], settings=ALLOW).call("Broken", {}, stepper=Stepper())
    assert (calls, outcome.status) == ([""], "error")
