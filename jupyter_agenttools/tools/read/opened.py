"""Which kind of reading fits a file? Its first bytes say so; its name only promises."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ...core.errors import ToolValidationError
from ...files.opening import OpenFile, open_regular, unreadable
from ...media.kinds import HEAD_BYTES, TAIL_BYTES, image_format, is_pdf, named_kind
from .image import read_image
from .notebook import read_notebook
from .output import ImageRead, PdfRead, ReadOutput, TextRead
from .page_ranges import parse_pages
from .pdf import read_pdf
from .text import read_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext


def read_file(path: str, offset: int | None, limit: int | None, pages: str, context: ToolUseContext) -> ReadOutput:
    """What the file at ``path`` holds.

    Args:
        offset, limit: lines of a text or cells of a notebook; ``None`` when not given.
        pages: pages of a PDF, ``""`` when not given.

    Raises:
        ToolValidationError: it cannot be read, or not in this way.
        MaxFileReadTokenExceededError: this is more than one result may hold.
        InterruptedToolError: the call was stopped.
    """
    with open_regular(path) as file:
        media = _read_media(file, pages, context)
    if media is not None:
        return _with_note(media, offset, limit)
    if pages:
        message = f"{path} is no PDF, so it has no pages; use offset and limit to read a part of it"
        raise ToolValidationError(message, check_id="read-pages-not-pdf")
    return _read_lines(path, offset, limit, context)


def _read_media(file: OpenFile, pages: str, context: ToolUseContext) -> ReadOutput | None:
    """The reading of an image or a PDF, ``None`` for everything else."""
    try:
        head = os.pread(file.descriptor, HEAD_BYTES, 0)
        tail = os.pread(file.descriptor, TAIL_BYTES, max(file.status.st_size - TAIL_BYTES, 0)) if head else b""
    except OSError as error:
        raise unreadable(file.path, error) from error
    if is_pdf(head, tail):
        return read_pdf(file, parse_pages(pages) if pages else None, context)
    kind = image_format(head)
    if kind is None:
        return None
    if pages:
        message = f"{file.path} is a {kind} image; only a PDF has pages"
        raise ToolValidationError(message, check_id="read-pages-not-pdf")
    return read_image(file, kind, context)


def _read_lines(path: str, offset: int | None, limit: int | None, context: ToolUseContext) -> ReadOutput:
    first = 1 if offset is None else offset
    if path.lower().endswith(".ipynb"):
        try:
            return read_notebook(path, first, limit, context)
        except ToolValidationError as refusal:
            if refusal.check_id != "notebook-unreadable" or (offset is None and limit is None):
                raise
    output = read_text(path, first, limit, context)
    promised = named_kind(path)
    if promised is None or not isinstance(output, TextRead):
        return output
    note = f"the name of this file promises {promised}, but it holds text"
    return replace(output, notes=(*output.notes, note)) if output.total_lines else output


def _with_note(output: ReadOutput, offset: int | None, limit: int | None) -> ReadOutput:
    """The reading with what is odd about how it was asked for, or about the file's name."""
    if not isinstance(output, (ImageRead, PdfRead)):
        return output
    found = output.image.original_format if isinstance(output, ImageRead) else "PDF"
    promised = named_kind(output.file_path)
    notes = [f"the name of this file promises {promised}, but it is {found}"] if promised not in (None, found) else []
    if (offset or 0) > 1 or limit is not None:
        unit = "pages=… to choose pages" if found == "PDF" else "nothing: an image is seen as a whole"
        notes.append(f"offset and limit count lines of text and were not used here; use {unit}")
    return replace(output, notes=(*output.notes, *notes))
