"""What a person says in a real page besides yes and no: to a settings file, to a plan, to questions, in a line of text;
and what becomes of a question whose page was loaded anew."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
SETUP = "from dataclasses import replace\nfrom jupyter_agenttools.notebook import get_session"
PLANNING = "get_session().modify_state(lambda s: replace(s, permission=replace(s.permission, mode='plan')))"
TOLD = "print(get_session().outcomes[-1].text, '|', get_session().state.permission.mode)"
ARMED = ".agt-ask:has([data-name])[data-armed]"


def script(name: str, input: dict[str, Any], *turns: Any) -> str:
    return f"%%agent --script -\n{json.dumps([{'tool_uses': [{'name': name, 'input': input}]}, *turns])}"


@pytest.fixture
def opened(open_lab) -> Any:
    def open_cells(*cells: str, app: str = "lab", folder: str = "answers", **files: str) -> LabPage:
        lab = open_lab(app)
        shutil.rmtree(lab.server.root / folder, ignore_errors=True)
        (lab.server.root / folder).mkdir()
        for name, text in files.items():
            path = lab.server.root / folder / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        lab.write_nb(f"{folder}/a.ipynb", [LOAD, SETUP, *cells])
        lab.open(f"{folder}/a.ipynb")
        lab.run(0, wait=True)
        lab.run(1, wait=True)
        return lab

    return open_cells


def ask(lab: LabPage, index: int) -> None:
    """Run a cell and wait until its card takes keys."""
    lab.run(index)
    lab.page.wait_for_selector(ARMED)


def card(lab: LabPage, name: str) -> Locator:
    return lab.page.get_by_role("group", name=name)


# ---- a settings file


def test_approving_a_settings_file_has_the_open_question_judged_again(opened) -> None:
    asked = {"permissions": {"allow": ["Bash(touch *)"]}}
    lab = opened(
        "x = %tool Bash touch made", "print(x.status, x.decision.rule)", **{".claude__settings.json": json.dumps(asked)}
    )
    ask(lab, 2)
    assert lab.text(2).count("A settings file of this project asks for rights") == 1
    assert lab.text(2).count("%agent trust") == 1, "one line points at it, and one card asks"
    lab.page.get_by_role("button", name="Approve this file").click()
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert lab.text(3) == "ok Bash(touch *)", "nobody had to answer the card below"
    assert lab.errors == []


def test_a_guard_that_is_approved_is_asked_about_the_open_question(opened) -> None:
    guard = {"type": "command", "command": "echo not on a Monday >&2; exit 2"}
    asked = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}}
    lab = opened(
        "x = %tool Bash touch made", "print(x.status, x.text)", **{".claude__settings.json": json.dumps(asked)}
    )
    ask(lab, 2)
    lab.wait_text(2, "does not run: nobody has approved that file")
    lab.page.get_by_role("button", name="Approve this file").click()
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert "denied" in lab.text(3) and "not on a Monday" in lab.text(3)
    assert not (lab.server.root / "answers/made").exists()


# ---- a plan

PLAN = "# Sort the shelf\n\n1. look\n2. sort"


def test_a_plan_is_told_once_and_sent_back_with_a_comment(opened) -> None:
    lab = opened(PLANNING, script("ExitPlanMode", {"plan": PLAN}, "Smaller, then."), TOLD)
    lab.run(2, wait=True)
    ask(lab, 3)
    plan = card(lab, "A plan wants your approval: Plan: Sort the shelf")
    assert plan.inner_text().count("Sort the shelf") == 1 and "mode when approved: default" in plan.inner_text()
    names = ("Approve", "Approve & accept edits", "Edit plan…", "Keep planning…")
    assert all(plan.get_by_role("button", name=name, exact=True).is_visible() for name in names)
    plan.get_by_role("button", name="Keep planning…").click()
    lab.page.get_by_role("textbox", name="Comment").fill("one shelf only")
    assert plan.get_by_role("button", name="Stop the turn", exact=True).is_visible()
    lab.page.keyboard.press("Control+Enter")
    lab.wait_done(3)
    lab.run(4, wait=True)
    assert "keep planning: one shelf only" in lab.text(4) and lab.text(4).endswith("| plan")


def test_a_plan_is_approved_as_the_person_wrote_it(opened) -> None:
    lab = opened(PLANNING, script("ExitPlanMode", {"plan": PLAN}, "Going."), TOLD)
    lab.run(2, wait=True)
    ask(lab, 3)
    lab.page.get_by_role("button", name="Edit plan…").click()
    lab.page.get_by_role("textbox", name="plan").fill("# Only look")
    lab.page.get_by_role("button", name="Approve edited").click()
    lab.wait_done(3)
    lab.run(4, wait=True)
    assert "Only look" in lab.text(4) and lab.text(4).endswith("| default")


# ---- questions

LONG = "what it means takes many words, " * 8
QUESTIONS = {
    "questions": [
        {
            "question": "Which colour?",
            "header": "Colour",
            "options": [{"label": "Red", "description": LONG}, {"label": "Blue", "description": "as the sea"}],
        },
        {
            "question": "Which extras?",
            "header": "Extras",
            "multiSelect": True,
            "options": [{"label": "Tests", "description": "t"}, {"label": "Docs", "description": "d"}],
        },
    ]
}


def test_questions_are_answered_with_one_with_several_and_with_own_words(opened) -> None:
    lab = opened(script("AskUserQuestion", QUESTIONS, "Thanks."), TOLD)
    ask(lab, 2)
    questions = card(lab, "2 questions for you")
    assert questions.inner_text().count("as the sea") == 1, "an option is told once"
    questions.get_by_role("radio", name="Blue – as the sea").check()
    questions.get_by_role("checkbox", name="Tests – t").check()
    questions.get_by_role("checkbox", name="Docs – d").check()
    questions.get_by_role("textbox", name="Other").nth(1).fill("a changelog")
    questions.get_by_role("button", name="Send answers").click()
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert "Which colour? → Blue" in lab.text(3) and "Tests; Docs; a changelog" in lab.text(3)


def test_own_words_stand_instead_of_a_choice_and_long_options_are_read_whole(opened) -> None:
    lab = opened(script("AskUserQuestion", QUESTIONS, "Thanks."), TOLD)
    lab.page.set_viewport_size({"width": 800, "height": 1100})
    ask(lab, 2)
    cut = lab.cell(2).evaluate(
        "cell => [...cell.querySelectorAll('.agt-ask label')].filter(n => n.scrollWidth > n.clientWidth + 1 "
        "|| n.getBoundingClientRect().right > cell.getBoundingClientRect().right).map(n => n.innerText.slice(0, 30))"
    )
    assert cut == []
    questions = card(lab, "2 questions for you")
    colour = questions.get_by_role("group", name="Which colour?")
    assert colour.get_by_role("textbox", name="Other: Which colour?").count() == 1
    names = colour.get_by_role("radio").evaluate_all("fields => fields.map(field => field.name)")
    assert len(names) > 1 and names[0] and len(set(names)) == 1, "one stop of the Tab key"
    questions.get_by_role("radio").first.check()
    questions.get_by_role("textbox", name="Other").first.fill("green")
    questions.get_by_role("button", name="Send answers").click()
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert "Which colour? → green" in lab.text(3) and "Red" not in lab.text(3)


# ---- clicks that come too late


def test_of_clicks_that_come_together_only_the_first_counts(opened) -> None:
    lab = opened("x = %tool Bash touch made", "print(x.status, x.decision.reason)")
    ask(lab, 2)
    lab.page.evaluate(
        "() => { const buttons = [...document.querySelectorAll('.agt-ask button')];"
        " for (const name of ['Allow once', 'Deny', 'Deny', 'Allow once'])"
        " buttons.find(b => b.innerText.startsWith(name)).click(); }"
    )
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert lab.text(3).startswith("ok ") and (lab.server.root / "answers/made").exists()


# ---- a line of text

IN_A_FUNCTION = "def f():\n    x = %tool Bash touch made\n    return x\nx = f()"


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_cell_that_cannot_show_buttons_asks_in_a_line(opened, app: str) -> None:
    lab = opened(IN_A_FUNCTION, "print(x.status, x.decision.reason)", app=app)
    lab.run(2)
    for line in ("a", "Bash", "no", "back", "e", "", "w", "n not here"):
        field = lab.page.wait_for_selector(".jp-Stdin-input")
        field.fill(line)
        field.press("Enter")
        lab.page.wait_for_function("node => !node.isConnected", arg=field)
    lab.wait_done(2)
    text = lab.text(2)
    assert "No buttons can be shown" in text and "Keep it?" in text and "How it was judged:" in text
    lab.run(3, wait=True)
    assert lab.text(3) == "denied not here"


# ---- a page that is loaded anew

LATER = "import asyncio; later = asyncio.ensure_future(get_session().call('Bash', {'command': 'touch made'}))"


def test_a_question_whose_card_is_lost_is_drawn_by_the_next_cell(opened) -> None:
    lab = opened(LATER, "1 + 1", "print((await later).status)")
    lab.save()
    ask(lab, 2)
    lab.reload()
    assert lab.page.locator(".agt-ask").count() == 0, "it was not saved"
    lab.run(3)
    lab.wait_text(3, "1 open question")
    lab.page.wait_for_selector(ARMED)
    card(lab, "Bash asks to run").get_by_role("button", name="Allow once").click()
    lab.run(4, wait=True)
    assert lab.text(4) == "ok" and (lab.server.root / "answers/made").exists()
