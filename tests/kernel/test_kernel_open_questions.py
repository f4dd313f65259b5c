"""Questions that wait while other cells are run, and pages that are loaded anew meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kernel.notebooks import Notebook, notebook

pytestmark = pytest.mark.kernel

LATER = (
    "import asyncio\nfrom jupyter_agenttools.notebook import get_session\n"
    "later = asyncio.ensure_future(get_session().call('note', {'text': 'late'}, tool_use_id='toolu_later'))"
)


@pytest.fixture
def book() -> Iterator[Notebook]:
    with notebook() as book:
        yield book


def ask_later(book: Notebook) -> None:
    assert book.run(LATER).status == "ok"
    book.page.wait_button("Allow once")


def test_the_next_cell_says_once_what_waits_and_how_to_answer(book: Notebook) -> None:
    ask_later(book)
    said = book.run("1 + 1").text
    assert "1 open question: answer it on its card, or" in said and "%agent approve later" in said and "late" in said
    assert said.endswith("2"), "and the cell goes on"
    assert "open question" not in book.run("1 + 1").text
    assert "%agent approve ID" in book.run("%agent status").text
    book.run("%agent deny later not now")
    assert book.value("(await later).text").endswith("not now")
    assert "open question" not in book.run("1 + 1").text


def test_a_page_that_is_loaded_anew_gets_the_card_with_its_next_cell(book: Notebook) -> None:
    ask_later(book)
    book.kernel.reload_page()
    assert not book.page.buttons(), "what was not saved is not on it"
    assert "%agent approve later" in book.run("1 + 1").text
    book.click("Allow once")
    assert book.value("(await later).text") == "LATE"
    assert not book.page.models, "widgets stay open"


def test_a_question_of_the_cell_itself_is_not_told_of(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.click("Allow once")
    assert "open question" not in cell.wait().text
