"""NotebookEdit: moves, several edits at once, and cells that are hard to name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.core.errors import ToolError
from jupyter_agenttools.core.views import DiffBlockView, TextBlockView
from jupyter_agenttools.files.ipynb import open_notebook
from jupyter_agenttools.files.ipynb.validity import _validator
from jupyter_agenttools.tools.notebook_edit import NotebookEditInput, notebook_edit_tool
from tests.corpus.notebooks import dumped, notebook
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    (tmp_path / "n.ipynb").write_text(dumped(notebook()))
    return Workspace(tmp_path)


def write(here: Workspace, content: dict[str, Any]) -> None:
    (here.cwd / "n.ipynb").write_text(dumped(content))


def held(here: Workspace) -> bytes:
    return (here.cwd / "n.ipynb").read_bytes()


def content(here: Workspace) -> dict[str, Any]:
    return json.loads(held(here))


def sources(here: Workspace) -> list[str]:
    return ["".join(cell["source"]) for cell in content(here)["cells"]]


def cell_bytes(here: Workspace) -> list[bytes]:
    document = open_notebook("n", held(here))
    return [document.data[span.start : span.end] for span in document.cells]


def require_valid(here: Workspace) -> None:
    found = content(here)
    validate = _validator(found["nbformat_minor"])
    assert validate is not None
    validate(found)


async def edit(here: Workspace, **fields: Any) -> Any:
    return await here.use(notebook_edit_tool, notebook_path="n.ipynb", **fields)


async def text(here: Workspace, **fields: Any) -> str:
    return await here.text(notebook_edit_tool, notebook_path="n.ipynb", **fields)


async def refused(here: Workspace, **fields: Any) -> ToolError:
    before = held(here)
    with pytest.raises(ToolError) as refusal:
        await edit(here, **fields)
    assert held(here) == before, "a refusal leaves the file alone"
    return refusal.value


def inserted(after: str | None, source: str, **fields: Any) -> dict[str, Any]:
    return {"edit_mode": "insert", "new_source": source, **({"cell_id": after} if after else {}), **fields}


# ---- moves


async def test_a_moved_cell_is_the_same_bytes(here: Workspace) -> None:
    write(here, notebook(metadata={"tags": ["keep"], "nested": {"a": [1, {"b": None}]}}))
    before = cell_bytes(here)
    assert "Moved code cell mid (position 2" in await text(here, edit_mode="move", cell_id="mid", after_cell_id="end")
    assert cell_bytes(here) == [before[0], before[2], before[1]]
    await edit(here, edit_mode="move", cell_id="mid")
    assert cell_bytes(here) == [before[1], before[0], before[2]]
    await edit(here, edit_mode="move", cell_id="mid", after_cell_id="top")
    assert cell_bytes(here) == before and held(here) == dumped(content(here)).encode()


async def test_a_move_to_where_the_cell_is_changes_nothing(here: Workspace) -> None:
    before = held(here)
    for after in ("top", "mid"):
        assert "is there already" in await text(here, edit_mode="move", cell_id="mid", after_cell_id=after)
    assert held(here) == before


async def test_a_moved_cell_without_an_id_is_called_by_its_new_position(here: Workspace) -> None:
    write(here, notebook(minor=4))
    output = await edit(here, edit_mode="move", cell_id="cell-0", after_cell_id="cell-2")
    assert output.cell_id == "cell-2" and "have moved" in output.notes[0] and sources(here)[2] == "## Sum\nof two"


async def test_a_move_takes_no_source(here: Workspace) -> None:
    assert (await refused(here, edit_mode="move", cell_id="mid", new_source="x")).check_id == "move-with-source"
    assert (await refused(here, edit_mode="move")).check_id == "cell-id-missing"
    problem = await refused(here, cell_id="mid", new_source="x", after_cell_id="top")
    assert problem.check_id == "after-without-move"


# ---- several edits


async def test_edits_are_made_in_order_and_may_speak_of_new_cells(here: Workspace) -> None:
    edits = [
        inserted("end", "A"),
        inserted("new-1", "B", cell_type="markdown"),
        {"cell_id": "mid", "new_source": "n = 6"},
        inserted("new-2", "C"),
        {"cell_id": "new-1", "new_source": "A, better"},
        {"edit_mode": "delete", "cell_id": "top"},
        {"edit_mode": "move", "cell_id": "new-3", "after_cell_id": "mid"},
    ]
    output = await edit(here, edits=edits)
    assert sources(here) == ["n = 6", "C", "m = 7\n", "A, better", "B"] and len(output.edits) == 7
    require_valid(here)
    assert [cell["id"] for cell in content(here)["cells"]][1] == output.edits[3].address
    assert [cell.index for cell in output.edits] == [3, 4, 0, 1, 3, 0, 1], "where each cell is in the end"


async def test_one_wrong_edit_and_none_is_made(here: Workspace) -> None:
    problem = await refused(here, edits=[inserted("mid", "x"), {"cell_id": "nope", "new_source": "y"}])
    assert problem.check_id == "cell-unknown"
    assert problem.message.startswith("edit 2 of 2: ") and "None of the 2 edits" in problem.message
    problem = await refused(
        here, edits=[{"edit_mode": "delete", "cell_id": "mid"}, {"cell_id": "mid", "new_source": ""}]
    )
    assert problem.check_id == "cell-unknown"


async def test_positions_in_a_list_are_those_that_were_read(here: Workspace) -> None:
    write(here, notebook(minor=4))
    edits = [
        {"edit_mode": "delete", "cell_id": "cell-0"},
        inserted(None, "first"),
        {"cell_id": "cell-2", "new_source": "last"},
        {"cell_id": "cell-1", "new_source": "middle"},
    ]
    output = await edit(here, edits=edits)
    assert sources(here) == ["first", "middle", "last"]
    assert [cell.address for cell in output.edits[1:]] == ["cell-0", "cell-2", "cell-1"]
    edits = [{"edit_mode": "delete", "cell_id": "cell-0"}, {"cell_id": "cell-0", "new_source": "x"}]
    assert (await refused(here, edits=edits)).check_id == "cell-deleted"


async def test_a_name_that_is_two_things_is_refused(here: Workspace) -> None:
    changed = notebook()
    changed["cells"][0]["id"] = "new-1"
    write(here, changed)
    assert (await edit(here, cell_id="new-1", new_source="x")).position == 0
    edits = [inserted("end", "A"), {"cell_id": "new-1", "new_source": "which?"}]
    assert (await refused(here, edits=edits)).check_id == "cell-ambiguous"


async def test_edits_that_take_each_other_back_leave_the_file(here: Workspace) -> None:
    before, stamp = held(here), (here.cwd / "n.ipynb").stat().st_mtime_ns
    output = await edit(here, edits=[inserted("mid", "x"), {"edit_mode": "delete", "cell_id": "new-1"}])
    assert held(here) == before and not output.changed and (here.cwd / "n.ipynb").stat().st_mtime_ns == stamp


async def test_the_fields_of_one_edit_do_not_go_with_a_list(here: Workspace) -> None:
    some = [inserted("mid", "x")]
    assert (await refused(here, edits=some, cell_id="mid", new_source="y")).check_id == "edits-and-fields"
    assert "edit 2 of 2" in (await refused(here, edits=[*some, {"edit_mode": "delete"}])).message
    await edit(here, edits=some, edit_mode="replace", cell_id=None)
    for wrong in ([], [{"cell_id": "mid", "source": "x"}]):
        with pytest.raises(ToolError, match="edits"):
            await edit(here, edits=wrong)


async def test_a_card_shows_every_edit(here: Workspace) -> None:
    edits = [{"cell_id": "mid", "new_source": "n = 6"}, {"edit_mode": "delete", "cell_id": "end"}]
    input = NotebookEditInput.model_validate({"notebook_path": "n.ipynb", "edits": edits})
    assert notebook_edit_tool.preview is not None
    view = notebook_edit_tool.preview(input, here.context())
    assert view.title == "2 edits of n.ipynb" and notebook_edit_tool.is_destructive(input)
    diffs = [block for block in view.blocks if isinstance(block, DiffBlockView)]
    assert [(diff.old, diff.new) for diff in diffs] == [("n = 5\nm = 7\nn + m", "n = 6"), ("m = 7\n", "")]
    words = " ".join(block.text for block in view.blocks if isinstance(block, TextBlockView))
    assert "Edit cell mid" in words and "clears its outputs" in words and "Delete cell end" in words
    result = notebook_edit_tool.render_result(await edit(here, edits=edits), "verbose")
    assert result.title == "Made 2 edits in n.ipynb"
    assert len([block for block in result.blocks if isinstance(block, DiffBlockView)]) == 2
    raw = {"notebook_path": "n.ipynb", "edits": edits}
    assert notebook_edit_tool.render_tool_use(raw, "verbose").title == "NotebookEdit n.ipynb (2 edits)"
    assert "2 edits in" in await text(here, edits=[inserted("mid", "a"), inserted("mid", "b")])


# ---- names


async def test_inserting_behind_the_cell_before(here: Workspace) -> None:
    after = "end"
    for letter in "ABC":
        told = await text(here, **inserted(after, letter))
        after = content(here)["cells"][-1]["id"]
        assert f"cell {after} (position {len(sources(here)) - 1}" in told
    assert sources(here)[2:] == ["m = 7\n", "A", "B", "C"]


async def test_a_source_given_as_an_id_is_recognised(here: Workspace) -> None:
    problem = await refused(here, cell_id="m = 7", new_source="1")
    assert "top, mid, end" in problem.message and "cell 'end'" in problem.message


@pytest.mark.parametrize("address", ["cell-3", "cell-99", "cell-01", "cell-", "cell-1 ", "Cell-1", "-1", "", "cell-٣"])
async def test_names_of_no_cell(here: Workspace, address: str) -> None:
    problem = await refused(here, cell_id=address, new_source="x")
    assert problem.check_id == "cell-unknown" and "top, mid, end" in problem.message


async def test_a_bare_number_is_explained(here: Workspace) -> None:
    assert "write cell-1" in (await refused(here, cell_id="1", new_source="x")).message
    assert "write cell-" not in (await refused(here, cell_id="9", new_source="x")).message


async def test_a_real_id_that_looks_like_a_position_wins_and_is_told(here: Workspace) -> None:
    changed = notebook()
    changed["cells"][2]["id"] = "cell-1"
    write(here, changed)
    told = await text(here, cell_id="cell-1", new_source="x")
    assert sources(here)[2] == "x" and "the id of the cell at position 2" in told and "called mid" in told
    assert "the id of" not in await text(here, cell_id="cell-0", new_source="x")


async def test_ids_that_are_there_twice_are_refused_with_their_places(here: Workspace) -> None:
    changed = notebook()
    changed["cells"][2]["id"] = "mid"
    write(here, changed)
    problem = await refused(here, cell_id="mid", new_source="x")
    assert "cell-1 (n = 5), cell-2 (m = 7)" in problem.message and problem.check_id == "cell-ambiguous"
    output = await edit(here, cell_id="cell-2", new_source="x")
    assert output.cell_id == "cell-2", "a name that works for the next call"
    assert sources(here)[1:] == ["n = 5\nm = 7\nn + m", "x"]
    colab = notebook(minor=0)
    for cell in colab["cells"][:2]:
        cell["metadata"] = {"id": "kX3"}
    write(here, colab)
    problem = await refused(here, cell_id="kX3", new_source="x")
    assert problem.check_id == "cell-ambiguous" and "cell-0 (## Sum), cell-1 (n = 5)" in problem.message


async def test_an_id_with_odd_characters_works(here: Workspace) -> None:
    changed = notebook()
    changed["cells"][1]["id"] = 'a"b <c> é'
    write(here, changed)
    assert (await edit(here, cell_id='a"b <c> é', new_source="x")).position == 1
    assert content(here)["cells"][1]["id"] == 'a"b <c> é', "ids are never mended"


async def test_old_formats_never_get_ids(here: Workspace) -> None:
    for minor in range(5):
        write(here, notebook(minor=minor))
        await edit(here, edits=[inserted("cell-1", "z"), {"edit_mode": "move", "cell_id": "cell-0"}])
        assert not any("id" in cell for cell in content(here)["cells"]) and content(here)["nbformat_minor"] == minor
        if minor:
            require_valid(here)


async def test_a_notebook_without_cells(here: Workspace) -> None:
    write(here, {**notebook(), "cells": []})
    assert "no cells yet" in (await refused(here, cell_id="cell-0", new_source="x")).message
    assert "no cells yet" in (await refused(here, **inserted("cell-0", "x"))).message
    output = await edit(here, edits=[inserted(None, "A"), inserted("new-1", "B")])
    assert sources(here) == ["A", "B"] and output.position == 1
    require_valid(here)


async def test_ten_thousand_cells(here: Workspace) -> None:
    many = notebook()
    many["cells"] = [
        {"cell_type": "markdown", "id": f"c{number}", "metadata": {}, "source": [f"# {number}"]}
        for number in range(10_000)
    ]
    write(here, many)
    output = await edit(here, edits=[inserted("c9999", "end"), {"edit_mode": "delete", "cell_id": "c5000"}])
    assert output.edits[0].index == 9_999 and len(content(here)["cells"]) == 10_000
    assert "and 9960 more" in (await refused(here, cell_id="nope", new_source="x")).message


async def test_what_a_cell_holds_beside_its_source_stays(here: Workspace) -> None:
    pasted = notebook()
    pasted["cells"][0]["attachments"] = {"a.png": {"image/png": "aGk="}}
    pasted["cells"].append({"cell_type": "raw", "id": "raw", "metadata": {"format": "text/x-rst"}, "source": "old"})
    write(here, pasted)
    await edit(here, edits=[{"cell_id": "top", "new_source": "new"}, {"cell_id": "raw", "new_source": "new"}])
    cells = content(here)["cells"]
    assert cells[0] == {**pasted["cells"][0], "source": ["new"]}
    assert cells[3] == {**pasted["cells"][3], "source": "new"}
    output = await edit(here, cell_id="raw", new_source="new", cell_type="markdown")
    assert output.cell_type == "markdown" and content(here)["cells"][3]["metadata"] == {"format": "text/x-rst"}
    output = await edit(here, cell_id="raw", new_source="new", cell_type="code")
    assert content(here)["cells"][3]["outputs"] == [] and content(here)["cells"][3]["source"] == "new"
    require_valid(here)


async def test_a_signature_is_left_as_it_is(here: Workspace) -> None:
    signed = notebook()
    signed["metadata"]["signature"] = "sha256:0123"
    write(here, signed)
    await edit(here, cell_id="mid", new_source="x")
    assert content(here)["metadata"] == signed["metadata"]
