"""Reading chosen cells: from the open document where a front end has it, else from the file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ...files.ipynb import NotebookCell, NotebookListing, list_cells
from ...files.live_document import LiveSnapshot, opened_content
from ...files.opening import content_hash, read_whole
from ...files.state import FileView
from ..read.notebook import MAX_NOTEBOOK_BYTES, with_images
from ..read.output import NotebookRead
from ..read.seen import note_shown
from .choosing import chosen

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

Outputs = Literal["all", "only", "none"]


def read_cells(path: str, cells: str, outputs: Outputs, context: ToolUseContext) -> NotebookRead:
    """The cells that are wanted (``""``: all of them). Blocks; for worker threads only.

    Raises:
        ToolValidationError: it cannot be read, is no notebook, or has no such cell.
        MaxFileReadTokenExceededError: the sources alone are too much for one result.
        LiveDocumentError: it is open with unsaved changes and cannot be reached.
    """
    live = opened_content(path, context)
    data = read_whole(path, MAX_NOTEBOOK_BYTES) if live is None else live.data
    found = content_hash(data) if live is None else live.content_hash

    def choose(addresses: Sequence[str]) -> Iterable[int]:
        return chosen(cells, addresses) if cells.strip() else range(len(addresses))

    listing = list_cells(path, data, choose)
    shown = replace(listing, cells=tuple(_cell(cell, outputs) for cell in listing.cells))
    is_own = os.path.realpath(path) == context.own_notebook()
    notes = tuple(_notes(live, is_own, outputs, listing))
    first = listing.cells[0].index + 1 if listing.cells else 1
    read = with_images(path, shown, first, notes, bool(cells.strip()), context)
    if outputs == "all":
        views = tuple(
            FileView(start, stop - start + 1, start, stop, context.tool_use_id) for start, stop in _runs(listing.cells)
        )
        note_shown(path, found, listing.total_cells, views, context)
    return read


def _cell(cell: NotebookCell, outputs: Outputs) -> NotebookCell:
    if outputs == "none":
        return replace(cell, outputs=(), hidden_outputs=0)
    return replace(cell, source="") if outputs == "only" else cell


def _notes(live: LiveSnapshot | None, is_own: bool, outputs: Outputs, listing: NotebookListing) -> Iterator[str]:
    if live is not None:
        saved = "with changes that are not saved" if live.dirty else "all of it is saved"
        yield f"shown as it is open in the front end; {saved}"
    elif is_own:
        yield "shown as it was saved last: what was written or run since then is not in it"
    numbers = [cell.index + 1 for cell in listing.cells]
    if len(numbers) < listing.total_cells:
        runs = ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in _runs(listing.cells)) or "none"
        yield f"cells {runs} of {listing.total_cells} (counted from 1)"
    if outputs == "only":
        yield "sources are not shown"
    elif outputs == "none":
        yield "outputs are not shown"


def _runs(cells: Sequence[NotebookCell]) -> list[tuple[int, int]]:
    """First and last number (from 1) of each stretch of cells that follow one another."""
    runs: list[tuple[int, int]] = []
    for number in (cell.index + 1 for cell in cells):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
