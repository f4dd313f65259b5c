"""Outputs that a person clears while the agent works: no question waits where nobody sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.kernel.notebooks import Notebook, notebook

pytestmark = pytest.mark.kernel

TURNS = [
    {"text": "First I wait.", "tool_uses": [{"name": "hold", "input": {}}]},
    {"tool_uses": [{"name": "note", "input": {"text": "kept"}}]},
    "Done.",
]
HOLD = '''
from pathlib import Path

@tool
async def hold() -> str:
    """Waits for the person."""
    import anyio
    while not Path("go-on").exists():
        await anyio.sleep(0.01)
    return "held"
'''
CELL = f"%%agent --script -\n{json.dumps(TURNS)}"


@pytest.fixture
def book() -> Iterator[Notebook]:
    with notebook() as book:
        book.run(
            f"{HOLD}\n"
            "from jupyter_agenttools.core.prompting import RuleUpdate\n"
            "from jupyter_agenttools.notebook import get_session\n"
            "await get_session().keep_rules([RuleUpdate('hold')])"
        )
        yield book


def wait_first(book: Notebook) -> None:
    book.kernel.pump_until(lambda: "First I wait." in book.page.text(), 20, "the first text")
    book.page.wait_heard()


def go_on(book: Notebook) -> None:
    (book.kernel.cwd / "go-on").touch()


@pytest.mark.parametrize("told", [True, False], ids=["the page tells it", "the page does not tell it"])
def test_the_next_question_is_drawn_again(book: Notebook, told: bool) -> None:
    cell = book.start(CELL)
    wait_first(book)
    cell.outputs.clear()
    if not told:  # as in JupyterLab: the views go, and their number stays
        book.page._views.clear()
    go_on(book)
    book.page.click("Allow once", timeout_s=15)
    assert cell.wait(20).status == "ok"
    assert "KEPT" in str(cell.outputs)


def test_where_nothing_is_drawn_any_more_a_line_is_read(book: Notebook) -> None:
    asked = []
    cell = book.kernel.start(CELL, allow_stdin=True, on_input=lambda prompt, _: asked.append(prompt) or "y")
    wait_first(book)
    cell.outputs.clear()
    book.page.renders = False
    go_on(book)
    assert cell.wait(30).status == "ok"
    assert asked and "KEPT" in str(cell.outputs)
