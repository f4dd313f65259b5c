"""Questions that are answered while their cell still runs, on every supported line of ipykernel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kernel.notebooks import Notebook, notebook, record
from tests.support.kernels import MATRIX, ipykernel_env

pytestmark = pytest.mark.kernel

TWO_AT_ONCE = """%%agent --script -
[{"tool_uses": [{"name": "both", "input": {"text": "one"}}, {"name": "both", "input": {"text": "two"}}]}, "Done."]
"""


@pytest.fixture(scope="module", params=MATRIX)
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        yield book


@pytest.fixture(autouse=True)
def nothing_is_left(book: Notebook) -> Iterator[None]:
    yield
    assert book.value("get_ipython().user_ns.get('__agenttools__') is not None") == "True"
    assert not book.page.models, "widgets stay open"


def test_allow_once(book: Notebook) -> None:
    cell = book.start("%tool note hello")
    book.click("Allow once")
    assert "HELLO" in record(cell.wait()) and cell.status == "ok"
    assert book.run("_").text.startswith("✓ ok") and book.value("_.output") == "HELLO"


def test_deny_with_a_reason(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.click("Deny")
    book.fill("Send denial", "Reason", "not today")
    book.click("Send denial")
    assert "not today" in record(cell.wait())
    assert cell.status == "ok", "a denial is an outcome, not an error"
    assert book.value("x.status, x.decision.reason") == "denied not today"


def test_deny_by_enter_and_by_a_second_click(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.click("Deny")
    book.page.wait_button("Send denial")
    book.page.send_custom(book.page.find("Reason").comm_id, {"event": "submit"})
    book.page.set_value("Reason", "not that")  # a browser sends the text after the key
    assert "not that" in record(cell.wait())
    cell = book.start("x = %tool note hello")
    book.click("Deny")
    book.page.wait_button("Send denial")
    book.click("Deny")
    assert cell.wait().status == "ok"
    assert book.value("x.status") == "denied"


def test_always_allow_keeps_the_rule_that_is_shown(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.click("Always allow…")
    book.fill("Save & allow", "Rule", "note(((")
    book.click("Save & allow")
    book.kernel.pump_until(lambda: "Not yet" in book.page.text(), 10, "the complaint about the syntax")
    book.page.set_value("Rule", "both")
    book.click("Save & allow")
    book.kernel.pump_until(lambda: "would not allow this call" in book.page.text(), 10, "the other complaint")
    book.page.set_value("Rule", "note")
    book.kernel.pump_until(lambda: "Back-test</b> <code>note" in book.page.text(), 10, "what the rule would have done")
    book.click("Save & allow")
    assert cell.wait().status == "ok"
    assert book.run("y = %tool note again").status == "ok", "asks no more"
    assert any(line.split() == ["allow", "note", "session"] for line in book.run("%agent permissions").text.split("\n"))
    book.run(
        "from dataclasses import replace\n"
        "s = %agent session\n"
        "s.modify_state(lambda st: replace(st, permission=replace(st.permission, always_allow_rules={})))"
    )


def test_an_edited_input_is_judged_and_run(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.click("Edit…")
    book.fill("Run edited", "text", "other")
    book.click("Run edited")
    assert "OTHER" in record(cell.wait())
    assert book.value("dict(x.tool_use.input)") == "{'text': 'other'}"


def test_two_questions_answered_in_reverse_order(book: Notebook) -> None:
    cell = book.start(TWO_AT_ONCE)
    page = book.page

    def buttons(name: str) -> list[str]:
        return [b.comm_id for b in page.buttons() if b.description == name and not b.disabled]

    book.kernel.pump_until(lambda: len(buttons("Allow once")) == 2, 10, "two cards")
    page.send_custom(buttons("Allow once")[1], {"event": "click"})
    book.kernel.pump_until(lambda: len(buttons("Allow once")) == 1, 10, "one card less")
    page.send_custom(buttons("Deny")[0], {"event": "click"})
    book.click("Send denial")
    text = record(cell.wait())
    assert text.index("denied") < text.index("TWO") and "ONE" not in text


def test_a_second_click_changes_nothing(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    allow, deny = book.page.wait_button("Allow once"), book.page.wait_button("Deny")
    for widget in (allow, deny, deny, allow):
        book.page.send_custom(widget.comm_id, {"event": "click"})
    assert cell.wait().status == "ok"
    assert book.value("x.status") == "ok"


def test_a_cleared_output_shows_the_question_again(book: Notebook) -> None:
    cell = book.start(
        "import asyncio\nfrom pathlib import Path\nfrom IPython.display import clear_output\n"
        "async def clear():\n"
        "    while not Path('seen').exists(): await asyncio.sleep(0.01)\n"
        "    clear_output()\n"
        "clearing = asyncio.ensure_future(clear())\n"
        "x = %tool note hello"
    )
    book.page.wait_button("Allow once")
    (book.kernel.cwd / "seen").touch()
    is_cleared = lambda: any(m.message["msg_type"] == "clear_output" for m in cell.messages)  # noqa: E731
    book.kernel.pump_until(is_cleared, 20, "a cleared page")
    book.click("Allow once")
    assert "HELLO" in record(cell.wait())


def test_a_call_of_the_person_can_be_answered_too(book: Notebook) -> None:
    cell = book.start(
        "from jupyter_agenttools.notebook import get_session\nawait get_session().call('note', {'text': 'mine'})"
    )
    book.click("Allow once")
    assert "MINE" in record(cell.wait())


def test_a_session_of_the_person_can_be_answered_too(book: Notebook) -> None:
    cell = book.start(
        "from jupyter_agenttools import Session\n"
        "own = Session(tools=[note])\n"
        "outcome = await own.call('note', {'text': 'own'})\n"
        "print(outcome.text)"
    )
    book.click("Allow once")
    assert cell.wait().text.endswith("OWN\n")


def test_queued_cells_run_afterwards_in_order(book: Notebook) -> None:
    asking = book.start("x = %tool note hello")
    queued = [book.start(f"print({n})") for n in (1, 2)]
    book.click("Allow once")
    assert asking.wait().status == "ok"
    assert [cell.wait().text for cell in queued] == ["1\n", "2\n"]
    assert [c.execution_count - asking.execution_count for c in queued] == [1, 2]  # type: ignore[operator]
