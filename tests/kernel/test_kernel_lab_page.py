"""A page with the extension, as the kernel hears it: what it says over the control channel."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.notebooks import DECIDES, Notebook, notebook, record

pytestmark = pytest.mark.kernel

TARGET = "jupyter_agenttools.lab"


class Page:
    """Says what a page would say for the front end that the notebook's cells come from."""

    def __init__(self, book: Notebook) -> None:
        self._kernel = book.kernel
        self.client = book.kernel._manager.session.session
        [self._comm] = book.kernel.request("control", "comm_info_request", {"target_name": TARGET})["comms"]
        self.state: dict[str, Any] = {}
        self.told: dict[str, Any] = {}
        self.notices: list[str] = []
        self.reports: list[str] = []
        book.kernel.listeners.append(self._on_message)

    def say(self, type: str, **fields: Any) -> None:
        data = {"v": 1, "type": type, "client": self.client, **fields}
        self._kernel.send("control", "comm_msg", {"comm_id": self._comm, "data": data})

    def hello(self) -> None:
        self.say("hello", since=1, serverRoot="", own="own.ipynb", visible=True, documents=[])

    def reload(self) -> None:
        """Come as another page, which knows nothing of what this one knew."""
        self.say("bye")
        self.client, self.told = f"{self.client}+", {}
        self.hello()

    def heard(self) -> None:
        """Wait until the kernel has done what the page said before: what it asks for now is told after that."""
        id = f"{len(self.reports)}"
        self.say("ask", id=id, name="check")
        self._kernel.pump_until(lambda: id in self.reports, 20, "the report")

    def waiting(self) -> list[dict[str, Any]]:
        return self.state.get("waiting", [])

    def _on_message(self, message: dict[str, Any]) -> None:
        data = message["content"].get("data")
        if message["msg_type"] == "comm_msg" and isinstance(data, dict):
            if data.get("type") == "state":
                self.state = data["state"]
            elif data.get("type") == "displays":
                self.told = data
            elif data.get("type") == "notice":
                self.notices.append(data["text"])
            elif data.get("type") == "report":
                self.reports.append(data["id"])


@pytest.mark.parametrize("gone", [False, True], ids=["there", "being loaded anew"])
def test_no_line_is_read_where_the_page_can_answer(gone: bool) -> None:
    with notebook(renders=False) as book:
        page = Page(book)
        page.hello()
        held = "_asking.LiveDisplay.draws"
        book.run(
            f"{DECIDES}\n_draws = {held}\n"
            "async def _later(*args):\n"
            "    while not _Path('look').exists():\n        await _asking.asyncio.sleep(0.01)\n"
            "    return await _draws(*args)\n"
            f"{held} = _later"
        )
        asked: list[str] = []
        cell = book.kernel.start(
            "%tool note kept", allow_stdin=True, on_input=lambda text, _: asked.append(text) or "n"
        )
        book.kernel.pump_until(page.waiting, 20, "the question")
        if gone:
            page.say("bye")
        page.heard()
        (book.kernel.cwd / "look").touch()
        assert book.stays_open() and cell.status == "running"
        if gone:
            page.hello()
        page.say("answer", question=page.waiting()[0]["id"], behavior="allow", message="")
        assert cell.wait(20).status == "ok" and not asked
        assert "KEPT" in record(cell)


ASKS_ALONE = (
    "from jupyter_agenttools.notebook import get_session\nout = await get_session().call('note', {'text': 'kept'})"
)


def asked(book: Notebook, code: str) -> tuple[Page, Any]:
    """A page, and a cell of its notebook that asks."""
    page = Page(book)
    page.hello()
    cell = book.kernel.start(code, allow_stdin=True, metadata={"cellId": "asks"})
    book.kernel.pump_until(page.waiting, 20, "the question")
    return page, cell


@pytest.mark.parametrize("code", ["%tool note kept", ASKS_ALONE], ids=["%tool", "the Python API"])
def test_a_page_that_comes_late_is_told_of_the_cell_that_runs_and_of_what_it_shows(code: str) -> None:
    with notebook() as book:
        page, cell = asked(book, code)
        book.kernel.pump_until(lambda: page.told, 20, "what a page is told as soon as there is a session")
        book.page.wait_button("Allow once", 20)  # drawn: a page that comes before that hears of it itself
        page.reload()
        book.kernel.pump_until(lambda: page.told, 20, "what it missed")
        [running] = page.told["cells"]
        assert (running["cell"], running["request"]) == ("asks", cell.msg_id)
        # The page that ran it has gone, and a copy of its notebook has cells with the same ids.
        places = [running, *page.told["displays"], *page.waiting()]
        assert [each["notebook"] for each in places] == ["own.ipynb"] * 3
        [display] = page.told["displays"]
        assert display["cell"] == "asks" and "application/vnd.jupyter.widget-view+json" in display["data"]
        page.say("answer", question=page.waiting()[0]["id"], behavior="allow", message="")
        assert cell.wait(20).status == "ok"
        page.reload()
        book.kernel.pump_until(lambda: page.told, 20, "what there is now")
        assert page.told["cells"] == [] and page.told["displays"] == []


WIDGETS = "application/vnd.jupyter.widget-view+json"


@pytest.mark.parametrize("code", ["%tool note kept", ASKS_ALONE], ids=["%tool", "the Python API"])
def test_a_card_whose_output_a_page_saw_cleared_comes_again(code: str) -> None:
    with notebook() as book:
        page, cell = asked(book, code)
        book.page.wait_button("Allow once", 20)
        [shown] = [each["data"][WIDGETS]["model_id"] for each in cell.outputs if WIDGETS in each.get("data", {})]
        cell.outputs.clear()
        book.page._views.clear()  # as in JupyterLab after a reload: the views go, and their number stays
        for widgets in ("of somebody else", shown):
            page.say("command", name="cleared", args={"widgets": widgets})
        book.kernel.pump_until(lambda: cell.outputs, 20, "the card, drawn again")
        book.page.click("Allow once", timeout_s=15)
        assert cell.wait(20).status == "ok"
        over = list(cell.outputs)
        assert len(over) == 1 and WIDGETS not in over[0]["data"], "drawn again once, so not for somebody else's widgets"
        page.say("command", name="cleared", args={"widgets": shown})
        page.heard()
        book.run("pass")  # and what the kernel's own loop had to do is done
        assert cell.outputs == over


LINGER = '''
from pathlib import Path
from jupyter_agenttools import tool

@tool
async def linger(text: str) -> str:
    """Wait for a file."""
    import anyio
    while not Path(text).exists():
        await anyio.sleep(0.01)
    return "lingered"
'''


def test_a_record_has_its_place_where_the_output_was_cleared_while_the_call_ran() -> None:
    with notebook() as book:
        book.run(LINGER)
        page, cell = asked(book, "%tool linger go-on")
        book.page.click("Allow once", timeout_s=20)
        book.kernel.pump_until(lambda: page.state["running"], 20, "the call")
        [shown] = [each["data"][WIDGETS]["model_id"] for each in cell.outputs if WIDGETS in each.get("data", {})]
        cell.outputs.clear()
        book.page._views.clear()
        page.say("command", name="cleared", args={"widgets": shown})
        page.heard()
        (book.kernel.cwd / "go-on").touch()
        assert cell.wait(20).status == "ok" and "lingered" in record(cell)
        assert len(cell.outputs) == 1 and WIDGETS not in cell.outputs[0]["data"]


IN_A_FUNCTION = "def f():\n    get_ipython().run_line_magic('tool', 'note kept')\nf()"
BY_RULE = {"name": "rule", "args": {"action": "allow", "rule": "note"}}


@pytest.mark.parametrize(
    ("wishes", "typed", "status"),
    [
        ([("answer", {"behavior": "allow"})], "n", "denied"),
        ([("answer", {"behavior": "deny"})], "y", "ok"),
        ([("command", BY_RULE)], "n", "denied"),
        ([("command", BY_RULE)], "y", "ok"),
        ([("command", {"name": "rule", "args": {"action": "deny", "rule": "note"}})], "y", "denied"),
        ([("command", {"name": "stop"})], "y", "stopped by the person"),
    ],
    ids=["allow", "deny", "rule and no", "rule and yes", "rule that denies", "stop"],
)
def test_what_is_typed_in_an_open_line_counts(
    wishes: list[tuple[str, dict[str, Any]]], typed: str, status: str
) -> None:
    with notebook() as book:
        page = Page(book)
        page.hello()
        shown: list[dict[str, Any]] = []

        def type_later(text: str, password: bool) -> str:
            book.kernel.pump_until(lambda: any(not each["answers"] for each in page.waiting()), 20, "the question")
            shown.extend(page.waiting())
            for type, fields in wishes:
                page.say(type, **({"question": shown[0]["id"]} if type == "answer" else {}), **fields)
            if wishes[0][0] == "answer":
                book.kernel.pump_until(lambda: page.notices, 20, "why it is not taken")
                assert page.waiting() == shown
            else:
                book.kernel.pump_until(lambda: not page.waiting(), 20, "what came of it")
            return typed

        cell = book.kernel.start(IN_A_FUNCTION, allow_stdin=True, on_input=type_later)
        assert cell.wait(40).status == "ok"
        assert len(shown) == 1 and len(cell.prompts) == 1
        assert ("KEPT" in record(cell)) == (status == "ok") and status in record(cell)
