"""Which cells a page is told to be running: those that run, also where cells run others, and after them none."""

from __future__ import annotations

import pytest

from tests.kernel.notebooks import notebook
from tests.kernel.test_kernel_lab_page import Page

pytestmark = pytest.mark.kernel

NESTED = """
ip = get_ipython()
for code in ("%run_more", "1 / 0", "2"):
    ip.run_cell(code, store_history=True)
"""
RUN_MORE = "get_ipython().register_magic_function(lambda line: get_ipython().run_cell('3'), magic_name='run_more')"


def test_a_cell_that_ran_others_is_over_when_it_has_ended() -> None:
    with notebook() as book:
        page = Page(book)
        page.hello()
        book.run("from jupyter_agenttools.notebook import get_session\nget_session()")
        book.run(RUN_MORE)
        assert book.kernel.start(NESTED, metadata={"cellId": "nests"}).wait(20).status == "ok"
        page.reload()
        book.kernel.pump_until(lambda: page.told, 20, "what runs")
        assert page.told["cells"] == []


def test_a_cell_is_told_once_while_what_it_ran_runs() -> None:
    with notebook() as book:
        page = Page(book)
        page.hello()
        book.run("from jupyter_agenttools.notebook import get_session\nget_session()")
        inner = "print('up', flush=True)\nimport os, time\nwhile not os.path.exists('go'): time.sleep(0.01)"
        cell = book.kernel.start(f"get_ipython().run_cell({inner!r})", metadata={"cellId": "nests"})
        cell.wait_text("up")
        page.reload()
        book.kernel.pump_until(lambda: page.told, 20, "what runs")
        [told] = page.told["cells"]
        assert (told["cell"], told["request"]) == ("nests", cell.msg_id)
        (book.kernel.cwd / "go").touch()
        assert cell.wait(20).status == "ok"
        assert book.kernel._replies[cell.msg_id]["content"]["execution_count"] == told["count"]


SLOW = """%%agent --script -
[{"text": "Slowly, slowly, slowly, slowly, slowly.", "delay_ms": 60000}]
"""


@pytest.mark.parametrize("background", [False, True], ids=["in its cell", "in the background"])
def test_a_turn_whose_model_is_at_work_runs_and_can_be_stopped(background: bool) -> None:
    with notebook() as book:
        page = Page(book)
        page.hello()
        code = SLOW.replace("%%agent", "%%agent --background") if background else SLOW
        cell = book.kernel.start(code, allow_stdin=True, metadata={"cellId": "asks"})
        [run] = book.kernel.pump_until(lambda: page.state.get("running"), 20, "the turn")
        assert (run["tool"], run["cell"], run["notebook"]) == ("Model", "asks", "own.ipynb")
        page.say("command", name="stop", args={"cell": "asks"})
        book.kernel.pump_until(lambda: page.state["running"] == [], 20, "its end")
        assert cell.wait(20).status == "ok"


def test_it_is_told_of_what_the_turn_calls_in_its_place() -> None:
    with notebook() as book:
        page = Page(book)
        page.hello()
        cell = book.kernel.start(
            '%%agent --script -\n[{"tool_uses": [{"name": "note", "input": {"text": "kept"}}]}, {"text": "Done."}]',
            allow_stdin=True,
            metadata={"cellId": "asks"},
        )
        book.kernel.pump_until(page.waiting, 20, "the question")
        assert page.state["running"] == []
        page.say("answer", question=page.waiting()[0]["id"], behavior="allow", message="")
        assert cell.wait(20).status == "ok"
        book.kernel.pump_until(lambda: page.state["calls"] == 1 and not page.state["running"], 20, "the end")
