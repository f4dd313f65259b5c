"""Being the model: the form, a call made in it, what is refused, and where there is no form."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.kernel.notebooks import Notebook, notebook, record
from tests.kernel.test_kernel_without_widgets import Typist
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

MANUAL = "%%agent --model manual\nnote the word"
GET_SESSION = "__import__('jupyter_agenttools.notebook', fromlist=['x']).get_session()"


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        yield book


def choose(book: Notebook, label: str, option: str) -> None:
    """Choose an option of a dropdown by what it is called."""
    book.page.wait_button("Add a call…")
    model = book.page.find(label)
    book.page.send_state(model.comm_id, index=model.state["_options_labels"].index(option))


def type_into(book: Notebook, label: str, text: str) -> None:
    """Type into a field once it is there."""
    there = lambda: [m for m in book.page.visible() if m.state.get("description") == label]  # noqa: E731
    book.page.set_value(book.kernel.pump_until(there, 20, f"the field {label!r}")[0], text)


def add_note(book: Notebook, text: str) -> None:
    choose(book, "Tool", "note")
    book.click("Add a call…")
    type_into(book, "text (required)", text)
    book.click("Add this call")
    book.page.wait_button("Remove")


def test_a_turn_with_a_call_is_played(book: Notebook) -> None:
    cell = book.start(MANUAL)
    book.page.wait_button("End the turn")
    shown = book.page.text()
    assert "You are the model: answer 1" in shown and "note the word" in shown
    for folded in ("System prompt · ", "Tools · ", "Conversation · 1 message"):
        assert folded in shown
    book.page.set_value("Your answer", "I **note** it.")
    add_note(book, "hello")
    book.click("Send")
    book.click("Allow once")
    book.kernel.pump_until(lambda: "answer 2" in book.page.text(), 20, "the next answer")
    assert "HELLO" in book.page.text(), "the result is what is new"
    book.page.set_value("Your answer", "Noted.")
    book.click("End the turn")
    text = record(cell.wait())
    assert "I **note** it." in text and "HELLO" in text and "Noted." in text and not book.page.models
    kinds = book.value(f"[[b.type for b in m.content] for m in {GET_SESSION}.messages]")
    assert kinds == "[['text'], ['text', 'tool_use'], ['tool_result'], ['text']]"


def test_what_cannot_be_sent_is_said(book: Notebook) -> None:
    cell = book.start(MANUAL)
    book.click("Send")
    complains(book, "write an answer, or add a call")
    book.click("End the turn")
    complains(book, "write the last answer")
    choose(book, "Tool", "wait")
    book.click("Add a call…")
    type_into(book, "seconds (required)", "soon")
    book.click("Add this call")
    complains(book, "soon")
    assert not [b for b in book.page.buttons() if b.description == "Send"], "one thing after the other"
    book.click("Back")
    book.page.set_value("Your answer", "Enough.")
    add_note(book, "x")
    book.click("End the turn")
    complains(book, "remove the calls, or send them")
    book.click("Remove")
    book.click("End the turn")
    assert "Enough." in record(cell.wait()) and not book.page.models


def complains(book: Notebook, words: str) -> None:
    book.kernel.pump_until(lambda: words in book.page.text(), 10, f"the complaint {words!r}")


def test_a_call_that_does_not_fit_can_be_sent_as_a_bad_model_would(book: Notebook) -> None:
    cell = book.start("%%agent --model manual --tools TodoWrite\nplan")
    choose(book, "Tool", "TodoWrite")
    book.click("Add a call…")
    type_into(book, "todos (required)", '[{"content": 1}]')
    book.click("Add this call", "Add it anyway", "Send")
    book.kernel.pump_until(lambda: "InputValidationError" in book.page.text(), 20, "the next answer")
    book.page.set_value("Your answer", "So be it.")
    book.click("End the turn")
    assert "So be it." in record(cell.wait())


def test_an_interrupt_closes_the_form(book: Notebook) -> None:
    cell = book.start(MANUAL)
    book.page.wait_button("End the turn")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    assert "interrupted" in record(cell)
    book.kernel.pump_until(lambda: not book.page.models, 10, "the end of every widget")


def test_in_the_background_it_is_played_while_the_kernel_idles(book: Notebook) -> None:
    cell = book.run("%%agent --model manual --background\nhello?")
    book.page.wait_button("End the turn")
    book.page.set_value("Your answer", "Hello from behind.")
    book.click("End the turn")
    book.kernel.pump_until(lambda: "Hello from behind." in cell.text and not book.page.models, 20, "the record")


def test_where_nobody_is_it_says_so(book: Notebook) -> None:
    ran = book.kernel.run(MANUAL)
    assert "nobody can play the model here" in ran.text and "--script" in ran.text


def test_a_console_and_a_cell_that_cannot_await_ask_line_by_line(book: Notebook) -> None:
    with notebook(renders=False) as console:
        console.run(f"{GET_SESSION}.set_mode('acceptEdits')")
        lines = ("I note it.", "/call note", "hello", "", "y", "Noted.", "")
        ran = console.kernel.run(MANUAL, on_input=Typist(*lines))
        assert "HELLO" in record(ran) and "Noted." in record(ran) and "You are the model" in ran.text
    ran = book.kernel.run("%%time\n" + MANUAL, on_input=Typist("Only this.", ""))
    assert "Only this." in record(ran)


def test_a_terminal_plays_it(tmp_path: Path) -> None:
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "TERM": "dumb"}
    options = ["--simple-prompt", "--no-banner", "--colors=NoColor", "--HistoryManager.enabled=False"]
    child = pexpect.spawn(
        sys.executable, ["-m", "IPython", *options], cwd=tmp_path, env=env, encoding="utf-8", timeout=30
    )
    try:
        child.expect(r"In \[1\]: ")
        child.sendline("%load_ext jupyter_agenttools")
        child.expect(r"In \[2\]: ")
        child.sendline("get_ipython().run_cell_magic('agent', '--model manual', 'hello?')")
        child.expect("model> ")
        child.sendline("Hello yourself.")
        child.expect("model> ")
        child.sendline("")
        child.expect(r"Agent  \[✓ done\].*Hello yourself\.")
        child.expect(r"In \[3\]: ")
    finally:
        child.close(force=True)
