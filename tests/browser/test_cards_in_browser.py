"""Cards in a real page: the keyboard alone, where the focus goes, names for a screen reader, edits, groups, reloads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
SETUP = '''
from dataclasses import replace
from jupyter_agenttools import tool
from jupyter_agenttools.notebook import get_session

@tool(is_concurrency_safe=True)
async def both(text: str) -> str:
    """May run beside another."""
    return text.upper()
'''
CARD = ".agt-ask:has([data-name])"
ARMED = f"{CARD}[data-armed]"
FOCUS_IN_CARD = "document.activeElement.closest('.agt-ask') !== null"
FOCUS_IN_ARMED = "document.activeElement.closest('.agt-ask[data-armed]') !== null"


def script(*turns: Any) -> str:
    return f"%%agent --script -\n{json.dumps(turns)}"


def both(*texts: str) -> dict[str, Any]:
    return {"tool_uses": [{"name": "both", "input": {"text": text}} for text in texts]}


@pytest.fixture
def opened(open_lab) -> Any:
    def open_cells(*cells: str, **options: Any) -> LabPage:
        lab = open_lab(**options)
        lab.write_nb("cards.ipynb", [LOAD, SETUP, *cells])
        lab.open("cards.ipynb")
        lab.run(0, wait=True)
        lab.run(1, wait=True)
        return lab

    return open_cells


def ask(lab: LabPage, index: int = 2) -> None:
    """Run a cell and wait until its card takes keys."""
    lab.run(index)
    lab.page.wait_for_selector(ARMED)


def wait_focus(lab: LabPage) -> None:
    """Wait until the focus is in a card that takes keys."""
    lab.page.wait_for_function(FOCUS_IN_ARMED)


def test_letters_answer_and_the_focus_goes_back(opened) -> None:
    lab = opened("x = %tool Bash touch made", "print(x.status)")
    ask(lab)
    wait_focus(lab)
    lab.page.keyboard.press("y")
    lab.wait_done(2)
    assert lab.page.evaluate("document.activeElement.closest('.jp-Cell') !== null"), "the notebook has it again"
    lab.run(3, wait=True)
    assert lab.text(3) == "ok" and lab.source(2).startswith("x ="), "no key reached the notebook"
    assert lab.errors == []


def test_letters_open_escape_closes_and_leaves(opened) -> None:
    lab = opened("x = %tool Bash touch made", "print(x.status, x.decision.reason)")
    ask(lab)
    wait_focus(lab)
    for letter, field in (("e", "command"), ("a", "Rule"), ("n", "Reason")):
        lab.page.keyboard.press(letter)
        lab.page.wait_for_function("document.activeElement.matches('input,textarea')")
        assert lab.page.get_by_label(field, exact=True).is_visible()
        lab.page.keyboard.press("End")
        lab.page.keyboard.type("yaen")
        assert lab.prompt(2) == "*", "letters that are typed answer nothing"
        lab.page.keyboard.press("Escape")
        lab.page.get_by_label(field, exact=True).wait_for(state="detached")
        wait_focus(lab)
    lab.page.keyboard.press("n")
    lab.page.get_by_label("Reason", exact=True).fill("not now")
    lab.page.keyboard.press("Control+Enter")
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert lab.text(3) == "denied not now"


def test_whoever_types_in_a_cell_is_left_alone(opened) -> None:
    until_typed = "import asyncio, os\nwhile not os.path.exists('typed'): await asyncio.sleep(0.01)\n"
    lab = opened(f"{until_typed}x = %tool Bash touch made", "")
    lab.run(2)
    lab.cell(3).locator(".cm-content").click()
    lab.page.keyboard.type("a = 'y")
    (lab.server.root / "typed").touch()
    lab.page.wait_for_selector(ARMED)
    lab.page.keyboard.type("yyy'")
    assert lab.source(3) == "a = 'yyyy'" or lab.source(3).startswith("a = 'yyyy'")
    assert lab.prompt(2) == "*" and not lab.page.evaluate(FOCUS_IN_CARD)
    lab.click_button("Allow once")
    lab.wait_done(2)


def test_a_screen_reader_is_told_what_asks_and_what_can_be_done(opened) -> None:
    lab = opened("x = %tool Bash touch made")
    ask(lab)
    card = lab.page.get_by_role("group", name="Bash asks to run: $ touch made")
    for name in ("Allow once", "Always allow…", "Edit…", "Deny"):
        button = card.get_by_role("button", name=name, exact=True)
        assert button.is_visible() and button.get_attribute("aria-keyshortcuts") in ("Y", "A", "E", "N")
    assert card.locator("[role=status][aria-live]").inner_text().startswith("Bash asks to run")
    lab.click_button("Edit…")
    lab.page.get_by_role("textbox", name="command").fill("")
    lab.page.keyboard.press("Control+Enter")
    card.get_by_role("alert").wait_for()
    assert "Not yet" in card.get_by_role("alert").inner_text()


def test_what_is_typed_after_a_refused_edit_does_not_allow_the_call_as_it_was(opened) -> None:
    lab = opened("x = %tool Bash touch never_allowed", "print(x.status, x.text)")
    ask(lab)
    lab.page.keyboard.press("e")
    field = lab.page.get_by_role("textbox", name="command")
    field.wait_for()
    field.fill("")
    lab.page.keyboard.press("Control+Enter")
    lab.page.get_by_role("alert").wait_for()
    lab.page.keyboard.type("echo y", delay=60)
    assert field.input_value() == "echo y" and lab.prompt(2) == "*"
    lab.page.get_by_role("button", name="Run edited").focus()
    lab.page.keyboard.press("y")
    field.focus()
    lab.page.keyboard.press("Control+Enter")  # what the key did, if anything, arrives before this
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert lab.text(3) == "ok y" and not list(lab.server.root.rglob("never_allowed"))


FAR_AWAY_JS = """
const send = WebSocket.prototype.send;
const held = [];
WebSocket.prototype.send = function(data) { held.push(() => send.call(this, data)); };
window.arrive = () => { WebSocket.prototype.send = send; held.forEach(each => each()); };
undefined
"""
"""What the page sends is on its way until ``arrive()``, as to a hub in another country."""


@pytest.mark.parametrize(("how", "more", "send"), [("click", "", "Enter"), ("key", "ver.", "Control+Enter")])
def test_a_reason_may_be_typed_before_its_line_is_there(opened, how: str, more: str, send: str) -> None:
    lab = opened("x = %tool Bash touch never_allowed", "print(x.status, x.decision.reason)")
    ask(lab)
    wait_focus(lab)
    lab.page.evaluate(FAR_AWAY_JS)
    if how == "click":
        lab.page.get_by_role("button", name="Deny", exact=True).click()
    else:
        lab.page.keyboard.press("n")
    lab.page.keyboard.type("You may not, eX", delay=20)
    lab.page.keyboard.press("Backspace")
    lab.page.evaluate("arrive()")
    lab.page.wait_for_function("document.activeElement.matches('input')")
    if more:
        lab.page.keyboard.type(more, delay=20)
    assert lab.page.get_by_label("Reason", exact=True).input_value() == f"You may not, e{more}"
    assert lab.prompt(2) == "*" and lab._js("return notebook.widgets.length;") == 4
    lab.page.keyboard.press(send)
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert lab.text(3) == f"denied You may not, e{more}" and not list(lab.server.root.rglob("never_allowed"))
    assert lab.errors == []


def test_one_letter_answers_and_what_follows_it_changes_no_cell(opened) -> None:
    lab = opened("x = %tool Bash touch made", "print(x.status)")
    ask(lab)
    wait_focus(lab)
    lab.page.keyboard.type("yes, dd do it, mm")
    lab.wait_done(2)
    lab.page.wait_for_function("document.activeElement.closest('.agt-ask') === null")
    lab.page.keyboard.type("dd")
    assert lab._js("return notebook.widgets.map(each => each.model.type);") == ["code"] * 4
    lab.run(3, wait=True)
    assert lab.text(3) == "ok" and lab.errors == []


def test_an_edit_in_place_is_validated_judged_and_run(opened) -> None:
    edit = "x = %tool Edit file_path=x.py old_string=one new_string=two"
    lab = opened("%tool Read x.py", edit)
    (lab.server.root / "x.py").write_text("one = 1\n")
    lab.run(2, wait=True)
    ask(lab, 3)
    lab.click_button("Edit…")
    lab.click_button("All arguments…")
    field = lab.page.get_by_label("Input (JSON)")
    wrong = {"file_path": "x.py", "old_string": "absent", "new_string": "three"}
    field.fill(json.dumps(wrong))
    lab.click_button("Run edited")
    lab.wait_text(3, "Not yet")
    assert json.loads(field.input_value()) == wrong, "what was written is still there"
    field.fill(json.dumps({**wrong, "old_string": "one"}))
    lab.click_button("Run edited")
    lab.wait_done(3)
    assert (lab.server.root / "x.py").read_text() == "three = 1\n"


def test_the_back_test_is_seen_before_a_broad_rule_is_kept(opened) -> None:
    lab = opened("%tool Bash touch one", "%tool Bash touch two")
    ask(lab)
    lab.click_button("Allow once")
    lab.wait_done(2)
    ask(lab, 3)
    lab.click_button("Always allow")
    lab.wait_text(3, "Back-test")
    lab.page.get_by_label("Rule", exact=True).fill("Bash")
    lab.page.locator("button", has_text="Save & allow").click()
    lab.wait_text(3, "allows every call of Bash")
    assert "NEW: allowed" in lab.text(3) and lab.prompt(3) == "*", "one click keeps nothing that nobody has seen"
    lab.click_button("Save & allow anyway")
    lab.wait_done(3)
    assert (lab.server.root / "two").exists()


def test_a_group_is_answered_one_by_one_and_then_at_once(opened) -> None:
    lab = opened(script(both("one", "two", "three"), "All done."))
    lab.run(2)
    lab.wait_text(2, "3 questions wait for an answer")
    wait_focus(lab)
    lab.page.keyboard.press("n")
    reason = lab.page.get_by_label("Reason", exact=True)
    reason.fill("half a sen")
    lab.page.locator(CARD).nth(1).get_by_role("button", name="Allow once").click()
    lab.wait_text(2, "Allowed by you: both text=two")
    assert reason.input_value() == "half a sen", "an answer beside it leaves what is typed alone"
    lab.wait_text(2, "2 questions wait")
    lab.click_button("Allow all 2")
    lab.wait_done(2)
    lab.wait_text(2, "All done.")


def test_the_second_click_of_a_double_click_does_not_hit_the_next_card(opened) -> None:
    lab = opened(script(both("one", "two"), "All done."))
    lab.run(2)
    lab.wait_text(2, "2 questions wait")
    lab.page.wait_for_function(f"document.querySelectorAll('{ARMED}').length === 2")
    first = lab.page.locator(CARD).first.get_by_role("button", name="Allow once")
    box = first.bounding_box()
    assert box is not None
    first.dblclick()
    lab.wait_text(2, "Allowed by you: both text=one")
    lab.page.mouse.click(box["x"] + 5, box["y"] + 5)
    assert lab.page.locator(CARD).count() == 1, "the other question is still open"
    lab.click_button("Deny")
    lab.click_button("Send denial")
    lab.wait_done(2)


def test_keys_and_group_come_back_with_a_reload(opened) -> None:
    lab = opened(script(both("one", "two"), "All done."), "print(_.reason)")
    lab.run(2)
    lab.wait_text(2, "2 questions wait")
    lab.save()
    lab.reload(wait_kernel=False)
    lab.wait_text(2, "2 questions wait")
    lab.page.wait_for_selector(ARMED)
    card = lab.page.locator(CARD).first
    card.focus()
    wait_focus(lab)
    lab.page.keyboard.press("y")
    lab.wait_text(2, "Allowed by you: both text=one")
    lab.click_button("Allow once")
    lab.wait_idle()
    lab.run(3, wait=True)
    assert lab.text(3) == "end_turn"


QUESTION = {
    "question": "Which <b>store</b>?",
    "header": "Store",
    "options": [
        {"label": "File <img src=x onerror=window.PWN=1>", "description": "one", "preview": "**small** <img src=x>"},
        {"label": "Server", "description": "a program"},
    ],
}


def test_questions_and_plans_are_answered_with_the_keyboard(opened) -> None:
    lab = opened(
        script({"tool_uses": [{"name": "AskUserQuestion", "input": {"questions": [QUESTION]}}]}, "Thanks."),
        "get_session().modify_state(lambda s: replace(s, permission=replace(s.permission, mode='plan')))",
        script({"tool_uses": [{"name": "ExitPlanMode", "input": {"plan": "# Go\n\n1. <img src=x onerror=1>"}}]}, "On."),
        "print(get_session().state.permission.mode)",
    )
    ask(lab)
    wait_focus(lab)
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Space")
    lab.wait_text(2, "small")
    lab.page.keyboard.press("y")
    lab.wait_done(2)
    lab.run(3, wait=True)
    ask(lab, 4)
    wait_focus(lab)
    lab.page.keyboard.press("a")
    lab.wait_done(4)
    lab.run(5, wait=True)
    assert lab.text(5) == "acceptEdits"
    assert lab.page.evaluate("window.PWN") is None and lab.page.locator(".jp-OutputArea img").count() == 0


@pytest.mark.parametrize("width", [780, 1280])
def test_nothing_of_a_card_lies_beyond_its_cell(opened, width: int) -> None:
    lab = opened(f"x = %tool Bash touch {'x' * 300} && rm -r {'y' * 200}")
    lab.page.set_viewport_size({"width": width, "height": 1100})
    ask(lab)
    lab.page.locator("summary").first.click()
    lab.click_button("Always allow")
    lab.wait_text(2, "Back-test")
    wide = lab.cell(2).evaluate(
        "cell => { const edge = cell.querySelector('.jp-OutputArea-output').getBoundingClientRect().right;"
        " return [...cell.querySelectorAll('.agt-ask *')].filter(n => n.getBoundingClientRect().right > edge + 1)"
        ".map(n => n.outerHTML.slice(0, 80)); }"
    )
    assert wide == []


def test_several_rules_are_all_in_sight_in_a_narrow_page(opened) -> None:
    long = f"touch {'long_name_' * 9}x"
    lab = opened(f"%tool Bash {long} && mkdir -p k && rm -r gone && npm test")
    lab.page.set_viewport_size({"width": 700, "height": 1000})
    ask(lab)
    lab.click_button("Always allow…")
    field = lab.page.locator(".jp-Notebook").get_by_label("Rules", exact=True)
    parts = (long, "mkdir -p k", "rm -r gone", "npm test")
    assert field.input_value().split("\n") == [f"Bash({part})" for part in parts]
    hidden = "[(e => e.scrollHeight - e.clientHeight), (e => e.scrollWidth - e.clientWidth)].map(f => f(node))"
    assert all(pixels <= 2 for pixels in field.evaluate(f"node => {hidden}"))
    lab.page.keyboard.press("Control+Enter")
    lab.wait_done(2)


def test_one_key_answers_all_that_are_listed(opened) -> None:
    told = "print([outcome.decision.behavior for outcome in list(get_session().outcomes)[-3:]])"
    lab = opened(script(both("one", "two", "three"), "Done."), told)
    lab.run(2)
    wait_focus(lab)
    everything = lab.page.get_by_role("button", name="Allow all 3")
    everything.wait_for()
    assert everything.get_attribute("aria-keyshortcuts") == "Shift+Y"
    lab.page.wait_for_selector(".agt-bar[data-armed]")
    lab.page.keyboard.press("Shift+Y")
    lab.wait_done(2)
    lab.run(3, wait=True)
    assert lab.text(3) == "['allow', 'allow', 'allow']"


def test_what_came_of_a_tall_card_is_brought_into_view(opened) -> None:
    lines = "\n".join(f"echo {n} >> out.txt" for n in range(60))
    lab = opened(f"%%tool Bash\n{lines}")
    ask(lab)
    lab.click_button("Deny")
    lab.page.get_by_label("Reason", exact=True).press("Control+Enter")
    lab.wait_done(2)
    lab.page.wait_for_function(
        "() => { const cells = document.querySelectorAll('.jp-CodeCell');"
        " const box = [...cells].at(-1).querySelector('.agt-card')?.getBoundingClientRect();"
        " return box && box.top >= 0 && box.top < innerHeight; }"
    )
