"""Turns in the background: the kernel is free, their questions are answered, and only what is meant to ends them."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.kernel.notebooks import DECIDES, TOOLS, TRACE_MIME_TYPE, Notebook, notebook, record
from tests.support.executions import Execution
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

WITHIN_S = 20
SESSION = "__import__('jupyter_agenttools.notebook', fromlist=['x']).get_session()"
SPIN = '''
@tool(thread="main")
async def spin() -> str:
    """Keeps the main thread busy."""
    import time
    print("spinning", flush=True)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pass
    return "done"
'''
OPEN_IDS = "[p.request.tool_use_id for p in __agenttools__.__self__._loaded.runtime.prompts.all()]"

BACKGROUND = "__agenttools__.__self__._loaded.runtime.background"


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def kernel_book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        yield book


@pytest.fixture
def book(kernel_book: Notebook) -> Iterator[Notebook]:
    """A kernel in which nothing runs before and after a test."""
    yield kernel_book
    kernel_book.run("%agent stop")
    kernel_book.run("pass")


def call(name: str, **input: Any) -> dict[str, Any]:
    return {"tool_uses": [{"name": name, "input": input}]}


def begun(book: Notebook, *turns: Any, cell_id: str = "agent") -> Execution:
    """The cell of a turn in the background, which is over at once."""
    cell = f"%%agent --background --script -\n{json.dumps(turns)}"
    started = time.monotonic()
    ran = book.kernel.start(cell, allow_stdin=True, metadata={"cellId": cell_id}).wait()
    assert ran.status == "ok" and time.monotonic() - started < 10, ran
    return ran


def ended(book: Notebook, cell: Execution) -> str:
    """Wait for the record in the output of a cell, in place of all widgets, and return its text."""
    kept = lambda: any(TRACE_MIME_TYPE in output.get("data", {}) for output in cell.outputs)  # noqa: E731
    book.kernel.pump_until(lambda: kept() and not book.page.models, WITHIN_S, "the record")
    return record(cell)


def question(book: Notebook) -> str:
    """The id of the one open question."""
    (id,) = re.findall(r"toolu_\w+", book.value(OPEN_IDS))
    return id


def test_the_kernel_is_free_and_the_output_goes_on(book: Notebook) -> None:
    cell = begun(book, {"text": "I wait.", **call("wait", seconds=30)}, "Done.")
    book.page.wait_button("Allow once")
    assert book.value("1 + 1").endswith("2"), "the kernel is free while it asks"
    assert "turn_" in book.run("%agent status").text
    book.click("Allow once")
    book.page.wait_button("Stop")
    assert "I wait." in book.page.text()
    assert book.value("2 + 2").endswith("4"), "and while it works"
    book.click("Stop")
    assert "Stop button" in ended(book, cell) and len(cell.outputs) == 1


def test_a_question_is_answered_while_another_cell_runs(book: Notebook) -> None:
    cell = begun(book, call("note", text="from the background"), "Done.")
    book.page.wait_button("Allow once")
    other = book.start("import asyncio\nawait asyncio.sleep(60)")
    book.click("Allow once")
    assert "FROM THE BACKGROUND" in ended(book, cell)
    assert other.status == "running"
    book.kernel.interrupt()
    other.wait()


def test_approving_and_denying_by_a_line(book: Notebook) -> None:
    for answer, status in (("approve", "✓ ok"), ("deny", "denied")):
        cell = begun(book, call("note", text="asked"), "Done.")
        book.page.wait_button("Allow once")
        book.run(f"%agent {answer} {question(book)}")
        assert status in ended(book, cell)


def test_an_interrupt_of_another_cell_leaves_it_alone(book: Notebook) -> None:
    cell = begun(book, {"text": "I wait.", **call("wait", seconds=6)}, "All done.")
    book.click("Allow once")
    book.page.wait_button("Stop")
    for other in (
        "import time\nprint('begun')\ntime.sleep(30)",
        "import asyncio\nprint('begun')\nawait asyncio.sleep(30)",
    ):
        running = book.start(other).wait_text("begun")
        book.kernel.interrupt()
        assert running.wait(WITHIN_S).status == "error"
    asking = book.start("%tool note other")
    book.page.wait_button("Allow once")
    book.kernel.interrupt()
    assert asking.wait(WITHIN_S).error == "KeyboardInterrupt: interrupted"
    text = ended(book, cell)
    assert "✓ ok" in text and "All done." in text and "interrupted" not in text


def test_code_on_the_main_thread_can_be_interrupted(book: Notebook) -> None:
    """While the kernel idles nothing but that code can be meant by an Interrupt; the turn itself goes on."""
    book.run(SPIN)
    cell = begun(book, call("spin"), "Not for ever.")
    book.click("Allow once")
    book.kernel.pump_until(lambda: "spinning" in cell.text or "spinning" in str(cell.outputs), WITHIN_S, "the code")
    book.kernel.interrupt()
    book.kernel.pump_until(lambda: "Not for ever." in cell.text, WITHIN_S, "the end of the turn")
    assert "interrupted" in ended(book, cell) and book.value("1 + 1").endswith("2")


def test_a_second_turn_is_refused_and_a_tool_is_not(book: Notebook) -> None:
    cell = begun(book, call("wait", seconds=30), "Done.")
    book.page.wait_button("Allow once")
    for other in ('%%agent --script -\n["x"]', '%%agent --background --script -\n["x"]'):
        refused = book.run(other)
        assert (
            refused.status == "error" and "runs in the background" in refused.error and "%agent stop" in refused.error
        )
    assert book.run("x = %tool peek a").status == "ok"
    stopped = book.run("%agent stop")
    assert "over after" in stopped.text
    assert "interrupted" in ended(book, cell)
    assert "over already" in book.run(f"%agent stop {stopped.text.partition(':')[0]}").text


def test_its_end_is_told_in_the_next_cell(book: Notebook) -> None:
    book.run("pass")
    cell = begun(book, "Quick.")
    ended(book, cell)
    told = book.run("pass").text
    assert "is over after" in told and "turn_" in told
    assert book.run("pass").text == ""


def test_a_page_that_is_loaded_anew_gets_the_record_with_its_next_cell() -> None:
    """The output of a cell that an earlier page ran is out of its reach."""
    with notebook() as book:
        begun(book, {"text": "I wait.", **call("wait", seconds=1)}, "All done.")
        book.click("Allow once")
        book.page.wait_button("Stop")
        book.kernel.reload_page()
        book.run(f"import asyncio\nwhile {BACKGROUND}.running: await asyncio.sleep(0.01)")
        told = book.run("pass")
        assert "this is its record" in told.text and "All done." in record(told)
        assert book.run("pass").text == ""


def test_the_next_turn_goes_on_from_it(book: Notebook) -> None:
    ended(book, begun(book, "From the background."))
    assert book.run('%%agent --script -\n["Next."]').status == "ok"
    said = book.value(f"[m.text for m in {SESSION}.messages][-3:]")
    assert "From the background." in said and "Next." in said


SHOWN_LONG_BEFORE_ITS_END = """
import jupyter_agenttools.notebook.background as m, time
kept = m.BackgroundRun._at_end
def at_end(self):
    kept(self)
    time.sleep(0.5)
m.BackgroundRun._at_end = at_end
"""


def test_whoever_sees_its_record_may_start_the_next_turn(book: Notebook) -> None:
    book.run(SHOWN_LONG_BEFORE_ITS_END)
    try:
        ended(book, begun(book, "From the background."))
        assert book.run('%%agent --script -\n["Next."]').status == "ok"
    finally:
        book.run("m.BackgroundRun._at_end = kept")


def test_a_fault_in_it_is_shown(book: Notebook) -> None:
    book.run(
        "from jupyter_agenttools.notebook import get_session\n"
        "from jupyter_agenttools import ScriptedModel\n"
        "def broken(messages): raise ValueError('LOST')\n"
        "get_session().model = ScriptedModel([broken])"
    )
    cell = book.run("%%agent --background\ngo")
    book.kernel.pump_until(lambda: "LOST" in cell.text, WITHIN_S, "the fault")
    assert "error" in cell.text


def test_a_model_that_fails_is_told_wherever_the_turn_is_named(book: Notebook) -> None:
    cell = begun(book, {"error": "failure", "message": "LOST"})
    assert "LOST" in ended(book, cell)
    assert re.search(r"turn_\d+: failed after .*: .*LOST", book.run("%agent status").text)


def test_a_bug_of_ours_is_shown_with_its_trace(book: Notebook) -> None:
    book.run(
        "import jupyter_agenttools.notebook.agent_cell as m\nkept = m.play_turn\n"
        "async def lost(*_): raise ValueError('LOST')\nm.play_turn = lost"
    )
    try:
        cell = book.run('%%agent --background --script -\n["x"]')
        book.kernel.pump_until(lambda: "Traceback" in cell.text, WITHIN_S, "the trace")
    finally:
        book.run("m.play_turn = kept")
    assert "ValueError: LOST" in cell.text and "failed in the background" in cell.text
    assert "failed after" in book.run("%agent status").text + book.run("%agent tasks").text
    assert book.run('%%agent --script -\n["x"]').status == "ok"


def test_unloading_ends_it_at_once() -> None:
    with notebook() as book:
        cell = begun(book, {"text": "I wait.", **call("wait", seconds=60)}, "Done.")
        book.click("Allow once")
        book.page.wait_button("Stop")
        began = time.monotonic()
        assert book.run("%unload_ext jupyter_agenttools").status == "ok"
        assert time.monotonic() - began < 10
        assert "the session was closed" in ended(book, cell)
        names = book.value("[t.name for t in __import__('threading').enumerate()]")
        assert "jupyter-agenttools" not in names


def test_a_kernel_that_shuts_down_does_not_wait_for_it() -> None:
    with notebook() as book:
        begun(book, call("wait", seconds=60), "Done.")
        book.click("Allow once")
        book.page.wait_button("Stop")
        book.kernel.send("control", "shutdown_request", {"restart": False})
        book.kernel.process.wait(20)  # the call itself would take a minute


def test_a_console_answers_by_a_line() -> None:
    with notebook(renders=False) as book:
        book.run(DECIDES)
        cell = book.run(f"%%agent --background --script -\n{json.dumps([call('note', text='asked'), 'Done.'])}")
        book.kernel.pump_until(lambda: "asks" in cell.text or "working" in cell.text, WITHIN_S, "the question")
        assert book.stays_open(), "the question must not turn into a line to type"
        book.run(f"%agent approve {question(book)}")
        displayed = lambda: any(TRACE_MIME_TYPE in m.message["content"].get("data", {}) for m in cell.messages)  # noqa: E731
        book.kernel.pump_until(displayed, WITHIN_S, "the record")


def test_a_terminal_is_told_of_the_question_and_answers_by_a_line(tmp_path: Path) -> None:
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "TERM": "dumb"}
    options = ["--simple-prompt", "--no-banner", "--colors=NoColor", "--HistoryManager.enabled=False"]
    command = ["-m", "IPython", *options]
    child = pexpect.spawn(sys.executable, command, cwd=tmp_path, env=env, encoding="utf-8", timeout=30, echo=False)
    (tmp_path / "tools.py").write_text(TOOLS)
    script = json.dumps([call("note", text="asked"), "Done."])
    try:
        child.expect(r"In \[1\]: ")
        child.sendline("%load_ext jupyter_agenttools")
        child.expect(r"In \[2\]: ")
        child.sendline("from tools import *")
        child.expect(r"In \[3\]: ")
        child.sendline(f"get_ipython().run_cell_magic('agent', '--background --script -', '{script}')")
        child.expect(r"%agent approve (\w+) ")
        id = child.match.group(1)
        child.sendline("1 + 1")
        child.expect(r"Out\[\d\]: 2")
        child.sendline(f"%agent approve {id}")
        child.expect("ASKED")
        child.expect("Done.")
    finally:
        child.close(force=True)


def test_where_nobody_stays_it_runs_to_its_end(book: Notebook) -> None:
    ran = book.kernel.run('%%agent --background --script -\n["Hello."]')
    assert "Nobody stays" in ran.text and "Hello." in ran.text


def test_saying_something(book: Notebook) -> None:
    cell = begun(book, call("note", text="asked"), "I heard you.")
    book.page.wait_button("Allow once")
    assert "use English" in book.run("%agent say please use English").text
    book.click("Allow once")
    assert "please use English" in ended(book, cell)
    said = book.value(f"[m.text for m in {SESSION}.messages]")
    assert "please use English" in said
    assert "no turn is running" in book.run("%agent say too late").error
