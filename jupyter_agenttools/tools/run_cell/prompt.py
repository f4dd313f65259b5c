"""What the model is told of RunCell, and how results read to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.blocks import ImageBlock, TextBlock
from ...core.names import NOTEBOOK_EDIT_TOOL_NAME, READ_TOOL_NAME
from ..read.result import result_content

if TYPE_CHECKING:
    from .output import RunCellOutput

DESCRIPTION = "Run cells of a notebook that is open in JupyterLab or Notebook, and see their outputs."

PROMPT = f"""\
- Works only on a notebook that a person has open; its own kernel runs the cells, as if they had run them there.
- cell_ids: the ids that {READ_TOOL_NAME} and {NOTEBOOK_EDIT_TOOL_NAME} show, in the order in which to run them. At the
  first cell that fails the others are left out.
- The result holds the outputs of the cells, errors and images too.
- timeout_ms is for all of them (120000 unless given, 600000 at most). What runs longer is interrupted; the result says
  whether a cell took too long or the kernel was busy with something else, which is left alone.
- Cells of the notebook in which you yourself are running cannot be run while its cell waits for you."""


def result_blocks(output: RunCellOutput) -> str | tuple[TextBlock | ImageBlock, ...]:
    """The result as the model reads it."""
    if not output.shown.cells:
        return output.words
    content = result_content(output.shown)
    if isinstance(content, str):
        return f"{output.words}\n{content}"
    return (TextBlock(output.words), *content)
