"""The four things that can be done to a cell, each as a change of bytes at one place of the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ...core.context import OutputPolicy
from ...core.errors import ToolValidationError
from .addressing import source_text
from .cell_fields import CellFields
from .document import NotebookDocument
from .new_cell import insertion, new_cell, new_cell_id
from .source import rewritten_source
from .spans import Span
from .style import escape_style, layout_of
from .validity import require_still_valid

EditableType = Literal["code", "markdown"]
TOUCHED = frozenset({"source", "outputs", "execution_count", "cell_type", "attachments"})
"""The fields of a cell that an edit may change."""


class Splice(NamedTuple):
    """A change of the file's bytes, and what became of the cell.

    Attributes:
        span, new: the bytes at ``span`` are replaced by ``new``.
        index: where the cell is then, from 0; of a deleted one where it was.
        cell_type: of the cell.
        old_source: before, ``None`` for a new cell. new_source: now, ``""`` for a deleted one.
        cell_id: of a new cell that got one.
        outputs_cleared: outputs or an execution count were taken away.
        notes: what a person or model should know about it.
    """

    span: Span
    new: bytes
    index: int
    cell_type: str
    old_source: str | None
    new_source: str
    cell_id: str | None = None
    outputs_cleared: bool = False
    notes: tuple[str, ...] = ()


def replace_cell(
    document: NotebookDocument, index: int, source: str, cell_type: EditableType | None, policy: OutputPolicy
) -> Splice:
    """Give the cell at ``index`` another source, and another type if one is named."""
    before = document.cell(index)
    old_source, old_type = source_text(before), before.get("cell_type")
    new_type = cell_type or old_type
    values: dict[str, bytes] = {}
    left_behind: dict[str, bytes] = {}
    if source != old_source:
        if policy == "clear" and new_type == old_type == "code":
            left_behind = _cleared(before)
        values = {"source": _source_value(document, index, source), **left_behind}
    fields = CellFields(document, index, values)
    if new_type != old_type:
        _convert(document, index, fields, before, str(new_type))
    after = _decoded(fields)
    _require_as_wished(before, after, source, new_type)
    require_still_valid(document, before, after)
    notes = tuple(_notes(before, after, old_source, source))
    span, new = document.cells[index], fields.joined()
    return Splice(span, new, index, str(new_type), old_source, source, None, bool(left_behind), notes)


def _notes(before: dict[str, Any], after: dict[str, Any], old_source: str, new_source: str) -> Iterator[str]:
    if "\r\n" in old_source and "\r\n" not in new_source:
        yield "the old source had CR LF line ends, the new one has not"
    if before.get("cell_type") != after.get("cell_type"):
        yield f"it was a {before.get('cell_type')} cell before"
    if before.get("outputs") and "outputs" not in after:
        yield f"its outputs went, as a {after.get('cell_type')} cell has none"


def _source_value(document: NotebookDocument, index: int, new_source: str) -> bytes:
    source = next((m for m in document.cell_members(index) if m.key == "source"), None)
    if source is None:
        message = f"{document.path}: cell {index} has no source; it cannot be edited here"
        raise ToolValidationError(message, check_id="notebook-bad-source")
    escapes = escape_style(document.data, document.cells[index], new_source)
    return rewritten_source(document.data, document.text, source.value, new_source, escapes, layout_of(document))


def _cleared(cell: dict[str, Any]) -> dict[str, bytes]:
    """New values for what a run left behind in the cell; only for what is there."""
    values = {}
    if cell.get("outputs"):
        values["outputs"] = b"[]"
    if cell.get("execution_count") is not None:
        values["execution_count"] = b"null"
    return values


def _convert(document: NotebookDocument, index: int, fields: CellFields, before: dict[str, Any], new_type: str) -> None:
    """Turn a cell into one of another type, with the fields that the format wants for it."""
    if "cell_type" not in before:
        message = f"{document.path}: cell {index} has no cell_type; it cannot be given another"
        raise ToolValidationError(message, check_id="notebook-bad-cell")
    if before.get("attachments") and new_type == "code":
        message = (
            f"{document.path}: cell {index} holds attachments (pasted images), which a code cell cannot; "
            "insert a new code cell instead"
        )
        raise ToolValidationError(message, check_id="notebook-attachments")
    fields.replace("cell_type", json.dumps(new_type).encode())
    if new_type == "code":
        fields.drop("attachments")
        fields.add_after("outputs", "cell_type", b"[]")
        fields.add_after("execution_count", "cell_type", b"null")
    else:
        fields.drop("outputs")
        fields.drop("execution_count")


def _decoded(fields: CellFields) -> dict[str, Any]:
    """What the new bytes of the cell say, as they will be read; its outputs, which no edit writes, as an empty list."""
    return json.loads(fields.without_outputs().decode())


def _require_as_wished(before: dict[str, Any], after: dict[str, Any], source: str, cell_type: object) -> None:
    """A last look at our own work before anything is written: the cell says what was asked, the rest what it said."""
    kept = [{key: value for key, value in cell.items() if key not in TOUCHED} for cell in (before, after)]
    is_kept = json.dumps(kept[0]) == json.dumps(kept[1])  # as texts: NaN does not equal itself
    if not is_kept or source_text(after) != source or after.get("cell_type") != cell_type:
        raise AssertionError("the spliced cell does not read as it should; nothing was written")


def delete_cell(document: NotebookDocument, index: int) -> Splice:
    """Take the cell at ``index`` out, with one of the commas beside it."""
    cells, before = document.cells, document.cell(index)
    if len(cells) == 1:
        cut = Span(document.cells_span.start + 1, document.cells_span.end - 1)
    elif index == 0:
        cut = Span(cells[0].start, cells[1].start)
    else:
        cut = Span(cells[index - 1].end, cells[index].end)
    return Splice(cut, b"", index, str(before.get("cell_type", "")), source_text(before), "")


def insert_cell(document: NotebookDocument, index: int, source: str, cell_type: EditableType) -> Splice:
    """Add a cell that becomes number ``index``, written like those around it."""
    cell_id = new_cell_id(document) if document.has_ids else None
    cell = new_cell(document, index, cell_type, source, cell_id)
    require_still_valid(document, None, json.loads(cell.decode()))
    position, inserted = insertion(document, index, cell)
    return Splice(Span(position, position), inserted, index, cell_type, None, source, cell_id)


def move_cell(document: NotebookDocument, index: int, new_index: int) -> Splice:
    """Make the cell at ``index`` number ``new_index``; the bytes of every cell stay, and so does what is between."""
    before = document.cell(index)
    source, cell_type = source_text(before), str(before.get("cell_type", ""))
    low, high = sorted((index, new_index))
    order = list(range(low, high + 1))
    order.insert(new_index - low, order.pop(index - low))
    span = Span(document.cells[low].start, document.cells[high].end)
    return Splice(span, _reordered(document, low, order), new_index, cell_type, source, source)


def _reordered(document: NotebookDocument, low: int, order: Sequence[int]) -> bytes:
    """The cells in this order, with the bytes between them where they are."""
    view, cells = memoryview(document.data), document.cells
    parts: list[memoryview] = []
    for place, index in enumerate(order, low):
        if place > low:
            parts.append(view[cells[place - 1].end : cells[place].start])
        parts.append(view[cells[index].start : cells[index].end])
    return b"".join(parts)
