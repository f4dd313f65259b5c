"""What the model is told of NotebookEdit, and how results read to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.names import READ_TOOL_NAME

if TYPE_CHECKING:
    from .tool import NotebookEditOutput

DESCRIPTION = "Change, add or delete one cell of a Jupyter notebook (.ipynb)."

PROMPT = f"""\
- cell_id: the id that {READ_TOOL_NAME} shows for the cell. Cells without ids are called cell-N, counted from 0.
- edit_mode replace (the default) gives the cell a whole new source; insert adds a cell after the given one, or at the
  very beginning without a cell_id; delete takes it out.
- new_source is the whole source as text, not JSON. It is not needed for delete.
- cell_type is code or markdown: of a new cell (code when left out), or to turn a cell into the other kind.
- A code cell whose source changes loses its outputs, as they no longer belong to it. Everything else in the file stays
  as it is, byte for byte.
- The result names the cell and its position. Use the id from the result to insert the next cell behind a new one."""


def result_text(output: NotebookEditOutput) -> str:
    """The result as the model reads it."""
    where = f"position {output.position}, counted from 0"
    cell = f"{output.cell_type} cell {output.cell_id}"
    if not output.changed:
        text = f"Nothing changed: {cell} ({where}) has exactly this source already."
    elif output.edit_mode == "insert":
        text = f"Inserted {cell} ({where}) in {output.notebook_path}."
    elif output.edit_mode == "delete":
        text = f"Deleted {cell} ({where}) from {output.notebook_path}."
    else:
        text = f"Updated {cell} ({where}) in {output.notebook_path}."
    if output.outputs_cleared:
        text += " Its outputs were cleared."
    return "\n".join([text, *(f"[{note}]" for note in output.notes)])
