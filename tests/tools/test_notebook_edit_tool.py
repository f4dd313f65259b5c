"""NotebookEdit: on the file, one cell, the right one."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import anyio
import pytest

from jupyter_agenttools.core import ToolUseContext
from jupyter_agenttools.core.errors import InterruptedToolError, ToolError
from jupyter_agenttools.core.views import CodeBlockView, DiffBlockView
from jupyter_agenttools.tools.notebook_edit import NotebookEditInput, notebook_edit_tool
from jupyter_agenttools.tools.notebook_edit.file_edit import edit_on_disk
from jupyter_agenttools.tools.read import read_tool
from tests.corpus.notebooks import CASES, REFUSED, NotebookCase, dumped, notebook
from tests.support.file_tools import Workspace

pytestmark = pytest.mark.anyio


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    (tmp_path / "n.ipynb").write_text(dumped(notebook()))
    return Workspace(tmp_path)


def content(here: Workspace) -> dict[str, Any]:
    return json.loads((here.cwd / "n.ipynb").read_text())


def sources(here: Workspace) -> list[str]:
    return ["".join(cell["source"]) for cell in content(here)["cells"]]


async def edit(here: Workspace, **fields: Any) -> Any:
    return await here.use(notebook_edit_tool, notebook_path="n.ipynb", **fields)


async def refused(here: Workspace, **fields: Any) -> ToolError:
    before = (here.cwd / "n.ipynb").read_bytes()
    with pytest.raises(ToolError) as refusal:
        await edit(here, **fields)
    assert (here.cwd / "n.ipynb").read_bytes() == before, "a refusal leaves the file alone"
    return refusal.value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_file_holds_the_exact_bytes(here: Workspace, case: NotebookCase) -> None:
    file = here.cwd / "n.ipynb"
    file.write_bytes(case.before)
    file.chmod(0o600)
    output = await edit(here, cell_id=case.address, new_source=case.new_source)
    assert file.read_bytes() == case.clear and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert output.cell_id == case.address and output.position == 1 and os.listdir(here.cwd) == ["n.ipynb"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_outputs_can_be_kept(tmp_path: Path, case: NotebookCase) -> None:
    (tmp_path / "n.ipynb").write_bytes(case.before)
    input = NotebookEditInput(notebook_path="n.ipynb", cell_id=case.address, new_source=case.new_source)
    edit_on_disk(input, Workspace(tmp_path).context(), policy="keep")
    assert (tmp_path / "n.ipynb").read_bytes() == case.keep


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_edited_is_left_alone(here: Workspace, name: str) -> None:
    data, check = REFUSED[name]
    (here.cwd / "n.ipynb").write_bytes(data)
    assert (await refused(here, cell_id="mid", new_source="x")).check_id == check


async def test_results_name_the_cell_and_its_position(here: Workspace) -> None:
    text = await here.text(notebook_edit_tool, notebook_path="n.ipynb", cell_id="mid", new_source="x")
    assert (
        text == f"Updated code cell mid (position 1, counted from 0) in {here.cwd}/n.ipynb. Its outputs were cleared."
    )
    output = await edit(here, edit_mode="insert", cell_id="mid", new_source="y", cell_type="markdown")
    assert output.position == 2 and content(here)["cells"][2]["id"] == output.cell_id and output.old_source is None
    text = await here.text(notebook_edit_tool, notebook_path="n.ipynb", edit_mode="insert", new_source="z")
    assert "position 0" in text and "the first one now" in text
    text = await here.text(notebook_edit_tool, notebook_path="n.ipynb", edit_mode="delete", cell_id=output.cell_id)
    assert "Deleted markdown cell" in text and sources(here)[:3] == ["z", "## Sum\nof two", "x"]
    text = await here.text(notebook_edit_tool, notebook_path="n.ipynb", cell_id="mid", new_source="x")
    assert "Nothing changed" in text


async def test_inserting_in_a_row(here: Workspace) -> None:
    after = "end"
    for letter in "ABC":
        after = (await edit(here, edit_mode="insert", cell_id=after, new_source=letter)).cell_id
    assert sources(here)[2:] == ["m = 7\n", "A", "B", "C"]


async def test_positional_names_that_move_are_mentioned(here: Workspace) -> None:
    (here.cwd / "n.ipynb").write_text(dumped(notebook(minor=4)))
    output = await edit(here, edit_mode="insert", cell_id="cell-1", new_source="z")
    assert output.cell_id == "cell-2" and "have moved" in output.notes[0]
    assert (await edit(here, edit_mode="insert", cell_id="cell-3", new_source="last")).notes == ()


async def test_many_edits_leave_three_cells(here: Workspace) -> None:
    for number in range(10):
        await edit(here, cell_id=("mid", "end")[number % 2], new_source=f"v{number}")
    assert sources(here) == ["## Sum\nof two", "v8", "v9"]


async def test_missing_fields_are_named(here: Workspace) -> None:
    assert (await refused(here, new_source="x")).check_id == "cell-id-missing"
    assert (await refused(here, edit_mode="delete")).check_id == "cell-id-missing"
    assert (await refused(here, cell_id="mid")).check_id == "new-source-missing"
    with pytest.raises(ToolError, match="not a notebook"):
        await here.use(notebook_edit_tool, notebook_path="a.py", cell_id="x", new_source="")
    with pytest.raises(ToolError, match="does not exist"):
        await here.use(notebook_edit_tool, notebook_path="gone.ipynb", cell_id="x", new_source="")
    problem = await refused(here, cell_id="m = 7\n", new_source="1")
    assert "top, mid, end" in problem.message and "source of cell 'end'" in problem.message


async def test_half_characters_are_refused(here: Workspace) -> None:
    await refused(here, cell_id="mid", new_source="a\ud83d")
    input = NotebookEditInput.model_construct(
        {"notebook_path", "cell_id", "new_source"}, notebook_path="n.ipynb", cell_id="mid", new_source="a\ud83d"
    )
    with pytest.raises(ToolError, match="lone surrogate"):
        await notebook_edit_tool.call(input, here.context())


async def test_no_reading_is_needed_but_one_that_is_old_is_refused(here: Workspace) -> None:
    await edit(here, cell_id="mid", new_source="first")
    await here.use(read_tool, file_path="n.ipynb")
    await edit(here, cell_id="mid", new_source="second")
    await edit(here, cell_id="mid", new_source="third")
    (here.cwd / "n.ipynb").write_text((here.cwd / "n.ipynb").read_text().replace("of two", "of three"))
    assert (await refused(here, cell_id="mid", new_source="fourth")).check_id == "content-changed"
    await here.use(read_tool, file_path="n.ipynb")
    await edit(here, cell_id="mid", new_source="fourth")
    assert "fourth" in await here.text(read_tool, file_path="n.ipynb"), "an edited notebook is shown again"


def insert_at_top(here: Workspace) -> None:
    changed = content(here)
    changed["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": ["by hand"]})
    (here.cwd / "n.ipynb").write_text(dumped(changed))


async def approve_late(here: Workspace, context: ToolUseContext, **fields: Any) -> Any:
    """Judge the call, let a person insert a cell at the top of the file, then run it."""
    input = NotebookEditInput(notebook_path="n.ipynb", **fields)
    assert notebook_edit_tool.validate_input is not None
    assert (await notebook_edit_tool.validate_input(input, context)).result
    insert_at_top(here)
    return (await notebook_edit_tool.call(input, context)).data


async def test_cells_inserted_during_the_prompt_never_shift_the_edit(here: Workspace) -> None:
    assert (await approve_late(here, here.context(), cell_id="end", new_source="x")).cell_id == "end"
    assert sources(here) == ["by hand", "## Sum\nof two", "n = 5\nm = 7\nn + m", "x"]
    for read_before in (False, True):
        (here.cwd / "n.ipynb").write_text(dumped(notebook(minor=4)))
        if read_before:
            await here.use(read_tool, file_path="n.ipynb")
        with pytest.raises(ToolError, match="content changed"):
            await approve_late(here, here.context(), cell_id="cell-2", new_source="x")
        assert sources(here) == ["by hand", "## Sum\nof two", "n = 5\nm = 7\nn + m", "m = 7\n"]


async def test_what_the_conversation_never_saw_is_not_told_before_the_gate(here: Workspace) -> None:
    input = NotebookEditInput(notebook_path="n.ipynb", cell_id="nope", new_source="x")
    assert notebook_edit_tool.validate_input is not None
    assert (await notebook_edit_tool.validate_input(input, here.context())).result
    await here.use(read_tool, file_path="n.ipynb")
    verdict = await notebook_edit_tool.validate_input(input, here.context())
    assert verdict.check_id == "cell-unknown" and "top, mid, end" in verdict.message


@pytest.mark.parametrize(
    ("metadata", "mode", "behavior"),
    [
        ({"editable": False}, "replace", "ask"),
        ({"deletable": False}, "delete", "ask"),
        ({"editable": True}, "replace", "passthrough"),
        ({"deletable": False}, "replace", "passthrough"),
        ({"editable": False}, "insert", "passthrough"),
        (None, "replace", "passthrough"),
    ],
)
async def test_cells_that_are_marked_ask(here: Workspace, metadata: Any, mode: Any, behavior: str) -> None:
    (here.cwd / "n.ipynb").write_text(dumped(notebook(metadata=metadata)))
    input = NotebookEditInput(notebook_path="n.ipynb", cell_id="mid", new_source="x", edit_mode=mode)
    assert notebook_edit_tool.check_permissions is not None
    opinion = await notebook_edit_tool.check_permissions(input, here.context())
    assert opinion.behavior == behavior and ("mid" in opinion.reason) == (behavior == "ask")


async def test_a_stopped_call_changes_nothing(here: Workspace) -> None:
    before = (here.cwd / "n.ipynb").read_bytes()
    here.cancellation.cancel()
    with pytest.raises(InterruptedToolError):
        await edit(here, cell_id="mid", new_source="x")
    assert (here.cwd / "n.ipynb").read_bytes() == before


async def test_edits_at_the_same_time_all_arrive(here: Workspace) -> None:
    async with anyio.create_task_group() as group:
        for number in range(12):
            fields = {"notebook_path": "n.ipynb", "edit_mode": "insert", "cell_id": "end", "new_source": f"{number}"}
            group.start_soon(here.use_in, here.context(), notebook_edit_tool, fields)
    assert sorted(sources(here)[3:], key=int) == [str(number) for number in range(12)]
    assert len({cell["id"] for cell in content(here)["cells"]}) == 15


async def test_preview_and_views(here: Workspace) -> None:
    assert notebook_edit_tool.preview is not None

    def preview(**fields: Any) -> Any:
        return notebook_edit_tool.preview(NotebookEditInput(notebook_path="n.ipynb", **fields), here.context())  # type: ignore[misc]

    view = preview(cell_id="mid", new_source="n = 6")
    diff = next(block for block in view.blocks if isinstance(block, DiffBlockView))
    assert (diff.old, diff.new, diff.language) == ("n = 5\nm = 7\nn + m", "n = 6", "python")
    assert [badge.text for badge in view.badges] == ["code", "clears its outputs"]
    view = preview(cell_id="top", edit_mode="insert", new_source="# T", cell_type="markdown")
    assert "position 1" in view.title and any(isinstance(block, CodeBlockView) for block in view.blocks)
    view = preview(cell_id="end", edit_mode="delete")
    assert any(isinstance(block, DiffBlockView) and block.new == "" for block in view.blocks)
    assert "has no cell" in preview(cell_id="nope", new_source="").blocks[0].text
    assert content(here) == notebook(), "looking changes nothing"
    output = await edit(here, cell_id="mid", new_source="n = 6")
    assert isinstance(notebook_edit_tool.render_result(output, "verbose").blocks[0], DiffBlockView)
    assert notebook_edit_tool.render_tool_use({}, "verbose").title == "NotebookEdit"


async def test_rights_are_those_of_edits(here: Workspace) -> None:
    assert notebook_edit_tool.rule_family == "edit" and notebook_edit_tool.rule_names == ("Edit",)
    assert not notebook_edit_tool.is_read_only(None)
    observed = {"notebook_path": "n.ipynb"}
    assert notebook_edit_tool.backfill_observable_input is not None
    notebook_edit_tool.backfill_observable_input(observed, here.context())
    assert notebook_edit_tool.get_path(observed) == f"{here.cwd}/n.ipynb"
