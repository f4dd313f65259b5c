"""Editing notebooks as bytes: what was not asked to change does not change."""

from __future__ import annotations

import json
import warnings
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.ipynb import CellEdit, EditedCell, edit_notebook, open_notebook
from jupyter_agenttools.files.ipynb.source import source_lines
from jupyter_agenttools.files.ipynb.spans import Span, array_items, object_members
from jupyter_agenttools.files.ipynb.validity import _validator, require_still_valid
from tests.corpus.notebooks import CASES, EDITED, NEW_SOURCE, REFUSED, NotebookCase, dumped, notebook

PLAIN = dumped(notebook()).encode()


class Result(NamedTuple):
    """What one edit gave: the bytes, and what is told of the cell."""

    data: bytes
    cell: EditedCell

    @property
    def index(self) -> int:
        return self.cell.index

    @property
    def address(self) -> str:
        return self.cell.address

    @property
    def notes(self) -> tuple[str, ...]:
        return self.cell.notes

    @property
    def outputs_cleared(self) -> bool:
        return self.cell.outputs_cleared


def edited(data: bytes, policy: Any = "clear", **wish: Any) -> Result:
    notebook = edit_notebook(open_notebook("nb.ipynb", data), [CellEdit(**wish)], policy)
    assert (notebook.data != data) <= notebook.cells[0].changed
    return Result(notebook.data, notebook.cells[0])


def refused(data: bytes, **wish: Any) -> ToolValidationError:
    with pytest.raises(ToolValidationError) as refusal:
        edited(data, **wish)
    return refusal.value


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data.decode("utf-8-sig"))["cells"]]


def require_valid(content: dict[str, Any]) -> None:
    """Hold a whole notebook against nbformat's schema (importing nbformat itself takes seconds here)."""
    validate = _validator(content["nbformat_minor"])
    assert validate is not None
    validate(content)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("policy", ["keep", "clear"])
def test_the_exact_bytes_after_one_edit(case: NotebookCase, policy: str) -> None:
    result = edited(case.before, policy, cell_id=case.address, new_source=case.new_source)
    assert result.data == (case.keep if policy == "keep" else case.clear)
    assert (result.index, result.address) == (EDITED, case.address)
    assert result.outputs_cleared == (policy == "clear" and case.clear != case.keep)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_edited_safely_is_refused(name: str) -> None:
    data, check = REFUSED[name]
    problem = refused(data, cell_id="mid", new_source="x")
    assert problem.check_id == check
    assert "nb.ipynb" in problem.message or check == "notebook-duplicate-key"


def test_refusals_say_where_and_how_to_go_on() -> None:
    assert "nbconvert" in refused(REFUSED["format 3"][0], cell_id="cell-0").message
    assert "line" in refused(REFUSED["cut off"][0], cell_id="mid").message
    assert "0xfc in line 9" in refused(REFUSED["latin-1"][0], cell_id="mid").message
    assert "line 17" in refused(REFUSED["no number"][0], cell_id="mid").message


def test_the_same_source_changes_nothing() -> None:
    result = edited(PLAIN, cell_id="mid", new_source="n = 5\nm = 7\nn + m")
    assert result.data == PLAIN and not result.outputs_cleared


def test_a_lost_line_end_kind_is_noted() -> None:
    data = next(case.before for case in CASES if case.name == "CR LF in the source")
    assert "CR LF" in edited(data, cell_id="mid", new_source="x\n").notes[0]
    assert edited(data, cell_id="mid", new_source="x\r\n").notes == ()


def test_numbers_that_json_does_not_have_are_kept_and_told() -> None:
    case = next(case for case in CASES if case.name == "numbers that JSON does not have")
    document = open_notebook("nb", case.before)
    notebook_after = edit_notebook(document, [CellEdit(cell_id="mid", new_source="x")])
    assert "NaN" in notebook_after.notes[0] and document.has_odd_numbers
    assert not open_notebook("nb", dumped(notebook(source="NaN")).encode()).has_odd_numbers


def test_half_a_character_says_nothing_about_the_style() -> None:
    data = next(case.before for case in CASES if case.name == "half a character in an output")
    assert "x = 'é'".encode() in edited(data, cell_id="mid", new_source="x = 'é'").data


def test_an_empty_source_and_back() -> None:
    emptied = edited(PLAIN, "keep", cell_id="mid", new_source="").data
    assert b'"source": []' in emptied
    assert edited(emptied, "keep", cell_id="mid", new_source="n = 5\nm = 7\nn + m").data == PLAIN


def test_inserting_in_a_row_keeps_the_order() -> None:
    data, after = PLAIN, "end"
    for text in ("A", "B", "C"):
        result = edited(data, mode="insert", cell_id=after, new_source=text, cell_type="markdown")
        data, after = result.data, result.address
    assert sources(data)[3:] == ["A", "B", "C"]
    ids = [cell["id"] for cell in json.loads(data)["cells"]]
    assert len(set(ids)) == 6 and ids[5] == after
    assert data == dumped(json.loads(data)).encode(), "new cells are laid out like the others"


@pytest.mark.parametrize(
    ("indent", "separators"), [(1, None), (4, None), ("\t", None), (None, None), (None, (",", ":"))]
)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_new_cells_are_written_like_the_file(indent: Any, separators: Any, count: int) -> None:
    content = notebook()
    content["cells"] = content["cells"][:count]
    before = dumped(content, indent, separators=separators).encode()
    for where in (None, *(cell["id"] for cell in content["cells"])):
        result = edited(before, mode="insert", cell_id=where, new_source="x = 'é'\ny", cell_type="code")
        after = json.loads(result.data)
        assert result.data == dumped(after, indent, separators=separators).encode()
        assert sources(result.data)[result.index] == "x = 'é'\ny"
        del after["cells"][result.index]
        assert after == content


def test_an_insertion_without_an_id_names_its_position() -> None:
    result = edited(PLAIN, mode="insert", new_source="first")
    assert result.index == 0 and sources(result.data)[0] == "first" and "first one" in result.notes[0]


def test_formats_without_ids_get_none() -> None:
    data = dumped(notebook(minor=4)).encode()
    result = edited(data, mode="insert", cell_id="cell-1", new_source="z")
    after = json.loads(result.data)
    assert result.address == "cell-2" and "id" not in after["cells"][2] and after["nbformat_minor"] == 4
    require_valid(after)


def test_deleting() -> None:
    content = notebook()
    for index, name in enumerate(("top", "mid", "end")):
        left = {**content, "cells": [cell for cell in content["cells"] if cell["id"] != name]}
        result = edited(PLAIN, mode="delete", cell_id=name)
        assert result.data == dumped(left).encode() and result.index == index
    only = dumped({**content, "cells": content["cells"][:1]}).encode()
    assert json.loads(edited(only, mode="delete", cell_id="top").data)["cells"] == []
    emptied = edited(only, mode="delete", cell_id="top").data
    assert sources(edited(emptied, mode="insert", new_source="again").data) == ["again"]


def test_turning_a_cell_into_the_other_kind() -> None:
    text = edited(PLAIN, cell_id="mid", new_source="now text", cell_type="markdown")
    require_valid(json.loads(text.data))
    assert "outputs" not in json.loads(text.data)["cells"][1] and "outputs went" in " ".join(text.notes)
    code = edited(text.data, cell_id="mid", new_source="n = 5", cell_type="code")
    cell = json.loads(code.data)["cells"][1]
    require_valid(json.loads(code.data))
    assert cell["outputs"] == [] and cell["execution_count"] is None
    assert (
        code.data[: code.data.index(b'"mid"')].count(b"\n") == text.data[: text.data.index(b'"mid"')].count(b"\n") + 2
    )


def test_a_type_change_works_with_any_key_order() -> None:
    content = notebook()
    content["cells"][1] = dict(reversed(content["cells"][1].items()))
    data = edited(dumped(content).encode(), cell_id="mid", new_source="t", cell_type="markdown").data
    assert list(json.loads(data)["cells"][1]) == ["source", "metadata", "id", "cell_type"]
    content["cells"][1] = {
        "outputs": [],
        "execution_count": 1,
        "cell_type": "code",
        "id": "mid",
        "metadata": {},
        "source": "",
    }
    data = edited(dumped(content).encode(), cell_id="mid", new_source="t", cell_type="markdown").data
    assert json.loads(data)["cells"][1] == {"cell_type": "markdown", "id": "mid", "metadata": {}, "source": "t"}


def test_attachments_are_not_thrown_away() -> None:
    content = notebook()
    content["cells"][0]["attachments"] = {"a.png": {"image/png": "aGk="}}
    data = dumped(content).encode()
    assert refused(data, cell_id="top", new_source="x", cell_type="code").check_id == "notebook-attachments"
    assert b"aGk=" in edited(data, cell_id="top", new_source="x").data


def test_an_unknown_id_lists_the_others_and_knows_sources() -> None:
    problem = refused(PLAIN, cell_id="n = 5\nm = 7\nn + m", new_source="1")
    assert problem.check_id == "cell-unknown" and "top, mid, end" in problem.message
    assert "source of cell 'mid'" in problem.message
    assert "source of" not in refused(PLAIN, cell_id="nope", new_source="1").message
    assert refused(PLAIN, cell_id="cell-3", new_source="1").check_id == "cell-unknown"


def test_real_ids_win_over_positions_and_ambiguous_ones_are_refused() -> None:
    content = notebook()
    content["cells"][0]["id"] = "cell-2"
    assert edited(dumped(content).encode(), cell_id="cell-2", new_source="x").index == 0
    assert edited(dumped(content).encode(), cell_id="cell-1", new_source="x").index == 1
    content["cells"][0]["id"] = "mid"
    data = dumped(content).encode()
    problem = refused(data, cell_id="mid", new_source="x")
    assert problem.check_id == "cell-ambiguous" and "cell-0 (## Sum), cell-1 (n = 5)" in problem.message
    assert edited(data, cell_id="cell-0", new_source="x").index == 0


def test_equal_cells_without_ids_are_not_mixed_up() -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["same"]} for _ in range(3)]
    data = dumped({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()
    for index in range(3):
        result = edited(data, cell_id=f"cell-{index}", new_source="other")
        assert [s == "other" for s in sources(result.data)] == [i == index for i in range(3)]


def test_ids_in_the_metadata_may_be_used() -> None:
    data = next(case.before for case in CASES if case.name == "ids in the metadata")
    result = edited(data, cell_id="kX3", new_source="x")
    assert result.index == 1 and result.address == "cell-1" and b'"id": "kX3"' in result.data
    assert result.data.count(b'"id"') == data.count(b'"id"')


@pytest.mark.parametrize(
    ("cell", "check"),
    [
        ({"source": 5}, "notebook-bad-source"),
        ({"source": ["a", 5]}, "notebook-bad-source"),
        ({"metadata": {}}, "notebook-bad-source"),
        (7, "notebook-bad-source"),
        ([], "notebook-bad-source"),
    ],
)
def test_cells_that_are_none(cell: Any, check: str) -> None:
    content = {**notebook(), "cells": [cell]}
    assert refused(dumped(content).encode(), cell_id="cell-0", new_source="x").check_id in (check, "notebook-bad-cell")


def test_a_twice_written_key_of_the_cell_is_refused() -> None:
    data = PLAIN.replace(b'"id": "mid",', b'"id": "mid",\n   "source": "one more",')
    assert refused(data, cell_id="mid", new_source="x").check_id == "notebook-duplicate-key"


def test_an_invalid_cell_is_edited_and_not_repaired() -> None:
    content = notebook()
    content["cells"][0]["surprise"] = 1
    data = dumped(content).encode()
    assert json.loads(edited(data, cell_id="top", new_source="x").data)["cells"][0]["surprise"] == 1


def test_a_valid_cell_must_stay_valid() -> None:
    document, good = open_notebook("nb", PLAIN), notebook()["cells"][1]
    bad = {**good, "surprise": 1}
    require_still_valid(document, good, good)
    require_still_valid(document, bad, bad)
    for before in (good, None):
        with pytest.raises(ToolValidationError) as refusal:
            require_still_valid(document, before, bad)
        assert refusal.value.check_id == "notebook-invalid"
    future = open_notebook("nb", dumped(notebook(minor=99)).encode())
    require_still_valid(future, good, bad)


def test_nothing_is_said_on_stderr() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for case in CASES:
            edited(case.before, cell_id=case.address, new_source=NEW_SOURCE)


texts = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from('\n\r\t"\\/\x1b\U0001f600é')), max_size=40
)
layouts = st.sampled_from([(1, None), (2, None), ("\t", None), (None, None), (None, (",", ":"))])


@given(st.lists(texts, min_size=1, max_size=4), texts, layouts, st.booleans(), st.booleans(), st.booleans(), st.data())
@settings(max_examples=80, deadline=None)
def test_any_text_in_any_layout(old, new, layout, ascii_only, crlf, as_list, data) -> None:
    source = source_lines if as_list else str
    cells = [{"cell_type": "raw", "id": f"c{i}", "metadata": {}, "source": source(text)} for i, text in enumerate(old)]
    content = {"cells": cells, "metadata": {"title": "é"}, "nbformat": 4, "nbformat_minor": 5}
    written = dumped(content, layout[0], separators=layout[1], ensure_ascii=ascii_only)
    before = (written.replace("\n", "\r\n") if crlf else written).encode()
    index = data.draw(st.integers(0, len(old) - 1))
    document = open_notebook("nb", before)
    result = edit_notebook(document, [CellEdit(cell_id=f"c{index}", new_source=new)])
    span = document.cells[index]
    assert result.data[: span.start] == before[: span.start] and result.data.endswith(before[span.end :])
    assert sources(result.data) == [new if i == index else text for i, text in enumerate(old)]
    back = edit_notebook(open_notebook("nb", result.data), [CellEdit(cell_id=f"c{index}", new_source=old[index])])
    assert back.data == before, "the way back gives the very bytes: nothing of the style got lost"


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=20,
)


@given(json_values, st.sampled_from([None, 1, "\t"]))
@settings(max_examples=60, deadline=None)
def test_positions_are_those_of_the_values(value, indent) -> None:
    text = ("  " + json.dumps(value, indent=indent) + "\n").encode("utf-8", "surrogatepass")
    span = Span(2, len(text))
    if isinstance(value, dict):
        members = object_members(text, span)
        assert {m.key: json.loads(text[m.start : m.end]) for m in members} == value
        assert all(json.loads(text[m.key_start : m.key_end]) == m.key for m in members)
    elif isinstance(value, list):
        assert [json.loads(text[item.start : item.end]) for item in array_items(text, span)] == value
