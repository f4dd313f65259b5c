"""Editing one cell of a notebook's bytes; everything outside of what must change stays as it is, byte for byte."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from ...core.errors import ToolValidationError
from .addressing import cell_address, find_cell, source_text
from .document import NotebookDocument
from .source import SourceForm, new_source_value, rewritten_source
from .spans import Member, Span
from .style import Layout, escape_style, layout_of
from .validity import require_still_valid

EditMode = Literal["replace", "insert", "delete"]
CellType = Literal["code", "markdown", "raw"]
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
    cell_type: Literal["code", "markdown"] | None = None


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
            the notebook is.
    """
    if edit.mode == "insert":
        return _insert(document, edit)
    if edit.cell_id is None:
        message = f"edit_mode={edit.mode} needs a cell_id. Read {document.path} to see the ids of its cells"
        raise ToolValidationError(message, check_id="cell-id-missing")
    index = find_cell(document, edit.cell_id)
    return _delete(document, index) if edit.mode == "delete" else _replace(document, index, edit, policy)


def _replace(document: NotebookDocument, index: int, edit: CellEdit, policy: OutputPolicy) -> EditedNotebook:
    before = document.cell(index)
    members = document.cell_members(index)
    old_source, old_type = source_text(before), str(before.get("cell_type", ""))
    changed, new_type = edit.new_source != old_source, edit.cell_type or old_type
    values: dict[str, bytes] = {}
    if changed:
        values["source"] = _source_value(document, index, members, edit.new_source)
        if policy == "clear" and new_type == old_type == "code":
            values |= _cleared(before)
    segments = _Segments(document, document.cells[index], members, values)
    if new_type != old_type:
        _convert(segments, before, new_type)
    span = document.cells[index]
    data = document.data[: span.start] + segments.joined() + document.data[span.end :]
    after = _decoded_cell(data, span, len(document.data))
    _require_as_wished(before, after, edit.new_source, new_type)
    require_still_valid(document, before, after)
    address = cell_address(index, document.identities[index][0])
    cleared = bool(_cleared(before)) and not _cleared(after) and new_type == old_type and changed and policy == "clear"
    notes = ("the old source had CR LF line ends, the new one has not",) if _loses_crlf(old_source, edit) else ()
    return EditedNotebook(data, index, address, new_type, old_source, cleared, notes)


def _loses_crlf(old_source: str, edit: CellEdit) -> bool:
    return "\r\n" in old_source and "\r\n" not in edit.new_source


def _source_value(document: NotebookDocument, index: int, members: list[Member], new_source: str) -> bytes:
    source = next((m for m in members if m.key == "source"), None)
    if source is None:
        message = f"{document.path}: cell {index} has no source; it cannot be edited here"
        raise ToolValidationError(message, check_id="notebook-bad-source")
    escapes = escape_style(document.data, document.cells[index])
    return rewritten_source(document.data, document.text, source.value, new_source, escapes, layout_of(document))


def _cleared(cell: dict[str, Any]) -> dict[str, bytes]:
    """New values for what a run left behind in the cell; only for what is there."""
    values = {}
    if cell.get("outputs"):
        values["outputs"] = b"[]"
    if cell.get("execution_count") is not None:
        values["execution_count"] = b"null"
    return values


class _Segments:
    """The fields of one cell, each with the bytes in front of it, so that any can be replaced, dropped or added."""

    def __init__(self, document: NotebookDocument, span: Span, members: list[Member], values: dict[str, bytes]) -> None:
        data, position = document.data, span.start
        self.layout = layout_of(document)
        self._parts: list[tuple[str, bytes, bytes]] = []
        for member in members:
            value = values.get(member.key, data[member.start : member.end])
            self._parts.append(
                (member.key, data[position : member.key_start], data[member.key_start : member.start] + value)
            )
            position = member.end
        self._end = data[position : span.end]

    def drop(self, key: str) -> None:
        at = self._position(key)
        if at is None:
            return
        _, gap, _ = self._parts.pop(at)
        if at == 0 and self._parts:
            following, _, field = self._parts[0]
            self._parts[0] = (following, gap, field)

    def replace(self, key: str, value: bytes) -> None:
        at = self._position(key)
        if at is not None:
            self._parts[at] = (key, self._parts[at][1], self._field(key, value))

    def add_before(self, key: str, following: str, value: bytes) -> None:
        """Add a field in front of another one (never at the very beginning: a cell begins with something else)."""
        at = self._position(following)
        if self._position(key) is None and at:
            self._parts.insert(at, (key, self._gap(), self._field(key, value)))

    def joined(self) -> bytes:
        return b"".join(gap + field for _, gap, field in self._parts) + self._end

    def _field(self, key: str, value: bytes) -> bytes:
        return json.dumps(key).encode() + self.layout.colon + value

    def _gap(self) -> bytes:
        return self._parts[1][1] if len(self._parts) > 1 else b"," + self.layout.key_gap

    def _position(self, key: str) -> int | None:
        return next((i for i, part in enumerate(self._parts) if part[0] == key), None)


def _convert(segments: _Segments, before: dict[str, Any], new_type: str) -> None:
    """Turn a cell into one of another type, with the fields that the format wants for it."""
    if before.get("attachments") and new_type == "code":
        raise ToolValidationError(
            "the cell holds attachments (pasted images), which a code cell cannot; insert a new code cell instead",
            check_id="notebook-attachments",
        )
    segments.replace("cell_type", json.dumps(new_type).encode())
    if new_type == "code":
        segments.drop("attachments")
        segments.add_before("outputs", "source", b"[]")
        segments.add_before("execution_count", "outputs", b"null")
    else:
        segments.drop("outputs")
        segments.drop("execution_count")


def _delete(document: NotebookDocument, index: int) -> EditedNotebook:
    cells, data = document.cells, document.data
    before = document.cell(index)
    if len(cells) == 1:
        cut = Span(document.cells_span.start + 1, document.cells_span.end - 1)
    elif index == 0:
        cut = Span(cells[0].start, cells[1].start)
    else:
        cut = Span(cells[index - 1].end, cells[index].end)
    address = cell_address(index, document.identities[index][0])
    cell_type = str(before.get("cell_type", ""))
    return EditedNotebook(data[: cut.start] + data[cut.end :], index, address, cell_type, source_text(before))


def _insert(document: NotebookDocument, edit: CellEdit) -> EditedNotebook:
    index = 0 if edit.cell_id is None else find_cell(document, edit.cell_id) + 1
    cell_type = edit.cell_type or "code"
    layout = layout_of(document)
    new_id = _new_id(document) if document.has_ids else None
    neighbour = max(index - 1, 0) if document.cells else None
    cell = _new_cell(document, neighbour, layout, cell_type, edit.new_source, new_id)
    position, inserted = _placed(document, layout, index, cell)
    data = document.data[:position] + inserted + document.data[position:]
    require_still_valid(document, None, json.loads(cell.decode()))
    notes = () if edit.cell_id is not None else ("no cell_id was given, so the cell is the first one now",)
    return EditedNotebook(data, index, cell_address(index, new_id), cell_type, None, False, notes)


def _placed(document: NotebookDocument, layout: Layout, index: int, cell: bytes) -> tuple[int, bytes]:
    """Where the bytes of a new cell go, and with which bytes around them."""
    cells, text = document.cells, document.text
    if not cells:
        start = document.cells_span.start + 1
        inner = text[start : document.cells_span.end - 1]
        return start, layout.cell_gap + cell + (layout.outer_gap if not inner else b"")
    if len(cells) > 1:
        between = text[cells[0].end : cells[1].start]
    else:
        between = b"," + (
            b" " if layout.is_inline and layout.colon != b":" and not layout.cell_gap else layout.cell_gap
        )
    return (cells[0].start, cell + between) if index == 0 else (cells[index - 1].end, between + cell)


def _new_cell(
    document: NotebookDocument, neighbour: int | None, layout: Layout, cell_type: str, source: str, new_id: str | None
) -> bytes:
    """The bytes of a new cell: keys in the order in which Jupyter writes them, laid out like the other cells."""
    form: SourceForm = "list"
    span = document.cells_span
    if neighbour is not None:
        span = document.cells[neighbour]
        form = "string" if isinstance(document.cell(neighbour).get("source"), str) else "list"
    fields = {"cell_type": json.dumps(cell_type).encode()}
    if cell_type == "code":
        fields["execution_count"] = b"null"
    if new_id is not None:
        fields["id"] = json.dumps(new_id).encode()
    fields["metadata"] = b"{}"
    if cell_type == "code":
        fields["outputs"] = b"[]"
    fields["source"] = new_source_value(source, form, escape_style(document.data, span), layout)
    separator = b"," + (layout.key_gap or (b"" if layout.colon == b":" else b" "))
    written = separator.join(json.dumps(key).encode() + layout.colon + value for key, value in fields.items())
    return b"{" + layout.key_gap + written + (b"" if layout.is_inline else layout.cell_gap) + b"}"


def _new_id(document: NotebookDocument) -> str:
    """An id of the kind that Jupyter makes, not in use here."""
    used = {cell_id for cell_id, _ in document.identities}
    while (made := secrets.token_hex(4)) in used:
        pass
    return made


def _decoded_cell(data: bytes, span: Span, old_length: int) -> dict[str, Any]:
    return json.loads(data[span.start : span.end + len(data) - old_length].decode())


def _require_as_wished(before: dict[str, Any], after: dict[str, Any], source: str, cell_type: str) -> None:
    """A last look at our own work before anything is written: the cell says what was asked, the rest is what it was."""
    touched = {"source", "outputs", "execution_count", "cell_type"}
    kept = {key: value for key, value in before.items() if key not in touched and key != "attachments"}
    wrong = source_text(after) != source or after.get("cell_type") != (cell_type or None)
    if wrong or any(after.get(key) != value for key, value in kept.items()):
        raise AssertionError("the spliced cell does not read as it should; nothing was written")
