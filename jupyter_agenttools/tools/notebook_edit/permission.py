"""Does a cell say of itself that it is not to be changed?"""

from __future__ import annotations

from ...core.errors import ToolValidationError
from ...files.ipynb import CellEdit, NotebookDocument
from ...files.ipynb.addressing import cell_address, find_cell


def objection(document: NotebookDocument, edit: CellEdit) -> str:
    """What stands against this edit in the cell's own metadata (``editable``, ``deletable``); ``""`` for nothing."""
    if edit.mode == "insert" or edit.cell_id is None:
        return ""
    try:
        index = find_cell(document, edit.cell_id)
    except ToolValidationError:
        return ""
    metadata = document.cell(index).get("metadata")
    if not isinstance(metadata, dict):
        return ""
    key = "deletable" if edit.mode == "delete" else "editable"
    if metadata.get(key) is not False:
        return ""
    name = cell_address(index, document.identities[index][0])
    return f"cell {name} is marked as not {key} ({key}: false in its metadata)"
