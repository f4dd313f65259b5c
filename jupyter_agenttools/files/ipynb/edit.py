"""Editing one cell of a notebook's bytes; everything that was not asked to change stays as it is, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ...core.errors import ToolValidationError
from .addressing import cell_address, find_cell, source_text
from .cell_fields import CellFields
from .document import NotebookDocument
from .new_cell import insertion, new_cell, new_cell_id
from .source import rewritten_source
from .spans import Span, spliced
from .style import escape_style, layout_of
from .validity import require_still_valid

EditMode = Literal["replace", "insert", "delete"]
EditableType = Literal["code", "markdown"]
OutputPolicy = Literal["clear", "keep"]
"""What happens to the outputs of a code cell whose source really changes."""


@dataclass(frozen=True)
class CellEdit:
    """One wish.

    Args:
        mode: change a cell, add one after it, or take it out.
        cell_id: an id or ``cell-N``; ``None`` (insert only) means: at the beginning.
        new_source: the whole new source.
        cell_type: ``None`` keeps the type; a new cell is then a code cell.
    """

    mode: EditMode = "replace"
    cell_id: str | None = None
    new_source: str = ""
    cell_type: EditableType | None = None


@dataclass(frozen=True)
class EditedNotebook:
    """What came of it.

    Args:
        data: all new bytes of the file.
        index: position of the cell, from 0; of a deleted one the position it had.
        address: how to call the cell from now on.
        cell_type: of the cell.
        old_source: the source before, ``None`` for a new cell.
        outputs_cleared: outputs or an execution count were taken away.
        notes: what a person or model should know about it.
    """

    data: bytes
    index: int
    address: str
    cell_type: str
    old_source: str | None
    outputs_cleared: bool = False
    notes: tuple[str, ...] = ()


def edit_notebook(document: NotebookDocument, edit: CellEdit, policy: OutputPolicy = "clear") -> EditedNotebook:
    """The notebook after ``edit``. Nothing is written.

    Raises:
        ToolValidationError: no such cell, a cell that cannot be edited, or the result would not be valid although
            the cell is.
    """
    if edit.mode == "insert":
        return _insert(document, edit)
    index = find_cell(document, _required_id(document, edit))
    return _delete(document, index) if edit.mode == "delete" else _replace(document, index, edit, policy)


def _required_id(document: NotebookDocument, edit: CellEdit) -> str:
    if edit.cell_id is None:
        message = f"edit_mode={edit.mode} needs a cell_id. Read {document.path} to see the ids of its cells"
        raise ToolValidationError(message, check_id="cell-id-missing")
    return edit.cell_id


def _replace(document: NotebookDocument, index: int, edit: CellEdit, policy: OutputPolicy) -> EditedNotebook:
    before = document.cell(index)
    old_source, old_type = source_text(before), before.get("cell_type")
    new_type = edit.cell_type or old_type
    values: dict[str, bytes] = {}
    left_behind: dict[str, bytes] = {}
    if edit.new_source != old_source:
        if policy == "clear" and new_type == old_type == "code":
            left_behind = _cleared(before)
        values = {"source": _source_value(document, index, edit.new_source), **left_behind}
    fields = CellFields(document, index, values)
    if new_type != old_type:
        _convert(document, index, fields, before, str(new_type))
    span, cell = document.cells[index], fields.joined()
    after = json.loads(cell.decode())
    _require_as_wished(before, after, edit.new_source, new_type)
    require_still_valid(document, before, after)
    data = spliced(document.data, span, cell)
    address = cell_address(index, document.identities[index][0])
    notes = tuple(_notes(before, after, old_source, edit.new_source))
    return EditedNotebook(data, index, address, str(new_type), old_source, bool(left_behind), notes)


def _notes(before: dict[str, Any], after: dict[str, Any], old_source: str, new_source: str) -> Iterator[str]:
    if "\r\n" in old_source and "\r\n" not in new_source:
        yield "the old source had CR LF line ends, the new one has not"
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


def _require_as_wished(before: dict[str, Any], after: dict[str, Any], source: str, cell_type: object) -> None:
    """A last look at our own work before anything is written: the cell says what was asked, the rest what it said."""
    touched = {"source", "outputs", "execution_count", "cell_type", "attachments"}
    kept = all(after.get(key) == value for key, value in before.items() if key not in touched)
    if not kept or source_text(after) != source or after.get("cell_type") != cell_type:
        raise AssertionError("the spliced cell does not read as it should; nothing was written")


def _delete(document: NotebookDocument, index: int) -> EditedNotebook:
    cells, before = document.cells, document.cell(index)
    if len(cells) == 1:
        cut = Span(document.cells_span.start + 1, document.cells_span.end - 1)
    elif index == 0:
        cut = Span(cells[0].start, cells[1].start)
    else:
        cut = Span(cells[index - 1].end, cells[index].end)
    address = cell_address(index, document.identities[index][0])
    cell_type = str(before.get("cell_type", ""))
    return EditedNotebook(spliced(document.data, cut, b""), index, address, cell_type, source_text(before))


def _insert(document: NotebookDocument, edit: CellEdit) -> EditedNotebook:
    index = 0 if edit.cell_id is None else find_cell(document, edit.cell_id) + 1
    cell_type = edit.cell_type or "code"
    cell_id = new_cell_id(document) if document.has_ids else None
    cell = new_cell(document, index, cell_type, edit.new_source, cell_id)
    require_still_valid(document, None, json.loads(cell.decode()))
    position, inserted = insertion(document, index, cell)
    data = spliced(document.data, Span(position, position), inserted)
    notes = () if edit.cell_id is not None else ("no cell_id was given, so the cell is the first one now",)
    return EditedNotebook(data, index, cell_address(index, cell_id), cell_type, None, False, notes)
