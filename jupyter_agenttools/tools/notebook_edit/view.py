"""How an edit of a cell looks to a person."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, DiffBlockView, TextBlockView, ToolView, ViewBlock
from ...files.ipynb import CellEdit, EditedNotebook

if TYPE_CHECKING:
    from .tool import NotebookEditOutput

_VERBS = {"replace": "Edit", "insert": "Insert", "delete": "Delete"}
_DONE = {"replace": "Edited", "insert": "Inserted", "delete": "Deleted"}


def user_facing_name(input: Mapping[str, Any]) -> str:
    return f"{_VERBS.get(str(input.get('edit_mode') or 'replace'), 'Edit')} notebook cell"


def summary(input: Mapping[str, Any]) -> str:
    """``analysis.ipynb c1``; works while the input is still incomplete."""
    return f"{os.path.basename(str(input.get('notebook_path', '')))} {input.get('cell_id') or ''}".strip()


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    title = f"{user_facing_name(input)} {summary(input)}".rstrip()
    source = input.get("new_source")
    if density == "condensed" or not isinstance(source, str) or not source:
        return ToolView(title)
    return ToolView(title, blocks=(CodeBlockView(source, _language(str(input.get("cell_type") or "code"), "python")),))


def change(path: str, wish: CellEdit, edited: EditedNotebook, language: str) -> ToolView:
    """What an edit would do to the notebook as it is now."""
    title = f"{_VERBS[wish.mode]} cell {edited.address} of {os.path.basename(path)}"
    if wish.mode == "insert":
        title = f"Insert a {edited.cell_type} cell into {os.path.basename(path)} at position {edited.index}"
    badges = [Badge(edited.cell_type)]
    if edited.outputs_cleared:
        badges.append(Badge("clears its outputs", "warning"))
    notes = tuple(TextBlockView(note, tone="info") for note in edited.notes)
    new = "" if wish.mode == "delete" else wish.new_source
    blocks = _diff(path, edited.old_source, new, _language(edited.cell_type, language))
    return ToolView(title, tuple(badges), (TextBlockView(path), *blocks, *notes))


def impossible(path: str, reason: str) -> ToolView:
    """An edit that could not succeed as things are."""
    title = f"Edit {os.path.basename(path)}"
    return ToolView(title, (Badge("cannot work", "error"),), (TextBlockView(reason, tone="error"),))


def _diff(path: str, old: str | None, new: str, language: str) -> tuple[ViewBlock, ...]:
    if old is None:
        return (CodeBlockView(new, language, 1),)
    return (DiffBlockView(old, new, path, language),) if old != new else (TextBlockView("the source stays the same"),)


def _language(cell_type: str, language: str) -> str:
    return language if cell_type == "code" else "markdown"


def render_result(output: NotebookEditOutput, density: Density) -> ToolView:
    name = os.path.basename(output.notebook_path)
    title = f"{_DONE[output.edit_mode]} {output.cell_type} cell {output.cell_id} of {name}"
    badges = [Badge("changed" if output.changed else "no change", "ok")]
    if output.outputs_cleared:
        badges.append(Badge("outputs cleared", "info"))
    notes = tuple(TextBlockView(note, tone="info") for note in output.notes)
    if density == "condensed":
        return ToolView(title, tuple(badges), notes, collapsed=True)
    language = _language(output.cell_type, output.language)
    blocks = _diff(output.notebook_path, output.old_source, output.new_source, language)
    return ToolView(title, tuple(badges), (*blocks, *notes))


def extract_search_text(output: NotebookEditOutput) -> str:
    return "\n".join([output.old_source or "", output.new_source, *output.notes])
