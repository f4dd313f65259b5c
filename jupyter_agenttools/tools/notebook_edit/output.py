"""What NotebookEdit has done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...files.ipynb import EditedCell, EditMode

Place = Literal["file", "open document"]


@dataclass(frozen=True)
class NotebookEditOutput:
    """What was done. The fields from ``cell_id`` to ``outputs_cleared`` speak of the last edit.

    Args:
        notebook_path: absolute.
        cell_id: how to call the cell: its id, or ``cell-N``.
        position: of the cell, from 0.
        cell_type: of the cell, after the edit.
        language: of the notebook's code cells.
        edit_mode: what was asked.
        new_source: the source now, ``""`` for a deleted cell.
        old_source: the source before, ``None`` for a new cell.
        changed: whether anything changed at all.
        outputs_cleared: its outputs or execution count were taken away.
        notes: what else a reader should know.
        edits: every edit of the call, in order.
        place: what was changed.
    """

    notebook_path: str
    cell_id: str
    position: int
    cell_type: str
    language: str
    edit_mode: EditMode
    new_source: str
    old_source: str | None
    changed: bool
    outputs_cleared: bool
    notes: tuple[str, ...]
    edits: tuple[EditedCell, ...]
    place: Place = "file"


def output_of(
    path: str, language: str, cells: Sequence[EditedCell], changed: bool, notes: Sequence[str], place: Place
) -> NotebookEditOutput:
    """The output for these edits; the notes of a single one are among those of the call."""
    last = cells[-1]
    own = last.notes if len(cells) == 1 else ()
    return NotebookEditOutput(
        path,
        last.address,
        last.index,
        last.cell_type,
        language,
        last.mode,
        last.new_source,
        last.old_source,
        changed,
        last.outputs_cleared,
        (*own, *notes),
        tuple(cells),
        place,
    )
