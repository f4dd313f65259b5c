"""Plans and questions in lines of text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Session
from jupyter_agenttools.core import Decision, PermissionAnswer, PermissionRequest, ToolView
from jupyter_agenttools.core.permission_updates import SetMode
from jupyter_agenttools.notebook.stdin import ask_on_stdin
from jupyter_agenttools.session.form_dialog import form_dialog, read_choice
from jupyter_agenttools.session.prompters import StdinPrompter

OPTIONS = [{"label": "Red", "description": "as a rose"}, {"label": "Blue", "description": "as the sea"}]
ACCEPT = (SetMode("acceptEdits"),)
QUESTIONS = [
    {"question": "Which?", "header": "Colour", "options": OPTIONS, "multiSelect": False},
    {"question": "More?", "header": "More", "options": OPTIONS, "multiSelect": True},
]


def request(form: Any) -> PermissionRequest:
    input = {"plan": "do"} if form == "plan" else {"questions": QUESTIONS}
    asked = Decision("ask", "a person decides", decided_by="tool")
    return PermissionRequest("toolu_1", "Tool", input, ToolView("Plan: do"), asked, form=form)


def answer_to(form: Any, *lines: str) -> tuple[PermissionAnswer, str]:
    dialog, shown = form_dialog(request(form)), ""
    try:
        shown += next(dialog)
        for line in lines:
            shown += dialog.send(line)
    except StopIteration as end:
        return end.value, shown
    raise AssertionError("there was no answer")


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("y",), PermissionAnswer("allow", answered_by="stdin")),
        (("", "what", "YES"), PermissionAnswer("allow", answered_by="stdin")),
        (("a",), PermissionAnswer("allow", updates=(SetMode("acceptEdits"),), answered_by="stdin")),
        (("y, but test it", "y but test it", "e", "A"), PermissionAnswer("allow", updates=ACCEPT, answered_by="stdin")),
    ],
)
def test_plans(lines: Any, answer: PermissionAnswer) -> None:
    assert answer_to("plan", *lines)[0] == answer


def test_keep_planning_with_a_comment() -> None:
    answer, _ = answer_to("plan", "n test it first")
    assert answer.behavior == "deny" and "test it first" in answer.message and "Plan mode stays on" in answer.message


def test_a_plan_can_end_the_turn() -> None:
    answer, shown = answer_to("plan", "what?", "s no time")
    assert answer.interrupt and answer.behavior == "deny" and "no time" in answer.message
    assert "'what?' is no answer.\nIs this plan good?" in shown


def test_questions_are_asked_one_by_one() -> None:
    answer, shown = answer_to("questions", "2", "", "1, blue")
    assert answer.updated_input == {"questions": QUESTIONS, "answers": {"Which?": "Blue", "More?": ["Red", "Blue"]}}
    assert "Colour: Which?" in shown and "1. Red – as a rose" in shown


def test_words_of_their_own_and_declining() -> None:
    answer, _ = answer_to("questions", "something, else", "3")
    assert answer.updated_input is not None
    assert answer.updated_input["answers"] == {"Which?": "something, else", "More?": ["3"]}
    answer, _ = answer_to("questions", "1", "- ask me later")
    assert (answer.behavior, answer.message) == ("deny", "the person does not answer: ask me later")


def test_one_goes_back_to_the_question_before() -> None:
    answer, shown = answer_to("questions", "1", "back", "2", "1")
    assert answer.updated_input is not None
    assert answer.updated_input["answers"] == {"Which?": "Blue", "More?": ["Red"]}
    assert "back = the question before" not in shown.partition("Which?")[0]
    answer, _ = answer_to("questions", "back", "1")
    assert answer.updated_input is not None
    assert answer.updated_input["answers"]["Which?"] == "back", "before the first one there is nothing to go back to"


def test_previews_are_shown_below_their_option() -> None:
    options = [{**OPTIONS[0], "preview": "one\n\u202etwo\n" + "more\n" * 30}, OPTIONS[1]]
    asked = {"questions": [{**QUESTIONS[0], "options": options}]}
    shown = next(form_dialog(PermissionRequest("toolu_1", "T", asked, ToolView(""), Decision("ask"), form="questions")))
    assert "     | one" in shown and "‹U+202E›two" in shown and "… 12 more lines" in shown


@given(st.text(min_size=1).filter(str.strip), st.booleans())
def test_what_was_typed_is_never_lost(typed: str, several: bool) -> None:
    chosen = read_choice(typed, ["A", "B"], several=several)
    assert chosen == [typed.strip()] or set(chosen) <= {"A", "B"}


def test_signs_that_hide_are_shown() -> None:
    hidden = [{**QUESTIONS[0], "question": "Which\u202e?"}]
    asked = PermissionRequest("toolu_1", "Tool", {"questions": hidden}, ToolView(""), Decision("ask"), form="questions")
    assert "\u202e" not in next(form_dialog(asked))


def test_on_the_main_thread(tmp_path: Any) -> None:
    session = Session(cwd=tmp_path)
    assert ask_on_stdin(request("plan"), session, lambda text: "y", print).behavior == "allow"

    def over(text: str) -> str:
        raise EOFError

    answer = ask_on_stdin(request("questions"), session, over, print)
    assert answer.behavior == "deny" and "Decide yourself" in answer.message


@pytest.mark.anyio
async def test_in_a_terminal(tmp_path: Any) -> None:
    async def read(text: str) -> str:
        return "a"

    assert (await StdinPrompter(Session(cwd=tmp_path), read).ask(request("plan"))).updates == ACCEPT
