"""How edits of cells look to a person."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, DiffBlockView, TextBlockView, ToolView, ViewBlock
from ...files.ipynb import EditedCell, EditedNotebook

if TYPE_CHECKING:
    from .output import NotebookEditOutput

_VERBS = {"replace": "Edit", "insert": "Insert", "delete": "Delete", "move": "Move"}
_DONE = {"replace": "Edited", "insert": "Inserted", "delete": "Deleted", "move": "Moved"}


def user_facing_name(input: Mapping[str, Any]) -> str:
    if input.get("edits"):
        return "Edit notebook cells"
    return f"{_VERBS.get(str(input.get('edit_mode') or 'replace'), 'Edit')} notebook cell"


def summary(input: Mapping[str, Any]) -> str:
    """``analysis.ipynb c1``; works while the input is still incomplete."""
    name, edits = os.path.basename(str(input.get("notebook_path", ""))), input.get("edits")
    if isinstance(edits, Sequence) and not isinstance(edits, str) and edits:
        return f"{name} ({len(edits)} edit{'s' if len(edits) > 1 else ''})".strip()
    return f"{name} {input.get('cell_id') or ''}".strip()


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    title = f"NotebookEdit {summary(input)}".rstrip()
    mode = str(input.get("edit_mode") or "replace")
    badges = (Badge(mode),) if mode != "replace" and mode in _VERBS else ()
    edits = input.get("edits")
    parts = edits if isinstance(edits, Sequence) and not isinstance(edits, str) else [input]
    blocks = () if density == "condensed" else tuple(_asked(part) for part in parts if _has_source(part))
    return ToolView(title, badges, blocks)


def _has_source(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("new_source"), str) and bool(part["new_source"])


def _asked(part: Mapping[str, Any]) -> CodeBlockView:
    return CodeBlockView(part["new_source"], _language(str(part.get("cell_type") or "code"), "python"))


def change(path: str, edited: EditedNotebook, language: str, marks: Sequence[str] = (), *, is_live: bool) -> ToolView:
    """What the edits would do to the notebook as it is now."""
    cells, name = edited.cells, os.path.basename(path)
    badges = [Badge("open document" if is_live else "file")] if is_live else []
    badges += [Badge("marked as not to be changed", "warning")] if marks else []
    notes = tuple(TextBlockView(note, tone="warning") for note in marks)
    notes += tuple(TextBlockView(note, tone="info") for note in edited.notes)
    if len(cells) > 1:
        blocks = tuple(block for cell in cells for block in _titled(cell, path, language))
        return ToolView(f"{len(cells)} edits of {name}", tuple(badges), (TextBlockView(path), *blocks, *notes))
    blocks = tuple(_blocks(cells[0], path, language))
    is_named = any(isinstance(block, DiffBlockView) and block.path == path for block in blocks)
    where = () if is_named else (TextBlockView(path),)
    return ToolView(_title(cells[0], name), (*_badges(cells[0]), *badges), (*where, *blocks, *notes))


def _title(cell: EditedCell, name: str) -> str:
    if cell.mode == "insert":
        return f"Insert a {cell.cell_type} cell into {name} at position {cell.index}"
    if cell.mode == "move":
        return f"Move cell {cell.address} of {name} to position {cell.index}"
    return f"{_VERBS[cell.mode]} cell {cell.address} of {name}"


def _badges(cell: EditedCell) -> Iterator[Badge]:
    yield Badge(cell.cell_type)
    if cell.outputs_cleared:
        yield Badge("clears its outputs", "warning")


def _titled(cell: EditedCell, path: str, language: str) -> Iterator[ViewBlock]:
    """One of several edits: what it is, then what it changes."""
    cleared = ", clears its outputs" if cell.outputs_cleared else ""
    yield TextBlockView(f"{_title(cell, os.path.basename(path))} ({cell.cell_type}{cleared})")
    yield from _blocks(cell, path, language)


def _blocks(cell: EditedCell, path: str, language: str) -> Iterator[ViewBlock]:
    old, new, language = cell.old_source, cell.new_source, _language(cell.cell_type, language)
    if old is None or cell.mode == "move":
        yield CodeBlockView(new, language, 1)
    elif old != new:
        yield DiffBlockView(old, new, path, language, fragment=True)
    else:
        yield TextBlockView("the source stays the same" if cell.mode == "replace" else "the cell is empty")
    yield from (TextBlockView(note, tone="info") for note in cell.notes)


def impossible(path: str, reason: str) -> ToolView:
    """An edit that could not succeed as things are."""
    title = f"Edit {os.path.basename(path)}"
    return ToolView(title, (Badge("cannot work", "error"),), (TextBlockView(reason, tone="error"),))


def _language(cell_type: str, language: str) -> str:
    return language if cell_type == "code" else "markdown"


def render_result(output: NotebookEditOutput, density: Density) -> ToolView:
    name, cells = os.path.basename(output.notebook_path), output.edits
    title = f"{_DONE[output.edit_mode]} {output.cell_type} cell {output.cell_id} of {name}"
    if len(cells) > 1:
        title = f"Made {len(cells)} edits in {name}"
    badges = [Badge("changed" if output.changed else "no change", "ok")]
    if any(cell.outputs_cleared for cell in cells):
        badges.append(Badge("outputs cleared", "info"))
    if output.place != "file":
        badges.append(Badge(output.place, "info"))
    notes = tuple(TextBlockView(note, tone="info") for note in output.notes)
    if density == "condensed":
        return ToolView(title, tuple(badges), notes, collapsed=True)
    shown = _titled if len(cells) > 1 else _without_notes
    blocks = tuple(block for cell in cells for block in shown(cell, output.notebook_path, output.language))
    return ToolView(title, tuple(badges), (*blocks, *notes))


def _without_notes(cell: EditedCell, path: str, language: str) -> Iterator[ViewBlock]:
    return _blocks(replace(cell, notes=()), path, language)


def extract_search_text(output: NotebookEditOutput) -> str:
    texts = (text for cell in output.edits for text in (cell.old_source or "", cell.new_source))
    return "\n".join([*texts, *output.notes])
