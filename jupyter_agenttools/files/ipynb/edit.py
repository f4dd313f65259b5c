"""Editing cells of a notebook's bytes; everything that was not asked to change stays as it is, byte for byte."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from ...core.context import OutputPolicy
from ...core.errors import ToolValidationError
from .addressing import Whereabouts, cell_address, find_cell
from .document import NotebookDocument, open_notebook
from .spans import spliced
from .splices import EditableType, Splice, delete_cell, insert_cell, move_cell, replace_cell

EditMode = Literal["replace", "insert", "delete", "move"]

SHIFTED = "other cells have moved, so their cell-N names have changed"
ODD_NUMBERS = "the file holds NaN or Infinity, which JSON does not have; they were left as they are"
"""Said of files that Python writes and reads, and other programs may refuse."""


@dataclass(frozen=True)
class CellEdit:
    """One wish.

    Args:
        mode: change a cell, add one, take one out, or put one elsewhere.
        cell_id: an id, ``cell-N``, or ``new-N`` for a cell that an earlier edit of the same call has added. Of an
            insertion, the cell after which it comes; ``None`` then means: at the beginning.
        new_source: the whole new source.
        cell_type: ``None`` keeps the type; a new cell is then a code cell.
        after: of a move, the cell after which the moved one comes; ``None`` means: at the beginning.
    """

    mode: EditMode = "replace"
    cell_id: str | None = None
    new_source: str = ""
    cell_type: EditableType | None = None
    after: str | None = None


@dataclass(frozen=True)
class EditedCell:
    """What came of one wish.

    Args:
        mode: what was wished.
        index: position of the cell after all edits of the call, from 0; of a deleted one the position it had.
        address: how to call the cell from now on.
        cell_type: of the cell.
        old_source: the source before, ``None`` for a new cell.
        new_source: the source now, ``""`` for a deleted one.
        changed: whether the notebook changed.
        outputs_cleared: outputs or an execution count were taken away.
        notes: what a person or model should know about it.
    """

    mode: EditMode
    index: int
    address: str
    cell_type: str
    old_source: str | None
    new_source: str
    changed: bool = True
    outputs_cleared: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class EditedNotebook:
    """A notebook after the edits of one call.

    Args:
        cells: what came of each edit, in order.
        notes: what a reader should know about the notebook as a whole.
        shifted: other cells than those have new positions and no ids: names such as cell-1 mean others now.
        document: the notebook before the last change.
        last: that change, ``None`` when nothing changed.
    """

    cells: tuple[EditedCell, ...]
    notes: tuple[str, ...]
    shifted: bool
    document: NotebookDocument
    last: Splice | None

    @cached_property
    def data(self) -> bytes:
        """All bytes of the file; only put together when they are asked for, as a large file has many."""
        return self.document.data if self.last is None else _joined(self.document, self.last)


def _joined(document: NotebookDocument, splice: Splice) -> bytes:
    return spliced(document.data, splice.span, splice.new)


def edit_notebook(
    document: NotebookDocument, edits: Sequence[CellEdit], policy: OutputPolicy = "clear"
) -> EditedNotebook:
    """The notebook after all ``edits``, made one after the other. Nothing is written.

    Args:
        policy: what happens to the outputs of a code cell whose source changes.

    Raises:
        ToolValidationError: no such cell, a cell that cannot be edited, or the result would not be valid although
            the cell is. Says which edit it was.
    """
    places, names = Whereabouts(len(document.cells)), [own for own, _ in document.identities]
    done: list[tuple[EditedCell, int | str]] = []
    last: Splice | None = None
    for number, edit in enumerate(edits, 1):
        if last is not None:
            document, last = open_notebook(document.path, _joined(document, last)), None
        try:
            step = _step(document, edit, places, policy)
        except ToolValidationError as refusal:
            raise _numbered(refusal, number, len(edits)) from refusal
        cell = _edited(document, edit, step)
        done.append((cell, _follow(places, edit, step)))
        last = step.splice if cell.changed else None
    cells = tuple(_settled(cell, mark, places, names) for cell, mark in done)
    shifted = _has_shifted(places, names, {mark for _, mark in done})
    odd = document.has_odd_numbers and any(cell.changed for cell in cells)
    notes = (*((SHIFTED,) if shifted else ()), *((ODD_NUMBERS,) if odd else ()))
    return EditedNotebook(cells, notes, shifted, document, last)


class _Step(NamedTuple):
    """One edit, worked out.

    Attributes:
        splice: the change of bytes.
        before: where the cell was, ``None`` for a new one.
        note: about how the cell was found, or ``""``.
    """

    splice: Splice
    before: int | None
    note: str


def _numbered(refusal: ToolValidationError, number: int, count: int) -> ToolValidationError:
    if count == 1:
        return refusal
    message = f"edit {number} of {count}: {refusal.message}. None of the {count} edits was made"
    return ToolValidationError(message, check_id=refusal.check_id)


def _step(document: NotebookDocument, edit: CellEdit, places: Whereabouts, policy: OutputPolicy) -> _Step:
    if edit.mode == "insert":
        index, note = _place_after(document, edit.cell_id, places)
        if edit.cell_id is None:
            note = "no cell_id was given, so the cell is the first one now"
        return _Step(insert_cell(document, index, edit.new_source, edit.cell_type or "code"), None, note)
    index, note = find_cell(document, _required_id(document, edit), places)
    if edit.mode == "delete":
        return _Step(delete_cell(document, index), index, note)
    if edit.mode == "replace":
        return _Step(replace_cell(document, index, edit.new_source, edit.cell_type, policy), index, note)
    behind, other_note = _place_after(document, edit.after, places)
    new_index = behind - 1 if behind > index else behind
    return _Step(move_cell(document, index, new_index), index, note or other_note)


def _place_after(document: NotebookDocument, address: str | None, places: Whereabouts) -> tuple[int, str]:
    if address is None:
        return 0, ""
    index, note = find_cell(document, address, places)
    return index + 1, note


def _required_id(document: NotebookDocument, edit: CellEdit) -> str:
    if edit.cell_id is None:
        message = f"edit_mode={edit.mode} needs a cell_id. Read {document.path} to see the ids of its cells"
        raise ToolValidationError(message, check_id="cell-id-missing")
    return edit.cell_id


def _edited(document: NotebookDocument, edit: CellEdit, step: _Step) -> EditedCell:
    splice = step.splice
    own = splice.cell_id if step.before is None else document.identities[step.before][0]
    return EditedCell(
        edit.mode,
        splice.index,
        own or "",
        splice.cell_type,
        splice.old_source,
        splice.new_source,
        document.data[splice.span.start : splice.span.end] != splice.new,
        splice.outputs_cleared,
        tuple(filter(None, (*splice.notes, step.note))),
    )


def _follow(places: Whereabouts, edit: CellEdit, step: _Step) -> int | str:
    """Keep track of where the cells are; returns the mark of the edited one."""
    index = step.splice.index
    if step.before is None:
        places.insert(index)
    elif edit.mode == "move":
        places.move(step.before, index)
    mark = places.mark(index)
    if edit.mode == "delete":
        places.delete(index)
    return mark


def _settled(cell: EditedCell, mark: int | str, places: Whereabouts, names: Sequence[str | None]) -> EditedCell:
    """The same with the position that the cell has in the end, and the name by which it alone can be called."""
    found = places.find(mark)
    index = cell.index if found is None else found
    is_shared = found is not None and sum(names[first] == cell.address for first in places.remaining()) > 1
    return replace(cell, index=index, address=cell_address(index, None if is_shared else cell.address))


def _has_shifted(places: Whereabouts, names: Sequence[str | None], told: Collection[int | str]) -> bool:
    """Whether names by position mean other cells now, beside those that the result tells of."""
    return any(names[before] is None for before in places.shifted() if before not in told)


__all__ = ["CellEdit", "EditMode", "EditableType", "EditedCell", "EditedNotebook", "OutputPolicy", "edit_notebook"]
