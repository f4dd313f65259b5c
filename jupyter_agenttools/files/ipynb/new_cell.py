"""The bytes of a cell that is added, written like the cells around it."""

from __future__ import annotations

import json
import secrets
from typing import Literal

from .document import NotebookDocument
from .source import SourceForm, new_source_value
from .style import escape_style, layout_of


def new_cell_id(document: NotebookDocument) -> str:
    """An id of the kind that Jupyter makes, not in use in this notebook."""
    used = {cell_id for cell_id, _ in document.identities}
    while (made := secrets.token_hex(4)) in used:
        pass
    return made


def new_cell(
    document: NotebookDocument, index: int, cell_type: Literal["code", "markdown"], source: str, cell_id: str | None
) -> bytes:
    """A cell that will stand at ``index``: keys in the order in which Jupyter writes them."""
    layout, span, form = layout_of(document), document.cells_span, _source_form(document, index)
    if document.cells:
        span = document.cells[max(index - 1, 0)]
    fields = {"cell_type": json.dumps(cell_type).encode()}
    if cell_type == "code":
        fields["execution_count"] = b"null"
    if cell_id is not None:
        fields["id"] = json.dumps(cell_id).encode()
    fields["metadata"] = b"{}"
    if cell_type == "code":
        fields["outputs"] = b"[]"
    fields["source"] = new_source_value(source, form, escape_style(document.data, span, source), layout)
    written = layout.field_separator.join(json.dumps(key).encode() + layout.colon + v for key, v in fields.items())
    return b"{" + layout.key_gap + written + (b"" if layout.is_inline else layout.cell_gap) + b"}"


def _source_form(document: NotebookDocument, index: int) -> SourceForm:
    if not document.cells:
        return "list"
    return "string" if isinstance(document.cell(max(index - 1, 0)).get("source"), str) else "list"


def insertion(document: NotebookDocument, index: int, cell: bytes) -> tuple[int, bytes]:
    """Where the bytes of ``cell`` go so that it becomes number ``index``, and with which bytes around them."""
    cells, layout = document.cells, layout_of(document)
    if not cells:
        start = document.cells_span.start + 1
        is_tight = document.cells_span.end - 1 == start
        return start, layout.cell_gap + cell + (layout.outer_gap if is_tight else b"")
    between = document.text[cells[0].end : cells[1].start] if len(cells) > 1 else layout.cell_separator
    return (cells[0].start, cell + between) if index == 0 else (cells[index - 1].end, between + cell)
