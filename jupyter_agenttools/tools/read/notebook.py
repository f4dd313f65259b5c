"""Reading the cells of a notebook, with the images among their outputs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...core.rough_tokens import rough_tokens
from ...files.budget import max_read_tokens
from ...files.ipynb import CellOutput, NotebookCell, NotebookListing, OutputImage, list_notebook
from ...files.live_document import LiveSnapshot, opened_content
from ...files.opening import content_hash, read_whole
from ...files.state import FileView
from ...media.images import ShownImage, image_words, show_image
from ...media.process import MediaProblem, MediaProcess
from .image_room import SharedRoom, shared_room
from .output import FileUnchanged, NotebookImage, NotebookRead
from .result import result_text
from .seen import note_shown, was_shown

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_NOTEBOOK_BYTES = 256 << 20
"""A notebook is parsed as a whole; this is several times what Jupyter itself can open."""

MAX_IMAGES = 10
"""Images of one result."""

MAX_LONE_IMAGES = 30
"""The same when one cell is asked for: there is no other way to see the rest of them."""

MIN_PIXELS = 200_000
"""Of an image among outputs: about 520 × 390, a small plot."""


def read_notebook(path: str, offset: int, limit: int | None, context: ToolUseContext) -> NotebookRead | FileUnchanged:
    """Up to ``limit`` cells of the notebook at ``path``, from cell ``offset`` (from 1) on.

    Raises:
        ToolValidationError: it cannot be read, or is no notebook (``notebook-unreadable``).
        MaxFileReadTokenExceededError: the sources alone are too much for one result.
        InterruptedToolError: the call was stopped.
    """
    live = opened_content(path, context)
    data = read_whole(path, MAX_NOTEBOOK_BYTES) if live is None else live.data
    found, offset = content_hash(data) if live is None else live.content_hash, max(offset, 1)
    if was_shown(path, found, (FileView(offset, limit or 0, 0, 0, ""),), context):
        return FileUnchanged(path)
    listing = list_notebook(path, data, offset, limit)
    del data
    last, total = offset + len(listing.cells) - 1, listing.total_cells
    is_part = offset > 1 or limit is not None
    notes = (*_extent(offset, last, total), *_about_open(live))
    output = with_images(path, listing, offset, notes, is_part, context)
    note_shown(path, found, total, (FileView(offset, limit or 0, offset, last, context.tool_use_id),), context)
    return output


def shown_cells(
    path: str, data: bytes, positions: Sequence[int], notes: Sequence[str], context: ToolUseContext
) -> NotebookRead:
    """Cells that are given as a notebook of their own, with the images among their outputs. Blocks.

    Args:
        positions: where they are in the notebook at ``path``, from 0.
    """
    listing = list_notebook(path, data)
    cells = tuple(replace(cell, index=index) for cell, index in zip(listing.cells, positions, strict=True))
    return with_images(path, replace(listing, cells=cells), 1, tuple(notes), True, context)


def _about_open(live: LiveSnapshot | None) -> tuple[str, ...]:
    if live is None:
        return ()
    return (f"shown as it is open in the front end{', with changes that are not saved' if live.dirty else ''}",)


def _extent(first: int, last: int, total: int) -> tuple[str, ...]:
    if not total:
        return ("the notebook has no cells",)
    if last < first:
        cells = f"{total} cell{'' if total == 1 else 's'}"
        return (f"cell {first} is beyond the end: the notebook has {cells} (counted from 1 here)",)
    if first > 1 or last < total:
        more = f"; continue with offset={last + 1}" if last < total else ", up to the end"
        return (f"cells {first}-{last} of {total} (counted from 1 here){more}",)
    return ()


class _Place(NamedTuple):
    """Where an image stands: positions of its cell in the notebook, of its output, and of its line there."""

    cell: int
    output: int
    line: int


def with_images(
    path: str, listing: NotebookListing, offset: int, extent: tuple[str, ...], is_part: bool, context: ToolUseContext
) -> NotebookRead:
    """The reading with as many of the images as fit, and with a line for each of the others. Blocks.

    Args:
        offset: number of the first cell, from 1. extent: notes before those of the listing.
        is_part: somebody asked for these cells and not for the whole notebook.
    """
    found = {
        _Place(cell.index, number, image.line): image
        for cell in listing.cells
        for number, output in enumerate(cell.outputs)
        for image in output.images
    }
    read = NotebookRead(path, listing.cells, offset, listing.total_cells, listing.language, (*extent, *listing.notes))
    room = _room(read, len(found), is_part, context)
    places = list(found)[: room.count]
    images, words = _shown(places, found, room, context) if places else ({}, {})
    cells = tuple(_told(cell, words) for cell in listing.cells)
    left_out = (_left_out(list(found)[room.count :], len(cells)),) if len(found) > room.count else ()
    return replace(
        read,
        cells=cells,
        images=tuple(NotebookImage(*place, image) for place, image in images.items()),
        notes=(*read.notes, *left_out),
    )


def _room(read: NotebookRead, count: int, is_part: bool, context: ToolUseContext) -> SharedRoom:
    """How many images are shown: all of a few; of many none when the whole notebook is listed, else the first ones."""
    most = MAX_LONE_IMAGES if len(read.cells) == 1 else MAX_IMAGES
    if not count or (count > most and not is_part):
        return shared_room(0, 0, MIN_PIXELS)
    tokens = max_read_tokens(context.options.env) - rough_tokens(result_text(read))
    return shared_room(min(count, most), tokens, MIN_PIXELS)


def _shown(
    places: Sequence[_Place], found: dict[_Place, OutputImage], room: SharedRoom, context: ToolUseContext
) -> tuple[dict[_Place, ShownImage], dict[_Place, str]]:
    """The images, and what is to be said of each: how it was made, or why it is not shown."""
    images: dict[_Place, ShownImage] = {}
    words: dict[_Place, str] = {}
    with MediaProcess(context.cancellation) as process:
        for position, place in enumerate(places):
            try:
                raw = base64.b64decode("".join(found[place].data.split()), validate=True)
                images[place] = show_image(process, raw, room.of(position))
                words[place] = f"{images[place].original_format}, {image_words(images[place])}"
            except (binascii.Error, ValueError):
                words[place] = "not shown: its data is not base64"
            except MediaProblem as problem:
                words[place] = f"not shown: {problem.message}"
    return images, words


def _told(cell: NotebookCell, words: dict[_Place, str]) -> NotebookCell:
    outputs = tuple(_told_output(cell.index, number, output, words) for number, output in enumerate(cell.outputs))
    return replace(cell, outputs=outputs)


def _told_output(cell: int, number: int, output: CellOutput, words: dict[_Place, str]) -> CellOutput:
    """The output with what is to be said of its images, and without their raw data."""
    if not output.images:
        return output
    about = [words.get(_Place(cell, number, line)) for line in range(len(output.media))]
    media = tuple(f"{line}: {said}" if said else line for line, said in zip(output.media, about, strict=True))
    return replace(output, media=media, images=())


def _left_out(places: Sequence[_Place], cells: int) -> str:
    count = f"{len(places)} image{'' if len(places) == 1 else 's'} of the outputs"
    if cells == 1:
        return f"{count} are only named: one result has no room for more images"
    offset = places[0].cell + 1
    return f"{count} are only named; to see those of a cell read it alone, e.g. offset={offset}, limit=1"
