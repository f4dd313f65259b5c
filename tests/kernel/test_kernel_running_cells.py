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
        assert [(each["cell"], each["request"]) for each in page.told["cells"]] == [("nests", cell.msg_id)]
        (book.kernel.cwd / "go").touch()
        assert cell.wait(20).status == "ok"
