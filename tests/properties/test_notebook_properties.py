"""Any notebook, any edit: the bytes outside of the cell are the same, and the notebook says what it said."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.ipynb import CellEdit, EditedNotebook, NotebookDocument, edit_notebook, open_notebook
from jupyter_agenttools.files.ipynb.shapes import identities_of, text_or_none
from jupyter_agenttools.files.ipynb.validity import _validator
from tests.support.notebook_strategies import notebooks, texts

EXPECTED = frozenset(
    {"notebook-attachments", "notebook-invalid", "notebook-bad-source", "cell-ambiguous", "notebook-bad-cell"}
)
kinds = st.sampled_from([None, None, "code", "markdown"])
policies = st.sampled_from(["clear", "keep"])


def read(data: bytes) -> dict[str, Any]:
    return json.loads(data.decode("utf-8-sig"))


def is_valid(content: dict[str, Any]) -> bool:
    try:
        _validator(content["nbformat_minor"])(content)  # type: ignore[misc]
    except Exception:
        return False
    return True


def source_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def name_of(document: NotebookDocument, index: int) -> str:
    """An address of the cell; the example is given up where it has none of its own."""
    own = document.identities[index][0]
    names = [name for name, _ in document.identities]
    name = own if own and names.count(own) == 1 else f"cell-{index}"
    assume(name == own or name not in names)
    return name


def attempt(document: NotebookDocument, *edits: CellEdit, policy: Any = "clear") -> EditedNotebook:
    try:
        return edit_notebook(document, edits, policy)
    except ToolValidationError as refusal:
        assert refusal.check_id in EXPECTED, refusal
        assume(False)
        raise


def cell_bytes(document: NotebookDocument) -> list[bytes]:
    return [document.data[span.start : span.end] for span in document.cells]


def pick(document: NotebookDocument, data: st.DataObject) -> int:
    assume(document.cells)
    return data.draw(st.integers(0, len(document.cells) - 1))


@given(notebooks())
@settings(max_examples=40)
def test_ids_are_the_same_however_they_are_looked_for(written) -> None:
    content, before = written
    document = open_notebook("nb", before)
    expected = tuple((c.get("id"), text_or_none(c["metadata"].get("id"))) for c in content["cells"])
    for size in (0, 1 << 30):
        found = identities_of(document.text, document.cells_span, document.cells, size)
        assert [own for own, _ in found] == [own for own, _ in expected]
        if document.text is document.data:
            assert found == expected


@given(notebooks(), texts, kinds, policies, st.data())
@settings(max_examples=40)
def test_a_replaced_cell_is_all_that_differs(written, source, kind, policy, data) -> None:
    content, before = written
    document = open_notebook("nb", before)
    index = pick(document, data)
    edited = attempt(document, CellEdit("replace", name_of(document, index), source, kind), policy=policy)
    span, after = document.cells[index], read(edited.data)
    assert edited.data[: span.start] == before[: span.start] and edited.data.endswith(before[span.end :])
    old, new = content["cells"][index], after["cells"][index]
    assert source_of(new) == source and new["cell_type"] == (kind or old["cell_type"])
    fixed = {"source", "cell_type", "outputs", "execution_count", "attachments"}
    assert {k: v for k, v in new.items() if k not in fixed} == {k: v for k, v in old.items() if k not in fixed}
    assert [key for key in new if key in old] == [key for key in old if key in new], "the keys keep their order"
    if new["cell_type"] == old["cell_type"]:
        assert list(new) == list(old) and new.get("attachments") == old.get("attachments")
        is_kept = policy == "keep" or source == source_of(old)
        assert new.get("outputs") == (old.get("outputs") if is_kept else old.get("outputs") and [])
    assert {**after, "cells": 0} == {**content, "cells": 0}
    assert is_valid(after) or not is_valid(content)
    again = edit_notebook(
        open_notebook("nb", edited.data), [CellEdit("replace", edited.cells[0].address, source, kind)], policy
    )
    assert again.data == edited.data, "the same once more changes nothing"


@given(notebooks(), texts, kinds, st.data())
@settings(max_examples=40)
def test_an_inserted_cell_can_be_taken_out_again(written, source, kind, data) -> None:
    content, before = written
    document = open_notebook("nb", before)
    after_index = data.draw(st.integers(-1, len(document.cells) - 1))
    where = None if after_index < 0 else name_of(document, after_index)
    edited = attempt(document, CellEdit("insert", where, source, kind))
    after, told = read(edited.data), edited.cells[0]
    made = after["cells"].pop(after_index + 1)
    assert after == content and source_of(made) == source and told.index == after_index + 1
    assert ("id" in made) == (content["nbformat_minor"] >= 5) and is_valid(
        {**after, "cells": [made], "metadata": {}}
    ) >= ("surprise" not in content)
    assert [cell.get("id") for cell in after["cells"]].count(made.get("id", "")) == 0
    middle = open_notebook("nb", edited.data)
    assert edit_notebook(middle, [CellEdit("delete", name_of(middle, told.index))]).data == before
    others = cell_bytes(middle)
    del others[told.index]
    assert others == cell_bytes(document)


@given(notebooks(), st.data())
@settings(max_examples=40)
def test_a_deleted_cell_takes_nothing_with_it(written, data) -> None:
    content, before = written
    document = open_notebook("nb", before)
    index = pick(document, data)
    edited = attempt(document, CellEdit("delete", name_of(document, index)))
    del content["cells"][index]
    assert read(edited.data) == content
    left = cell_bytes(document)
    del left[index]
    assert cell_bytes(open_notebook("nb", edited.data)) == left


@given(notebooks(), st.data())
@settings(max_examples=40)
def test_a_moved_cell_keeps_its_bytes(written, data) -> None:
    content, before = written
    document = open_notebook("nb", before)
    index, target = pick(document, data), data.draw(st.integers(-1, len(document.cells) - 1))
    after = None if target < 0 else name_of(document, target)
    edited = attempt(document, CellEdit("move", name_of(document, index), after=after))
    order = list(range(len(document.cells)))
    order.remove(index)
    new_index = target + 1 if target < index else target
    order.insert(new_index, index)
    assert edited.cells[0].index == new_index and len(edited.data) == len(before)
    moved = open_notebook("nb", edited.data)
    assert cell_bytes(moved) == [cell_bytes(document)[i] for i in order]
    assert read(edited.data) == {**content, "cells": [content["cells"][i] for i in order]}


@st.composite
def edit_lists(draw: st.DrawFn, document: NotebookDocument) -> list[CellEdit]:
    """Edits of one call, which speak of the cells as they were and of those that the list has added."""
    names = [name_of(document, index) for index in range(len(document.cells))]
    edits: list[CellEdit] = []
    for _ in range(draw(st.integers(1, 4))):
        made = [f"new-{n + 1}" for n in range(sum(edit.mode == "insert" for edit in edits))]
        known = st.sampled_from([*names, *made]) if names or made else None
        mode = draw(st.sampled_from(["replace", "insert", "delete", "move"]))
        if known is None or mode == "insert":
            edits.append(
                CellEdit("insert", draw(known) if known is not None and draw(st.booleans()) else None, draw(texts))
            )
        elif mode == "replace":
            edits.append(CellEdit("replace", draw(known), draw(texts)))
        elif mode == "move":
            edits.append(CellEdit("move", draw(known), after=draw(known)))
        else:
            gone = draw(known)
            names = [name for name in names if name != gone]
            edits.append(CellEdit("delete", gone))
    return edits


def model_of(content: dict[str, Any], document: NotebookDocument, edits: list[CellEdit]) -> list[str] | None:
    """The sources after the edits, worked out on a plain list; ``None`` when an edit names a cell that is gone."""
    line = [(name_of(document, i), source_of(cell)) for i, cell in enumerate(content["cells"])]
    made = 0
    for edit in edits:
        names = [name for name, _ in line]
        if any(name is not None and name not in names for name in (edit.cell_id, edit.after)):
            return None
        if edit.mode == "insert":
            made += 1
            at = names.index(edit.cell_id) + 1 if edit.cell_id else 0
            line.insert(at, (f"new-{made}", edit.new_source))
            continue
        at = names.index(str(edit.cell_id))
        if edit.mode == "replace":
            line[at] = (names[at], edit.new_source)
        elif edit.mode == "delete":
            del line[at]
        elif edit.after != edit.cell_id:
            moved = line.pop(at)
            line.insert([name for name, _ in line].index(str(edit.after)) + 1, moved)
    return [source for _, source in line]


@given(notebooks(), st.data())
@settings(max_examples=50)
def test_several_edits_do_what_they_say_in_order(written, data) -> None:
    content, before = written
    document = open_notebook("nb", before)
    assume("new-1" not in [own for own, _ in document.identities])
    edits = data.draw(edit_lists(document))
    expected = model_of(content, document, edits)
    if expected is None:
        try:
            edit_notebook(document, edits)
        except ToolValidationError as refusal:
            assert refusal.check_id in EXPECTED | {"cell-deleted", "cell-unknown"}
            return
        raise AssertionError("a deleted cell was edited")
    edited = attempt(document, *edits)
    assert [source_of(cell) for cell in read(edited.data)["cells"]] == expected
    names = [own for own, _ in open_notebook("nb", edited.data).identities]
    for cell in edited.cells:
        if cell.mode == "insert" and cell.address in names:  # it may have been deleted again
            assert names.index(cell.address) == cell.index
