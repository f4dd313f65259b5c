"""Showing notebooks as cells, from the file alone, whatever state it is in."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.files.budget import MAX_BYTES, MaxFileReadTokenExceededError
from jupyter_agenttools.files.ipynb import NotebookListing, list_notebook
from jupyter_agenttools.files.ipynb.outputs import plain, read_output, shortened
from jupyter_agenttools.files.ipynb.reading import OUTPUT_CHARS
from tests.corpus.notebooks import CASES, OLD_FORMAT, REFUSED, dumped, notebook


def listed(data: bytes | dict[str, Any], offset: int = 1, limit: int | None = None) -> NotebookListing:
    data = data if isinstance(data, bytes) else dumped(data).encode()
    return list_notebook("nb.ipynb", data, offset, limit)


def case(name: str) -> bytes:
    return next(case.before for case in CASES if case.name == name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_three_cells_in_order_whatever_the_layout(case: Any) -> None:
    found = listed(case.before)
    assert [cell.cell_type for cell in found.cells] == ["markdown", "code", "code"]
    assert found.cells[1].address == case.address and found.total_cells == 3 and found.language == "python"
    assert "\r" not in found.cells[1].source and found.cells[0].source == "## Sum\nof two"
    json.dumps([cell.source for cell in found.cells]).encode()


def test_outputs_stand_with_their_cell() -> None:
    cell = listed(case("indent 1")).cells[1]
    assert [(o.output_type, o.text) for o in cell.outputs] == [("execute_result", "12")] and cell.execution_count == 7


def test_what_is_unusual_is_said_in_one_line_each() -> None:
    assert len(listed(case("4.5 without ids")).notes) == 1 and "cell-N" in listed(case("4.5 without ids")).notes[0]
    (problem,) = listed(case("invalid metadata")).notes
    assert "cell 0 has no metadata object" in problem and "no outputs and no execution_count" in problem
    (state,) = listed(case("widget state")).notes
    assert "50 saved widget models" in state
    assert listed(case("CR LF in the source")).cells[1].crlf
    assert listed(case("tags")).cells[1].tags == ("parameters",)
    assert listed(case("indent 1")).notes == ()


def test_old_and_unknown_formats() -> None:
    found = listed(OLD_FORMAT)
    assert [cell.source for cell in found.cells] == ["## Old times", "n = 5"] and "format 3" in found.notes[0]
    result, error = found.cells[1].outputs
    assert (result.output_type, result.text, result.media) == ("execute_result", "5", ("image/png, 5 bytes",))
    assert (error.output_type, error.text) == ("error", "t\nE: v") and found.cells[1].execution_count == 4
    assert "format 5" in listed(REFUSED["format 5"][0]).notes[0]


def test_bad_bytes_and_half_characters_are_visible() -> None:
    found = listed(REFUSED["latin-1"][0])
    assert found.cells[0].source == "## Sum\nf\\xfcr zwei" and "0xfc in line 9" in found.notes[0]
    assert listed(case("half a character in an output")).cells[1].outputs[0].text == "half \\ud83d"
    assert listed(REFUSED["UTF-16"][0]).total_cells == 3
    assert listed(next(case.before for case in CASES if "numbers" in case.name)).total_cells == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [("cut off", "line "), ("no notebook", "not a list"), ("a list", "not an object"), ("nested too deeply", "deep"),
     ("empty", "not valid JSON")],
)  # fmt: skip
def test_what_is_no_notebook_is_named(name: str, words: str) -> None:
    with pytest.raises(ToolValidationError, match=words) as refusal:
        listed(REFUSED[name][0])
    assert refusal.value.check_id == "notebook-unreadable" and "offset and limit" in refusal.value.message


def test_colours_of_terminals_are_taken_out() -> None:
    trace = ["\x1b[0;31mValueError\x1b[0m: bad", "\x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b[38;5;241mx\x1b[39m"]
    output = {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": trace}
    shown = read_output(output, 1000)
    assert shown.text == "ValueError: bad\nlink x" and shown.output_type == "error"
    assert plain("a\x1bb") == "ab"


def test_media_are_named_with_their_size() -> None:
    picture = base64.b64encode(b"x" * 1000).decode()
    data = {
        "text/html": "<b>no</b>",
        "text/plain": ["Fig", "ure"],
        "image/png": picture,
        "image/jpeg": [picture[:10], picture[10:]],
        "application/vnd.plotly.v1+json": {"data": [1, 2]},
        "application/vnd.jupyter.widget-view+json": {"model_id": "0"},
    }
    shown = read_output({"output_type": "display_data", "data": data, "metadata": {}}, 1000)
    assert shown.text == "Figure"
    assert shown.media[:2] == ("image/png, 1,000 bytes", "image/jpeg, 1,000 bytes")
    assert [line.split(",")[0] for line in shown.media[2:]] == ["application/vnd.plotly.v1+json"]


@pytest.mark.parametrize("output", [None, 5, {}, {"output_type": "stream"}, {"output_type": "error"}, {"data": 3}])
def test_damaged_outputs_are_no_obstacle(output: Any) -> None:
    read_output(output, 100)


def test_long_outputs_lose_their_middle() -> None:
    text, omitted = shortened("a" * 700 + "b" * 300, 100)
    assert text.startswith("a" * 66) and text.endswith("b" * 34) and omitted == 900 and "900" in text
    assert shortened("short\n", 100) == ("short", 0)
    content = notebook(outputs=[{"output_type": "stream", "name": "stdout", "text": "z" * 50_000}])
    assert len(listed(content).cells[1].outputs[0].text) < OUTPUT_CHARS + 100
    assert len(listed(content, 2, 1).cells[0].outputs[0].text) > 15_000, "a cell alone has more room"


def test_outputs_never_push_out_sources() -> None:
    loud = {"output_type": "stream", "name": "stdout", "text": "z" * 1900}
    cells = [{**notebook()["cells"][1], "id": f"c{i}", "outputs": [loud] * 3} for i in range(60)]
    found = listed({**notebook(), "cells": cells})
    assert len(found.cells) == 60 and all(cell.source for cell in found.cells)
    assert found.cells[0].hidden_outputs == 0 and found.cells[-1].hidden_outputs == 3
    shown = sum(len(cell.source) + sum(len(output.text) for output in cell.outputs) for cell in found.cells)
    assert shown < MAX_BYTES


def test_a_large_notebook_of_pictures_is_listed_whole() -> None:
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 400_000}}
    cells = [{**notebook()["cells"][1], "id": f"c{i}", "outputs": [picture]} for i in range(20)]
    found = listed({**notebook(), "cells": cells})
    assert [cell.outputs[0].media for cell in found.cells] == [("image/png, 300,000 bytes",)] * 20


def test_too_many_sources_say_what_fits_and_cells_can_be_chosen() -> None:
    cells = [{**notebook()["cells"][1], "id": f"c{i}", "source": "x" * 10_000} for i in range(30)]
    content = {**notebook(), "cells": cells}
    with pytest.raises(MaxFileReadTokenExceededError, match=r"first 9 cells fit \(offset=1, limit=9\)"):
        listed(content)
    assert [cell.address for cell in listed(content, 10, 3).cells] == ["c9", "c10", "c11"]
    assert listed(content, 31, 3).cells == ()


def test_odd_cells_are_shown_as_such() -> None:
    content = {**notebook(), "cells": [5, {}, {"cell_type": "code", "source": 7, "outputs": 3, "id": 4}]}
    found = listed(content)
    assert [cell.address for cell in found.cells] == ["cell-0", "cell-1", "cell-2"]
    assert "not an object" in found.cells[0].source
