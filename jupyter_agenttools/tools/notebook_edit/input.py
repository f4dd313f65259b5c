"""What NotebookEdit is asked for: one edit in the public fields, or several in ``edits``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ...core.errors import ToolValidationError
from ...core.names import EDIT_TOOL_NAME, READ_TOOL_NAME, WRITE_TOOL_NAME
from ...core.schema import StrictInput
from ...files.encoding import encode
from ...files.ipynb import CellEdit
from ...files.paths import require_path
from ...files.telling import shortened

MAX_EDITS = 200

CellId = Annotated[
    str | None,
    Field(description="The cell's id, or cell-N (from 0) where it has none; of an insertion, the cell to insert after"),
]
NewSource = Annotated[str, Field(description="The whole new source of the cell")]
CellType = Annotated[Literal["code", "markdown"] | None, Field(description="The kind of the cell")]
Mode = Annotated[
    Literal["replace", "insert", "delete", "move"] | None, Field(description="What to do; replace when left out")
]
After = Annotated[
    str | None, Field(description="Only for move: the cell to put it after; left out, it becomes the first one")
]


class OneCellEdit(StrictInput):
    cell_id: CellId = None
    new_source: NewSource = ""
    cell_type: CellType = None
    edit_mode: Mode = "replace"
    after_cell_id: After = None


class NotebookEditInput(StrictInput):
    notebook_path: Annotated[str, Field(description="The notebook; absolute, or relative to the working directory")]
    cell_id: CellId = None
    new_source: NewSource = ""
    cell_type: CellType = None
    edit_mode: Mode = "replace"
    after_cell_id: After = None
    edits: Annotated[
        list[OneCellEdit] | None,
        Field(
            min_length=1,
            max_length=MAX_EDITS,
            description="Several edits, made in this order, all or none; the other fields are then left out",
        ),
    ] = None

    @property
    def parts(self) -> Sequence[OneCellEdit | NotebookEditInput]:
        """The single edits."""
        return (self,) if self.edits is None else self.edits

    @property
    def wishes(self) -> tuple[CellEdit, ...]:
        return tuple(_wish(part) for part in self.parts)


def _wish(part: OneCellEdit | NotebookEditInput) -> CellEdit:
    return CellEdit(part.edit_mode or "replace", part.cell_id, part.new_source, part.cell_type, part.after_cell_id)


def check_input(input: NotebookEditInput) -> None:
    """Do nothing when the fields go together.

    Raises:
        ToolValidationError: they do not; says which and what is wanted.
    """
    require_path(input.notebook_path)
    if not input.notebook_path.lower().endswith(".ipynb"):
        message = (
            f"{shortened(input.notebook_path)} is not a notebook (.ipynb); change other files with {EDIT_TOOL_NAME} or "
            f"{WRITE_TOOL_NAME}"
        )
        raise ToolValidationError(message, check_id="notebook-extension")
    own = (input.cell_id, input.new_source, input.cell_type, input.after_cell_id, input.edit_mode)
    if input.edits is not None and own not in ((None, "", None, None, None), (None, "", None, None, "replace")):
        message = "give either `edits` or the fields of one edit (cell_id, new_source, cell_type, edit_mode), not both"
        raise ToolValidationError(message, check_id="edits-and-fields")
    for number, part in enumerate(input.parts, 1):
        where = f"edit {number} of {len(input.parts)}: " if len(input.parts) > 1 else ""
        _check_part(part, input.notebook_path, where)


def _check_part(part: OneCellEdit | NotebookEditInput, path: str, where: str) -> None:
    wish = _wish(part)
    if wish.mode != "insert" and wish.cell_id is None:
        message = f"{where}edit_mode={wish.mode} needs a cell_id. {READ_TOOL_NAME} {path} to see the ids of its cells"
        raise ToolValidationError(message, check_id="cell-id-missing")
    if wish.mode == "replace" and "new_source" not in part.model_fields_set:
        message = f"{where}edit_mode=replace needs new_source: the whole new source of the cell"
        raise ToolValidationError(message, check_id="new-source-missing")
    if wish.mode == "move" and (wish.new_source or wish.cell_type is not None):
        message = f"{where}edit_mode=move leaves the cell as it is: give no new_source and no cell_type"
        raise ToolValidationError(message, check_id="move-with-source")
    if wish.mode != "move" and wish.after is not None:
        message = f"{where}after_cell_id is only for edit_mode=move; an insertion comes after its cell_id"
        raise ToolValidationError(message, check_id="after-without-move")
    encode(wish.new_source)
