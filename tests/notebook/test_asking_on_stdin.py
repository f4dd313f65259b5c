"""Questions in lines of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.core import Decision, PermissionAnswer, PermissionRequest, ToolUse, ToolView, build_tool
from jupyter_agenttools.core.call import CallState
from jupyter_agenttools.core.events import StageEvent
from jupyter_agenttools.core.prompting import RuleUpdate
from jupyter_agenttools.core.stepping import StepChoice
from jupyter_agenttools.notebook.stdin import ask_on_stdin, step_on_stdin

TOOL_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}, "n": {"type": "integer"}}}


async def _call(input: Any, context: Any) -> str:
    return ""


@pytest.fixture
def session(tmp_path: Any) -> Session:
    note = build_tool(name="note", call=_call, input_json_schema=TOOL_SCHEMA, primary_field="text")
    bare = build_tool(name="bare", call=_call, input_json_schema=TOOL_SCHEMA)
    return Session(cwd=tmp_path, session_dir=tmp_path, tools=[note, bare], prompter="deny")


def request(name: str = "note", scopes: tuple[Any, ...] = ("session",)) -> PermissionRequest:
    view, asked = ToolView(f"{name} hello"), Decision("ask", "no rule allows it")
    return PermissionRequest("toolu_1", name, {"text": "hello"}, view, asked, (name,), scopes)


def typing(*lines: str | BaseException) -> Callable[[str], str]:
    left = list(lines)

    def read(prompt: str) -> str:
        line = left.pop(0)
        if isinstance(line, BaseException):
            raise line
        return line

    return read


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("y",), PermissionAnswer("allow", answered_by="stdin")),
        ((" Yes ",), PermissionAnswer("allow", answered_by="stdin")),
        (("n",), PermissionAnswer("deny", answered_by="stdin")),
        (("n not now",), PermissionAnswer("deny", "not now", answered_by="stdin")),
        (("", "maybe", "y"), PermissionAnswer("allow", answered_by="stdin")),
        (("a", ""), PermissionAnswer("allow", rule_updates=(RuleUpdate("note"),), answered_by="stdin")),
        (
            ("a", "((", "Bash", "note"),
            PermissionAnswer("allow", rule_updates=(RuleUpdate("note"),), answered_by="stdin"),
        ),
        (("e", "other"), PermissionAnswer("allow", updated_input={"text": "other"}, answered_by="stdin")),
        (("e", "5"), PermissionAnswer("allow", updated_input={"text": "5"}, answered_by="stdin")),
        (("e", '{"text": 5}', '{"n": 5}'), PermissionAnswer("allow", updated_input={"n": 5}, answered_by="stdin")),
    ],
)
def test_answers(session: Session, lines: tuple[str, ...], answer: PermissionAnswer) -> None:
    written: list[str] = []
    assert ask_on_stdin(request(), session, typing(*lines), written.append, why="(why)") == answer
    assert written[0] == "(why)" and written[1].startswith("note hello") and "no rule allows it" in written[1]


def test_a_tool_without_a_main_field_wants_json(session: Session) -> None:
    answer = ask_on_stdin(request("bare"), session, typing("e", "words", "[1]", '{"n": 1}'), lambda text: None)
    assert answer.updated_input == {"n": 1}


def test_a_place_for_the_rule_can_be_chosen(session: Session) -> None:
    scopes = ("session", "userSettings")
    answer = ask_on_stdin(request(scopes=scopes), session, typing("a", "note", "x", "userSettings"), lambda text: None)
    assert answer.rule_updates == (RuleUpdate("note", "userSettings"),)


@pytest.mark.parametrize("end", [EOFError(), RuntimeError("raw_input was called, but this frontend does not …")])
def test_the_end_of_the_input_is_a_denial(session: Session, end: BaseException) -> None:
    for lines in ((end,), ("a", end), ("e", end), ("w", end)):
        answer = ask_on_stdin(request(), session, typing(*lines), lambda text: None)
        assert answer.behavior == "deny" and answer.answered_by == "nobody" and "permissions.allow" in answer.message


def test_an_interrupt_is_no_answer(session: Session) -> None:
    for lines in ((KeyboardInterrupt(),), ("a", KeyboardInterrupt()), ("e", KeyboardInterrupt())):
        with pytest.raises(KeyboardInterrupt):
            ask_on_stdin(request(), session, typing(*lines), lambda text: None)


@pytest.mark.parametrize(
    ("lines", "may_edit", "choice"),
    [
        (("",), True, StepChoice("next")),
        (("r",), True, StepChoice("run_on")),
        (("x", "a"), True, StepChoice("abort")),
        (("e", "no", '{"n": 1}'), True, StepChoice("edit", {"n": 1})),
        (("e", "", "e", "back", "n"), True, StepChoice("next")),
        (("e", "n"), False, StepChoice("next")),
        ((EOFError(),), True, StepChoice("run_on")),
    ],
)
def test_steps(lines: tuple[Any, ...], may_edit: bool, choice: StepChoice) -> None:
    state: Any = CallState(ToolUse("note", {"text": "hello"}), None)  # type: ignore[arg-type]
    event = StageEvent("toolu_1", "parse_input", "ok", state, state, ("tool_use",), ("input",), "", 0.0, 1.0)
    written: list[str] = []
    assert step_on_stdin(event, "observe", may_edit, typing(*lines), written.append) == choice
    assert "parse_input ok" in written[0] and '"hello"' in written[0]
