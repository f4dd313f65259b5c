"""NotebookRead: chosen cells of a notebook, from the open document before the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import Outcome, Session
from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.tools.notebook_read.choosing import chosen
from tests.corpus.notebooks import dumped, notebook
from tests.support.live_notebooks import OpenNotebook
from tests.support.media_files import png

pytestmark = pytest.mark.anyio


def cells(count: int) -> list[dict[str, Any]]:
    code = notebook()["cells"][1]
    outputs = [{"output_type": "stream", "name": "stdout", "text": "printed\n"}]
    return [{**code, "id": f"id{n}", "source": f"source_{n}", "outputs": outputs} for n in range(count)]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "n.ipynb").write_text(dumped({**notebook(), "cells": cells(6)}))
    return Session(cwd=tmp_path)


async def read(session: Session, **fields: Any) -> Outcome:
    return await session.call("NotebookRead", {"notebook_path": "n.ipynb", **fields})


async def test_all_cells_with_ids_types_and_outputs(session: Session) -> None:
    outcome = await read(session)
    assert outcome.status == "ok" and outcome.text.count('type="code"') == 6
    assert 'id="id3"' in outcome.text and "source_5" in outcome.text and outcome.text.count("printed") == 6


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [("2-3", [1, 2]), ("id4, 1", [0, 4]), ("cell-0", [0]), ("5-", [4, 5]), ("-2", [0, 1]), ("6, 6, id5", [5])],
)
async def test_cells_are_chosen(session: Session, wanted: str, numbers: list[int]) -> None:
    outcome = await read(session, cells=wanted)
    assert [cell.index for cell in outcome.output.cells] == numbers and "of 6 (counted from 1)" in outcome.text


@pytest.mark.parametrize("wanted", ["7", "id9", "3-2", "0", "x-y", "-", "cell-6"])
async def test_cells_that_are_not_there(session: Session, wanted: str) -> None:
    outcome = await read(session, cells=wanted)
    assert outcome.error.check_id == "cell-not-found" and "id0" in outcome.text


@given(st.text(max_size=20), st.integers(0, 5))
def test_any_choice_is_inside_or_refused(wanted: str, count: int) -> None:
    try:
        found = chosen(wanted, [f"id{n}" for n in range(count)])
    except ToolValidationError:
        return
    assert found == sorted(set(found)) and all(0 <= index < count for index in found)


async def test_only_outputs_or_none(session: Session) -> None:
    only = await read(session, outputs="only")
    assert "source_" not in only.text and "printed" in only.text and "sources are not shown" in only.text
    none = await read(session, outputs="none")
    assert "source_" in none.text and "printed" not in none.text


async def test_images_among_the_outputs(session: Session, tmp_path: Path) -> None:
    import base64

    picture = {"image/png": base64.b64encode(png(60, 60)).decode()}
    shown = {**cells(1)[0], "outputs": [{"output_type": "display_data", "metadata": {}, "data": picture}]}
    (tmp_path / "n.ipynb").write_text(dumped({**notebook(), "cells": [shown]}))
    outcome = await read(session, outputs="only")
    assert "image" in [block["type"] for block in outcome.block.content]


class Open:
    def __init__(self, document: OpenNotebook) -> None:
        self.document = document

    def find(self, path: str) -> OpenNotebook | None:
        return self.document if path == self.document.path else None


async def test_the_open_document_comes_first(session: Session, tmp_path: Path) -> None:
    document = OpenNotebook(tmp_path / "n.ipynb")
    session.live_documents = Open(document)  # type: ignore[assignment]
    assert "all of it is saved" in (await read(session)).text
    document.type_in(2, "typed_just_now")
    outcome = await read(session, cells="id2")
    assert "typed_just_now" in outcome.text and "not saved" in outcome.text
    document.answers = False
    assert (await read(session)).status == "error"


async def test_the_notebook_of_the_session_itself(session: Session, tmp_path: Path) -> None:
    assert (await session.call("NotebookRead", {})).error.check_id == "notebook-unknown"
    session.own_notebook = lambda: str((tmp_path / "n.ipynb").resolve())
    outcome = await session.call("NotebookRead", {"cells": "1"})
    assert outcome.status == "ok" and "as it was saved last" in outcome.text


async def test_what_was_read_can_be_edited(session: Session, tmp_path: Path) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["Edit"]}})
    assert (await read(session)).status == "ok"
    edit = {"notebook_path": "n.ipynb", "cell_id": "id1", "new_source": "changed"}
    assert (await session.call("NotebookEdit", edit)).status == "ok"


@pytest.mark.parametrize("rule", ["Read(n.ipynb)", "NotebookRead", "Read"])
async def test_rules_about_reading_hold(session: Session, tmp_path: Path, rule: str) -> None:
    denying = Session(cwd=tmp_path, settings={"permissions": {"deny": [rule]}})
    assert (await read(denying)).status == "denied"
    denying.own_notebook = lambda: str((tmp_path / "n.ipynb").resolve())
    assert (await denying.call("NotebookRead", {})).status == "denied"


async def test_outside_of_the_working_directory_it_asks(session: Session, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other") / "o.ipynb"
    other.write_text(dumped(notebook()))
    assert (await session.decide("NotebookRead", {"notebook_path": str(other)})).behavior != "allow"
