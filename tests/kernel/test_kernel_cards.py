"""Cards in a real kernel: rules with their back-test, edits in place, groups, plans, questions, rights that change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.notebooks import Notebook, notebook, record
from tests.support.executions import Execution

pytestmark = pytest.mark.kernel


def script(*turns: Any) -> str:
    return f"%%agent --script -\n{json.dumps(turns)}"


def both(*texts: str) -> dict[str, Any]:
    return {"tool_uses": [{"name": "both", "input": {"text": text}} for text in texts]}


@pytest.fixture(scope="module")
def shared() -> Iterator[Notebook]:
    with notebook() as book:
        book.run("from jupyter_agenttools.notebook import get_session\nfrom dataclasses import replace")
        yield book


@pytest.fixture
def book(shared: Notebook) -> Iterator[Notebook]:
    """A notebook whose session has no rules and is in no mode."""
    yield shared
    if any(cell.status == "running" for cell in shared.kernel.executions.values()):
        shared.kernel.interrupt()  # a test that failed while its question was open must not hold up the next one
    shared.run(
        "get_session().modify_state(lambda s: replace(s, permission=replace(s.permission, mode='default', "
        "always_allow_rules={}, always_deny_rules={}, always_ask_rules={})))"
    )
    assert not shared.page.models, "widgets stay open"


def wait_words(book: Notebook, words: str) -> None:
    book.kernel.pump_until(lambda: words in book.page.text(), 10, f"the words {words!r}")


def fill(book: Notebook, field: str, value: str) -> None:
    """Type into a field as soon as it is there."""

    def is_there() -> bool:
        return any(m.state.get("description") == field for m in book.page.visible())

    book.kernel.pump_until(is_there, 10, f"the field {field!r}")
    book.page.set_value(field, value)


def buttons(book: Notebook, name: str) -> list[str]:
    return [b.comm_id for b in book.page.buttons() if b.description == name and not b.disabled]


def wait_cards(book: Notebook, count: int) -> list[str]:
    book.kernel.pump_until(lambda: len(buttons(book, "Allow once")) == count, 10, f"{count} cards")
    return buttons(book, "Allow once")


# ---- one call


def test_the_card_tells_all_arguments_and_every_step(book: Notebook) -> None:
    cell = book.start("x = %tool Bash command='touch p\u0430y; echo $(id)' timeout=5000 run_in_background=false")
    book.page.wait_button("Allow once")
    text = book.page.text()
    assert '"timeout"' in text.replace("&quot;", '"') and "run_in_background" in text
    assert "CYRILLIC SMALL LETTER A" in text and "p‹\u0430 U+0430›y" in text
    assert "How it was judged" in text and "validateNewlines" in text and "<mark>" in text
    book.click("Deny", "Send denial")
    cell.wait()


def test_an_edit_that_cannot_work_keeps_the_text_and_says_why(book: Notebook) -> None:
    Path(book.kernel.cwd, "x.py").write_text("one = 1\n")
    book.run("%tool Read x.py")
    cell = book.start("x = %tool Edit file_path=x.py old_string=one new_string=two")
    book.click("Edit…", "All arguments…")
    edited = {"file_path": "x.py", "old_string": "absent", "new_string": "three"}
    fill(book, "Input (JSON)", json.dumps(edited))
    book.click("Run edited")
    wait_words(book, "Not yet")
    assert json.loads(book.page.find("Input (JSON)").state["value"]) == edited
    book.page.set_value("Input (JSON)", "[1]")
    book.click("Run edited")
    wait_words(book, "must be a JSON object")
    book.page.set_value("Input (JSON)", json.dumps({**edited, "old_string": "one"}))
    book.click("Run edited")
    assert cell.wait().status == "ok"
    assert Path(book.kernel.cwd, "x.py").read_text() == "three = 1\n"


def test_an_edit_that_a_rule_denies_is_not_an_answer(book: Notebook) -> None:
    book.run("from jupyter_agenttools.core.prompting import RuleUpdate")
    book.run("await get_session().keep_rules([RuleUpdate('Bash(rm *)', behavior='deny')])")
    cell = book.start("x = %tool Bash touch edited")
    book.click("Edit…")
    fill(book, "command", "rm edited")
    book.click("Run edited")
    wait_words(book, "it would be denied")
    book.page.set_value("command", "touch other")
    book.click("Run edited")
    cell.wait()
    assert book.value("x.status") == "ok" and Path(book.kernel.cwd, "other").exists()


def test_a_broad_rule_is_warned_of_before_it_is_kept(book: Notebook) -> None:
    cell = book.start("x = %tool Bash touch one")
    book.click("Always allow…")
    wait_words(book, "Back-test")
    plain = book.page.wait_button("Save & allow")
    fill(book, "Rule", "Bash")
    book.page.send_custom(plain.comm_id, {"event": "click"})  # made before anybody can have read the warning
    anyway = book.page.wait_button("Save & allow anyway")
    wait_words(book, "allows every call of Bash")
    assert cell.status == "running"
    book.page.send_custom(anyway.comm_id, {"event": "click"})
    assert cell.wait().status == "ok"
    assert book.value("get_session().state.permission.always_allow_rules['session']") == "('Bash',)"


def test_the_warning_goes_with_the_rule_that_it_was_about(book: Notebook) -> None:
    cell = book.start("x = %tool Bash touch one")
    book.click("Always allow…")
    wait_words(book, "Back-test")
    fill(book, "Rule", "Bash")
    book.page.wait_button("Save & allow anyway")
    for harmless, words in (("Bash(touch one)", "Bash(touch one)</code>"), ("Bash(touch", "Not yet")):
        fill(book, "Rule", harmless)
        wait_words(book, words)
        book.kernel.pump_until(lambda: not buttons(book, "Save & allow anyway"), 10, "a plain label again")
        fill(book, "Rule", "Bash")
        book.page.wait_button("Save & allow anyway")
    book.click("Deny", "Send denial")
    cell.wait()


def test_each_part_of_a_line_gets_a_rule_on_a_line_of_its_own(book: Notebook) -> None:
    cell = book.start("x = %tool Bash touch one && mkdir -p two")
    book.click("Always allow…")
    wait_words(book, "Back-test")
    field = book.page.find("Rules")
    offered = field.state["value"]
    assert field.name == "TextareaModel" and offered == "Bash(touch one)\nBash(mkdir -p two)"
    assert "2 rules together" in book.page.text() and "<mark>mkdir -p two</mark>" in book.page.text()
    choices = book.page.find("Suggestions").state["_options_labels"]
    assert choices[1] == "any words: Bash(touch *), Bash(mkdir *)"
    book.page.set_value("Rules", f"{offered}\nBash(git status)")
    wait_words(book, "Bash(git status) is not needed for this call")
    book.page.set_value("Rules", offered)
    wait_words(book, "2 rules together")
    book.click("Save & allow")
    assert cell.wait().status == "ok"
    kept = book.value("get_session().state.permission.always_allow_rules['session']")
    assert kept == "('Bash(touch one)', 'Bash(mkdir -p two)')"


@pytest.mark.parametrize(
    ("call", "field", "edited", "words"),
    [
        ("Bash touch fine", "command", "touch 'odd", "bash cannot read this command"),
        ("Write file_path=new.txt content=x", "Input (JSON)", '{"file_path": "/etc/hosts", "content": ""}', "not been"),
    ],
)
def test_an_edit_that_can_only_fail_is_refused_at_once(
    book: Notebook, call: str, field: str, edited: str, words: str
) -> None:
    cell = book.start(f"x = %tool {call}")
    book.click("Edit…", *(["All arguments…"] if field != "command" else []))
    fill(book, field, edited)
    book.click("Run edited")
    wait_words(book, words)
    assert cell.status == "running" and book.page.find(field).state["value"] == edited
    book.click("Deny", "Send denial")
    cell.wait()


def test_a_rule_is_tested_on_the_calls_so_far(book: Notebook) -> None:
    cell = book.start("x = %tool Bash touch first")
    book.click("Allow once")
    cell.wait()
    cell = book.start("x = %tool Bash touch second")
    book.click("Always allow…")
    fill(book, "Rule", "Bash(touch *)")
    wait_words(book, "touch first")
    assert "NEW: allowed" in book.page.text()
    book.click("Save & allow")
    assert cell.wait().status == "ok"
    assert book.run("%tool Bash touch third").status == "ok", "asks no more"


def test_back_closes_what_is_open_and_answers_nothing(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    for opener in ("Always allow…", "Edit…", "Deny"):
        book.click(opener, "Back")
        book.kernel.pump_until(lambda: not buttons(book, "Back"), 10, "a closed drawer")
    book.click("Allow once")
    assert "HELLO" in record(cell.wait())


# ---- several


def test_one_answer_for_all_that_were_listed(book: Notebook) -> None:
    cell = book.start(script(both("one", "two", "three"), "Done."))
    wait_cards(book, 3)
    wait_words(book, "3 questions wait for an answer")
    assert "<b>next</b>" in book.page.text()
    book.click("Allow all 3")
    text = record(cell.wait())
    assert all(word in text for word in ("ONE", "TWO", "THREE"))


def test_one_by_one_and_the_rest_together(book: Notebook) -> None:
    cell = book.start(script(both("one", "two", "three"), "Done."))
    book.page.send_custom(wait_cards(book, 3)[0], {"event": "click"})
    wait_words(book, "2 questions wait")
    wait_words(book, "Allowed by you: both text=one")
    book.click("Deny all 2")
    text = record(cell.wait())
    assert "ONE" in text and "TWO" not in text and text.count("denied") >= 2


def test_a_click_on_a_button_for_all_that_is_gone_answers_nothing(book: Notebook) -> None:
    cell = book.start(script(both("one", "two", "three"), "Done."))
    cards = wait_cards(book, 3)
    stale = book.page.wait_button("Allow all 3").comm_id
    book.page.send_custom(cards[0], {"event": "click"})
    book.page.wait_button("Deny all 2")
    book.page.send_custom(stale, {"event": "click"})
    book.click("Deny all 2")
    assert "TWO" not in record(cell.wait())


def test_an_answer_leaves_what_is_typed_in_another_card_alone(book: Notebook) -> None:
    cell = book.start(script(both("one", "two"), "Done."))
    first, second = wait_cards(book, 2)
    roots = [m.comm_id for m in book.page.visible() if "agt-ask" in m.state.get("_dom_classes", ())]
    book.page.send_custom(first, {"event": "click"})
    book.kernel.pump_until(lambda: first not in book.page.models, 10, "an answered card")
    still = [m.comm_id for m in book.page.visible() if "agt-ask" in m.state.get("_dom_classes", ())]
    assert still == roots, "the place of the first card stays, so that a page draws the second one once"
    book.page.send_custom(second, {"event": "click"})
    cell.wait()


def test_stopping_the_turn_answers_everything(book: Notebook) -> None:
    cell = book.start(script(both("one", "two"), "never said"))
    wait_cards(book, 2)
    book.click("Deny", "Deny & stop the turn")
    text = record(cell.wait())
    assert "stopped the turn" in text and "never said" not in text
    assert book.value("_.reason") == "interrupted"


# ---- rights that change


def test_a_rule_that_is_kept_answers_the_other_question_too(book: Notebook) -> None:
    cell = book.start(script(both("one", "two"), "Done."))
    wait_cards(book, 2)
    book.click("Always allow…")
    wait_words(book, "1 more question that waits would be answered by it")
    book.click("Save & allow")
    text = record(cell.wait())
    assert "ONE" in text and "TWO" in text


def test_a_deny_rule_that_comes_meanwhile_denies(book: Notebook) -> None:
    cell = book.start(
        "import asyncio\nfrom jupyter_agenttools.core.prompting import RuleUpdate\n"
        "denying = RuleUpdate('note', behavior='deny')\n"
        "async def deny():\n"
        "    while not __agenttools__.__self__._loaded.runtime.prompts.all(): await asyncio.sleep(0.01)\n"
        "    await get_session().keep_rules([denying])\n"
        "later = asyncio.ensure_future(deny())\nx = %tool note hello"
    )
    assert cell.wait().status == "ok"
    assert book.value("x.status, x.decision.decided_by") == "denied rule"


# ---- plans and questions

QUESTIONS = {
    "questions": [
        {
            "question": "Which store?",
            "header": "Store",
            "options": [
                {"label": "File", "description": "one file", "preview": "**small**"},
                {"label": "<i>Server", "description": "a program"},
            ],
        },
        {
            "question": "Which extras?",
            "header": "Extras",
            "multiSelect": True,
            "options": [{"label": "Tests", "description": "t"}, {"label": "Docs", "description": "d"}],
        },
    ]
}


def ask(book: Notebook) -> Execution:
    cell = book.start(script({"tool_uses": [{"name": "AskUserQuestion", "input": QUESTIONS}]}, "Thanks."))
    book.page.wait_button("Send answers")
    return cell


def answered(book: Notebook) -> str:
    return book.value("get_session().outcomes[-1].text")


def test_questions_are_answered_with_choices_and_own_words(book: Notebook) -> None:
    cell = ask(book)
    book.click("Send answers")
    wait_words(book, "nothing is chosen")
    radio = next(m for m in book.page.visible() if m.name == "RadioButtonsModel")
    assert radio.state["_options_labels"] == ["File – one file", "<i>Server – a program"]
    assert radio.state["index"] is None
    book.page.send_state(radio.comm_id, index=0)
    wait_words(book, "<strong>small</strong>")
    book.page.set_value("Docs – d", True)
    assert "one file" not in book.page.text(), "each option is told once, by the field that takes it"
    others = [m for m in book.page.visible() if m.state.get("description") == "Other"]
    book.page.set_value(others[1], "a changelog")
    book.click("Send answers")
    cell.wait()
    text = answered(book)
    assert "Which store? → File" in text and "Docs; a changelog" in text


def test_questions_can_be_skipped_or_declined(book: Notebook) -> None:
    cell = ask(book)
    book.click("Skip")
    cell.wait()
    assert "decide yourself" in answered(book)
    cell = ask(book)
    book.click("Decline…")
    fill(book, "Reason", "ask me tomorrow")
    book.click("Decline")
    cell.wait()
    assert "does not answer: ask me tomorrow" in answered(book)


PLAN = "# Go\n\n1. look\n2. <b>act</b>"


def plan(book: Notebook) -> Execution:
    book.run("get_session().modify_state(lambda s: replace(s, permission=replace(s.permission, mode='plan')))")
    cell = book.start(script({"tool_uses": [{"name": "ExitPlanMode", "input": {"plan": PLAN}}]}, "Going."))
    book.page.wait_button("Approve")
    return cell


def mode(book: Notebook) -> str:
    return book.value("get_session().state.permission.mode")


def test_a_plan_is_shown_as_markdown_and_approved(book: Notebook) -> None:
    cell = plan(book)
    text = book.page.text()
    assert "<li>look</li>" in text and "<b>act</b>" not in text and "mode when approved: default" in text
    assert text.count("Go</") == 1, "the first line of the plan is told once"
    book.click("Approve")
    cell.wait()
    assert mode(book) == "default" and book.value("get_session().outcomes[-1].status") == "ok"


def test_a_plan_is_approved_with_edits_accepted(book: Notebook) -> None:
    cell = plan(book)
    book.click("Approve & accept edits")
    cell.wait()
    assert mode(book) == "acceptEdits"


def test_planning_goes_on_with_a_comment(book: Notebook) -> None:
    cell = plan(book)
    book.click("Keep planning…")
    fill(book, "Comment", "smaller steps")
    assert buttons(book, "Stop the turn") and not buttons(book, "Deny & stop the turn")
    book.click("Keep planning")
    cell.wait()
    assert mode(book) == "plan" and "keep planning: smaller steps" in answered(book)


def test_an_edited_plan_is_the_one_that_is_approved(book: Notebook) -> None:
    cell = plan(book)
    book.click("Edit plan…")
    fill(book, "plan", "only look")
    book.click("Approve edited")
    cell.wait()
    assert mode(book) == "default" and "only look" in answered(book)


# ---- trust


def test_a_project_asks_once_for_what_its_file_wants(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    (work / ".claude").mkdir(parents=True)
    home.mkdir()
    wishes = {"permissions": {"allow": ["Bash(touch *)"], "deny": ["Bash(rm *)"]}}
    (work / ".claude" / "settings.json").write_text(json.dumps(wishes))
    env = {"HOME": str(home), "JUPYTER_AGENTTOOLS_HOME": str(home / "agenttools")}
    with notebook(cwd=work, env=env) as book:
        cell = book.start("x = %tool Bash touch made")
        book.page.wait_button("Approve this file")
        text = book.page.text()
        assert "Bash(touch *)" in text and "Bash(rm *)" not in text, "only what it would give"
        book.click("Not now")
        book.kernel.pump_until(lambda: not buttons(book, "Not now"), 10, "the end of that question")
        book.click("Deny", "Send denial")
        cell.wait()
        cell = book.start("x = %tool Bash touch made")
        book.page.wait_button("Allow once")
        assert not buttons(book, "Approve this file"), "asked once"
        book.click("Deny", "Send denial")
        cell.wait()
    with notebook(cwd=work, env=env) as book:
        cell = book.start("x = %tool Bash touch made")
        book.click("Approve this file")
        assert cell.wait().status == "ok", "the rule of the file answers the question that waits"
        assert book.value("x.status, x.decision.rule") == "ok Bash(touch *)" and (work / "made").exists()
