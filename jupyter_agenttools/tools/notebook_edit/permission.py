"""Does a cell say of itself that it is not to be changed?"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import ToolValidationError
from ...files.ipynb import CellEdit, EditMode, NotebookDocument
from ...files.ipynb.addressing import cell_address, find_cell

FORBIDDING: dict[EditMode, tuple[str, ...]] = {
    "replace": ("editable",),
    "delete": ("deletable",),
    "move": ("editable", "deletable"),
    "insert": (),
}
"""Which keys of a cell's metadata stand against an edit when they are false."""


def objections(document: NotebookDocument, edits: Sequence[CellEdit]) -> tuple[str, ...]:
    """What stands against these edits in the metadata of the cells themselves, one sentence for each."""
    found = (reason for edit in edits for reason in _against(document, edit))
    return tuple(dict.fromkeys(found))


def _against(document: NotebookDocument, edit: CellEdit) -> list[str]:
    keys = FORBIDDING[edit.mode]
    if not keys or edit.cell_id is None:
        return []
    try:
        index = find_cell(document, edit.cell_id).index
    except ToolValidationError:
        return []  # the edit itself will say what is wrong
    metadata = document.cell(index).get("metadata")
    if not isinstance(metadata, dict):
        return []
    name = cell_address(index, document.identities[index][0])
    return [
        f"cell {name} is marked as not {key} ({key}: false in its metadata)"
        for key in keys
        if metadata.get(key) is False
    ]
