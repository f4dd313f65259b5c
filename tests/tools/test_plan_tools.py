"""EnterPlanMode and ExitPlanMode: into plan mode at will, out of it by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import PermissionAnswer, PermissionRequest, Session
from jupyter_agenttools.core.permission_updates import SetMode
from jupyter_agenttools.hooks import Hook
from jupyter_agenttools.models import ScriptedModel
from jupyter_agenttools.render.text import view_text

pytestmark = pytest.mark.anyio


class Person:
    """Answers each request with the next of these answers, and keeps the requests."""

    def __init__(self, *answers: PermissionAnswer) -> None:
        self.answers = list(answers)
        self.asked: list[PermissionRequest] = []

    async def ask(self, request: PermissionRequest) -> PermissionAnswer:
        self.asked.append(request)
        return self.answers.pop(0)


APPROVE = PermissionAnswer("allow")


def planning(tmp_path: Path, *answers: PermissionAnswer, mode: str = "default") -> tuple[Session, Person]:
    person = Person(*answers)
    session = Session(cwd=tmp_path, session_dir=tmp_path / "own", prompter=person)
    session.set_mode(mode)  # type: ignore[arg-type]
    session.set_mode("plan")
    return session, person


async def test_entering_needs_nobody_and_holds_from_the_next_call_on(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path)
    outcome = await session.call("EnterPlanMode", {})
    assert outcome.status == "ok" and "ExitPlanMode" in outcome.text
    assert session.state.permission.mode == "plan"
    assert (await session.call("Bash", {"command": "touch x"})).status == "denied"
    assert "already" in (await session.call("EnterPlanMode", {})).text


async def test_where_nobody_is_asked_nobody_could_approve_a_plan(tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"defaultMode": "dontAsk"}})
    outcome = await session.call("EnterPlanMode", {})
    assert outcome.status == "error" and "nobody is here" in outcome.text
    assert session.state.permission.mode == "dontAsk"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "dontAsk"])
async def test_an_approved_plan_goes_back_to_the_mode_before(mode: str, tmp_path: Path) -> None:
    session, person = planning(tmp_path, APPROVE, mode=mode)
    outcome = await session.call("ExitPlanMode", {"plan": "# Do it\n1. this"})
    assert outcome.status == "ok" and "1. this" in outcome.text
    assert session.state.permission.mode == mode
    (request,) = person.asked
    assert (request.form, request.input) == ("plan", {"plan": "# Do it\n1. this"})
    assert "1. this" in view_text(request.view) and f"mode when approved: {mode}" in view_text(request.view)


async def test_approving_with_edits(tmp_path: Path) -> None:
    session, _ = planning(tmp_path, PermissionAnswer("allow", updates=(SetMode("acceptEdits"),)))
    outcome = await session.call("ExitPlanMode", {"plan": "do"})
    assert session.state.permission.mode == "acceptEdits" and "edits of files need no question" in outcome.text
    assert (await session.call("Write", {"file_path": str(tmp_path / "x"), "content": "1"})).status == "ok"


async def test_the_person_changes_the_plan_and_is_not_asked_again(tmp_path: Path) -> None:
    answer = PermissionAnswer("allow", updated_input={"plan": "do less"}, updates=(SetMode("acceptEdits"),))
    session, person = planning(tmp_path, answer)
    outcome = await session.call("ExitPlanMode", {"plan": "do much"})
    assert outcome.text.endswith("do less") and len(person.asked) == 1
    assert session.state.permission.mode == "acceptEdits"


async def test_keep_planning_with_a_comment(tmp_path: Path) -> None:
    session, _ = planning(tmp_path, PermissionAnswer("deny", "say how it is tested"))
    outcome = await session.call("ExitPlanMode", {"plan": "do"})
    assert outcome.status == "denied" and "say how it is tested" in outcome.text
    assert session.state.permission.mode == "plan"


async def test_the_plan_of_the_file(tmp_path: Path) -> None:
    session, person = planning(tmp_path, APPROVE)
    plan = tmp_path / "own" / "plans" / "plan-own.md"
    assert str(plan) in (await session.call("EnterPlanMode", {})).text
    assert (await session.call("Write", {"file_path": str(plan), "content": "# From the file\n"})).status == "ok"
    outcome = await session.call("ExitPlanMode", {})
    assert outcome.text.endswith("# From the file")
    assert person.asked[0].input == {"plan": "# From the file"}


async def test_what_models_send_besides_is_let_be(tmp_path: Path) -> None:
    session, _ = planning(tmp_path, APPROVE)
    input = {"plan": "do", "allowedPrompts": [{"tool": "Bash", "prompt": "run tests"}]}
    assert (await session.call("ExitPlanMode", input)).status == "ok"
    assert not session.state.permission.always_allow_rules


@pytest.mark.parametrize(
    ("mode", "input", "said"),
    [
        ("default", {"plan": "do"}, "plan mode is not on"),
        ("plan", {}, "there is no plan yet"),
        ("plan", {"plan": "  "}, "there is no plan yet"),
        ("plan", {"plan": "x" * 100_001}, "sum it up"),
        ("plan", {"plan": 3}, "plan"),
    ],
)
async def test_what_cannot_be_put_before_a_person(mode: Any, input: Any, said: str, tmp_path: Path) -> None:
    person = Person()
    session = Session(cwd=tmp_path, session_dir=tmp_path / "own", prompter=person)
    session.set_mode(mode)
    outcome = await session.call("ExitPlanMode", input)
    assert outcome.status == "error" and said in outcome.text
    assert not person.asked


@pytest.mark.parametrize("settings", [{"allow": ["ExitPlanMode"]}, {}])
async def test_where_nobody_can_be_asked_plan_mode_stays(settings: Any, tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"defaultMode": "plan", **settings}})
    outcome = await session.call("ExitPlanMode", {"plan": "do"})
    assert outcome.status == "denied" and "somebody has to be asked" in outcome.text
    assert session.state.permission.mode == "plan"


async def test_a_hook_sees_the_plan_and_can_block_it(tmp_path: Path) -> None:
    seen: list[Any] = []

    def block(payload: dict[str, Any]) -> str:
        seen.append(payload["tool_input"])
        return "deny"

    session, person = planning(tmp_path, APPROVE)
    session.add_hook(Hook("PreToolUse", block, "no plans", "ExitPlanMode"))
    assert (await session.call("ExitPlanMode", {"plan": "do"})).status == "denied"
    assert seen == [{"plan": "do"}] and not person.asked


async def test_a_model_plans_and_then_does_it(tmp_path: Path) -> None:
    turns = [
        [{"name": "EnterPlanMode", "input": {}}],
        [{"name": "Bash", "input": {"command": "touch early"}}],
        [{"name": "ExitPlanMode", "input": {"plan": "Touch a file."}}],
        [{"name": "Bash", "input": {"command": "touch late"}}],
        "Done.",
    ]
    person = Person(PermissionAnswer("allow", updates=(SetMode("acceptEdits"),)))
    session = Session(cwd=tmp_path, prompter=person, model=ScriptedModel.from_json(json.dumps(turns)))
    async for _ in session.query("Make a file."):
        pass
    assert [outcome.status for outcome in session.outcomes] == ["ok", "denied", "ok", "ok"]
    assert not (tmp_path / "early").exists() and (tmp_path / "late").exists()
