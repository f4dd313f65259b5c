"""NotebookEdit on notebooks that are open in a front end: there first, and nobody's unsaved work is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.outcome import Outcome
from jupyter_agenttools.core.prompting import PermissionAnswer, PermissionRequest
from jupyter_agenttools.session import Session
from tests.corpus.notebooks import dumped, notebook
from tests.support.live_notebooks import OpenNotebook, OpenNotebooks

pytestmark = pytest.mark.anyio

CODE = "n = 5\nm = 7\nn + m"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "n.ipynb").write_text(dumped(notebook()))
    return tmp_path / "n.ipynb"


@pytest.fixture
def opened(file: Path) -> OpenNotebook:
    return OpenNotebook(file)


@pytest.fixture
async def session(file: Path, opened: OpenNotebook) -> AsyncIterator[Session]:
    session = Session(cwd=file.parent, settings={"permissions": {"allow": ["Edit", "Read"]}})
    session.live_documents = OpenNotebooks(opened)
    yield session
    await session.aclose()


async def edit(session: Session, **fields: Any) -> Outcome:
    return await session.call("NotebookEdit", {"notebook_path": "n.ipynb", **fields})


def held(file: Path) -> bytes:
    return file.read_bytes()


def text(outcome: Outcome) -> str:
    return outcome.block.text


async def test_the_open_document_is_edited_and_the_file_is_not(session: Session, opened: OpenNotebook, file: Path):
    before = held(file)
    opened.type_in(2, "not saved yet")
    outcome = await edit(session, cell_id="mid", new_source="n = 6")
    assert opened.sources == ["## Sum\nof two", "n = 6", "not saved yet"] and held(file) == before
    assert "cell mid (position 1" in text(outcome) and "not saved" in text(outcome)
    assert opened.cells[1]["outputs"] == [] and outcome.result.data.place == "open document"
    opened.undo()
    assert opened.sources[1:] == [CODE, "not saved yet"]


async def test_a_link_to_the_notebook_is_the_same_notebook(session: Session, opened: OpenNotebook, file: Path):
    (file.parent / "link.ipynb").symlink_to(file)
    await session.call("NotebookEdit", {"notebook_path": "link.ipynb", "cell_id": "mid", "new_source": "x"})
    assert opened.sources[1] == "x" and b"n = 5" in held(file)


async def test_the_setting_about_outputs_holds_there_too(file: Path, opened: OpenNotebook):
    session = Session(cwd=file.parent, settings={"permissions": {"allow": ["Edit"]}, "notebookOutputs": "keep"})
    session.live_documents = OpenNotebooks(opened)
    await edit(session, cell_id="mid", new_source="x")
    assert opened.cells[1]["outputs"] and opened.cells[1]["execution_count"] == 7
    await session.aclose()


async def test_several_edits_are_one_step(session: Session, opened: OpenNotebook):
    edits = [
        {"edit_mode": "insert", "cell_id": "end", "new_source": "A"},
        {"edit_mode": "insert", "cell_id": "new-1", "new_source": "B"},
        {"edit_mode": "move", "cell_id": "top", "after_cell_id": "new-2"},
    ]
    outcome = await edit(session, edits=edits)
    assert not outcome.is_error, text(outcome)
    assert opened.sources == [CODE, "m = 7\n", "A", "B", "## Sum\nof two"] and len(opened.history) == 1
    outcome = await edit(
        session, edits=[{"edit_mode": "delete", "cell_id": "mid"}, {"cell_id": "gone", "new_source": ""}]
    )
    assert outcome.is_error and len(opened.cells) == 5 and len(opened.history) == 1


async def test_nobody_elses_cell_is_hit_while_a_person_decides(file: Path, opened: OpenNotebook):
    doings: list[Any] = []

    async def answer(request: PermissionRequest) -> PermissionAnswer:
        doings.pop()()
        return PermissionAnswer("allow")

    class Person:
        ask = staticmethod(answer)

    session = Session(cwd=file.parent, prompter=Person())
    session.live_documents = OpenNotebooks(opened)
    doings.append(lambda: opened.insert_by_hand(0, "by hand"))
    outcome = await edit(session, cell_id="mid", new_source="x")
    assert not outcome.is_error and opened.sources == ["by hand", "## Sum\nof two", "x", "m = 7\n"]
    doings.append(lambda: opened.insert_by_hand(0, "one more"))
    outcome = await edit(session, cell_id="cell-1", new_source="y")
    assert outcome.is_error and "content changed" in text(outcome) and "y" not in opened.sources
    doings.append(lambda: opened.type_in(3, "typed meanwhile"))
    outcome = await edit(session, cell_id="mid", new_source="z")
    assert outcome.is_error and "content changed" in text(outcome) and opened.sources[3] == "typed meanwhile"
    await session.aclose()


async def test_a_document_opened_or_closed_while_a_person_decides(file: Path, opened: OpenNotebook) -> None:
    documents = OpenNotebooks()
    doings: list[Any] = []

    class Person:
        async def ask(self, request: PermissionRequest) -> PermissionAnswer:
            doings.pop()()
            return PermissionAnswer("allow")

    session = Session(cwd=file.parent, prompter=Person())
    session.live_documents = documents
    before = held(file)
    doings.append(lambda: documents.open(opened))
    assert not (await edit(session, cell_id="mid", new_source="x")).is_error
    assert opened.sources[1] == "x" and held(file) == before, "it was opened: the edit went there"
    doings.append(lambda: documents.close(opened))
    outcome = await edit(session, cell_id="mid", new_source="y")
    assert outcome.is_error and held(file) == before, "closed without saving: the file never held what was approved"
    doings.append(lambda: (opened.type_in(1, "typed"), documents.open(opened)))
    outcome = await edit(session, cell_id="mid", new_source="z")
    assert outcome.is_error and "content changed" in text(outcome) and opened.sources[1] == "typed"
    await session.aclose()


async def test_unsaved_changes_out_of_reach_stop_everything(session: Session, opened: OpenNotebook, file: Path):
    before = held(file)
    opened.type_in(2, "precious")
    opened.answers = False
    outcome = await edit(session, cell_id="mid", new_source="x")
    assert outcome.is_error and "unsaved" in text(outcome) and "Save or close it" in text(outcome)
    assert held(file) == before and opened.sources[1] == CODE


async def test_without_unsaved_changes_the_file_is_good_enough(session: Session, opened: OpenNotebook, file: Path):
    opened.answers = False
    outcome = await edit(session, cell_id="mid", new_source="x")
    assert not outcome.is_error and "reload it" in text(outcome) and b'"x"' in held(file)


async def test_an_answer_that_never_comes_is_not_taken_for_a_refusal(session: Session, opened: OpenNotebook):
    opened.answers_late = True
    outcome = await edit(session, cell_id="mid", new_source="x")
    assert outcome.is_error and "may or may not" in text(outcome)


async def test_a_closed_document_leaves_the_file(session: Session, opened: OpenNotebook, file: Path):
    session.live_documents.close(opened)  # type: ignore[union-attr]
    await edit(session, cell_id="mid", new_source="x")
    assert b'"x"' in held(file) and opened.sources[1] == CODE


async def test_marks_and_cards_are_those_of_the_open_document(file: Path, opened: OpenNotebook):
    asked: list[PermissionRequest] = []

    def answer(request: PermissionRequest) -> bool:
        asked.append(request)
        return False

    session = Session(cwd=file.parent, settings={"permissions": {"allow": ["Edit"]}}, prompter=answer)
    session.live_documents = OpenNotebooks(opened)
    opened.type_in(1, "only in the browser")
    opened.cells[1]["metadata"] = {"editable": False}
    await edit(session, cell_id="mid", new_source="x")
    (request,) = asked
    assert "editable: false" in request.decision.reason
    diff = next(block for block in request.view.blocks if hasattr(block, "old"))
    assert (diff.old, diff.new) == ("only in the browser", "x")
    assert "open document" in [badge.text for badge in request.view.badges]
    assert opened.sources[1] == "only in the browser"
    await session.aclose()


async def test_reading_shows_what_is_open_and_what_was_read_counts(session: Session, opened: OpenNotebook):
    opened.type_in(1, "typed = 1")
    shown = await session.call("Read", {"file_path": "n.ipynb"})
    assert "typed = 1" in text(shown) and "open" in text(shown) and "not saved" in text(shown)
    assert not (await edit(session, cell_id="mid", new_source="a")).is_error
    assert not (await edit(session, cell_id="mid", new_source="b")).is_error
    opened.type_in(1, "by hand")
    outcome = await edit(session, cell_id="mid", new_source="c")
    assert outcome.is_error and "content changed" in text(outcome) and opened.sources[1] == "by hand"
    await session.call("Read", {"file_path": "n.ipynb"})
    assert not (await edit(session, cell_id="mid", new_source="c")).is_error


async def test_unsaved_changes_that_were_never_read_are_not_overwritten(session: Session, opened: OpenNotebook):
    documents, session.live_documents = session.live_documents, None
    await session.call("Read", {"file_path": "n.ipynb"})
    session.live_documents = documents
    opened.type_in(1, "unsaved")
    outcome = await edit(session, cell_id="mid", new_source="x")
    assert outcome.is_error and "content changed" in text(outcome) and opened.sources[1] == "unsaved"


async def test_what_was_read_of_the_file_counts_while_nothing_is_unsaved(session: Session, opened: OpenNotebook):
    documents, session.live_documents = session.live_documents, None
    await session.call("Read", {"file_path": "n.ipynb"})
    session.live_documents = documents
    assert not (await edit(session, cell_id="end", new_source="as read")).is_error
    assert not (await edit(session, cell_id="end", new_source="and again")).is_error
    assert opened.sources[2] == "and again"
