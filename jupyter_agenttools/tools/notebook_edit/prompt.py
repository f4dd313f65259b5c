"""What the model is told of NotebookEdit, and how results read to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.names import READ_TOOL_NAME
from ...files.ipynb import EditedCell

if TYPE_CHECKING:
    from .output import NotebookEditOutput

DESCRIPTION = "Change, add, move or delete cells of a Jupyter notebook (.ipynb)."

PROMPT = f"""\
- cell_id: the id that {READ_TOOL_NAME} shows for the cell. Cells without ids are called cell-N, counted from 0.
- edit_mode replace (the default) gives the cell a whole new source; insert adds a cell after the given one, or at the
  very beginning without a cell_id; delete takes it out; move puts it, unchanged and with its outputs, after the cell
  after_cell_id, or at the very beginning without one.
- new_source is the whole source as text, not JSON. It is not needed for delete and move.
- cell_type is code or markdown: of a new cell (code when left out), or to turn a cell into the other kind.
- edits: several edits of one notebook at once, in order, all or none. In it cell-N counts the cells as they were
  before the first edit, and new-1, new-2 … are the cells that earlier edits of the list have inserted.
- A code cell whose source changes loses its outputs, as they no longer belong to it (unless the settings keep them).
  Everything else in the file stays as it is, byte for byte.
- The result names the cell and its position. Use the id from the result to insert the next cell behind a new one."""

_DONE = {"insert": "Inserted", "delete": "Deleted", "replace": "Updated", "move": "Moved"}


def result_text(output: NotebookEditOutput) -> str:
    """The result as the model reads it."""
    if len(output.edits) > 1:
        lines = [f"{len(output.edits)} edits in {output.notebook_path}:"]
        lines += [f"- {_sentence(cell)}{''.join(f' [{note}]' for note in cell.notes)}" for cell in output.edits]
    else:
        lines = [_sentence(output.edits[0], output.notebook_path)]
    return "\n".join([*lines, *(f"[{note}]" for note in output.notes)])


def _sentence(cell: EditedCell, path: str = "") -> str:
    where = f"position {cell.index}, counted from 0"
    name = f"{cell.cell_type} cell {cell.address}"
    if not cell.changed:
        state = "is there already" if cell.mode == "move" else "has exactly this source already"
        return f"Nothing changed: {name} ({where}) {state}."
    link = {"delete": "from", "insert": "in", "replace": "in", "move": "in"}[cell.mode]
    text = f"{_DONE[cell.mode]} {name} ({where}){f' {link} {path}' if path else ''}."
    return f"{text} Its outputs were cleared." if cell.outputs_cleared else text
