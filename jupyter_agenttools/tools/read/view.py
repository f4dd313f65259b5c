"""How a reading looks to a person."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.views import (
    Badge,
    CodeBlockView,
    Density,
    ImageBlockView,
    ProgressBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
    ViewBlock,
)
from ...files.ipynb import CellOutput, NotebookCell
from ...files.languages import language_of
from ...media.images import ShownImage, image_words
from .output import FileUnchanged, ImageRead, NotebookRead, PdfPage, PdfRead, ReadOutput, TextRead
from .progress import ReadProgress
from .prompt import UNCHANGED
from .result import page_notes

SHOWN_LINES = 60
"""Lines of a file in a view that shows everything; the rest is in the file."""


def user_facing_name(input: Mapping[str, Any]) -> str:
    return "Read notebook" if str(input.get("file_path", "")).lower().endswith(".ipynb") else "Read"


def summary(input: Mapping[str, Any]) -> str:
    """``README.md``, or ``README.md:10-59`` for a part; works while the input is still incomplete."""
    path = os.path.basename(str(input.get("file_path", "")))
    offset, limit, pages = input.get("offset"), input.get("limit"), input.get("pages")
    if isinstance(pages, str) and pages.strip():
        return f"{path} p. {pages.strip()}"
    if isinstance(limit, int) and isinstance(offset, int):
        return f"{path}:{max(offset, 1)}-{max(offset, 1) + limit - 1}"
    if isinstance(offset, int) and offset > 1:
        return f"{path}:{offset}-"
    return f"{path}:1-{limit}" if isinstance(limit, int) else path


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    path = input.get("file_path")
    blocks = () if density == "condensed" or not path else (TextBlockView(str(path)),)
    return ToolView(f"Read {summary(input)}".rstrip(), blocks=blocks)


def render_grouped(inputs: tuple[Mapping[str, Any], ...]) -> ToolView:
    rows = tuple((str(input.get("file_path", "")), summary(input)) for input in inputs)
    return ToolView(f"Read {len(inputs)} files", blocks=(TableBlockView(("file", "part"), rows),), collapsed=True)


def render_progress(payload: ReadProgress) -> ToolView:
    label = f"{payload.done >> 20:,} of {payload.size >> 20:,} MiB looked through"
    return ToolView("Reading", blocks=(ProgressBlockView(label, payload.done, payload.size),))


def render_result(output: ReadOutput, density: Density) -> ToolView:
    name = os.path.basename(output.file_path)
    if isinstance(output, FileUnchanged):
        return ToolView(f"Read {name}", (Badge("unchanged"),), (TextBlockView(UNCHANGED),))
    badge = _extent(output)
    notes = tuple(TextBlockView(note, tone="info") for note in output.notes)
    if density == "condensed":
        return ToolView(f"Read {name}", (badge,), notes, collapsed=True)
    return ToolView(f"Read {name}", (badge,), (*_blocks(output), *notes))


def _blocks(output: TextRead | NotebookRead | ImageRead | PdfRead) -> Iterator[ViewBlock]:
    if isinstance(output, TextRead):
        yield _text(output)
    elif isinstance(output, NotebookRead):
        yield from _cells(output)
    elif isinstance(output, PdfRead):
        yield from _pages(output)
    else:
        yield from _thumbnail(output.image, os.path.basename(output.file_path))
        yield TextBlockView(f"{output.image.original_format}, {image_words(output.image)}", tone="info")


def _extent(output: TextRead | NotebookRead | ImageRead | PdfRead) -> Badge:
    if isinstance(output, ImageRead):
        return Badge(f"{output.image.original_width:,} × {output.image.original_height:,} px")
    if isinstance(output, TextRead):
        count, total, unit = output.num_lines, output.total_lines, "line"
    elif isinstance(output, NotebookRead):
        count, total, unit = len(output.cells), output.total_cells, "cell"
    else:
        count, total, unit = len(output.pages), output.total_pages, "page"
    return Badge(f"{count:,} {unit}{'' if count == 1 else 's'}" + (f" of {total:,}" if count != total else ""))


def _text(output: TextRead) -> CodeBlockView:
    shown = output.lines[:SHOWN_LINES]
    rest = len(output.lines) - len(shown)
    title = f"the first {len(shown)} of {len(output.lines):,} lines that were read" if rest else ""
    return CodeBlockView("\n".join(shown), language_of(output.file_path), output.start_line, title=title)


def _cells(output: NotebookRead) -> Iterator[ViewBlock]:
    for cell in output.cells:
        language = output.language if cell.cell_type == "code" else "markdown"
        yield CodeBlockView(cell.source, language, title=_cell_title(cell))
        for position, shown in enumerate(cell.outputs):
            yield _output(shown)
            for found in output.images:
                if (found.cell, found.output) == (cell.index, position):
                    yield from _thumbnail(found.image, f"output of {cell.address}")


def _cell_title(cell: NotebookCell) -> str:
    ran = f" [{cell.execution_count}]" if cell.execution_count is not None else ""
    return f"{cell.cell_type}{ran} {cell.address}"


def _output(output: CellOutput) -> ViewBlock:
    text = "\n".join([*([output.text] if output.text else []), *output.media])
    return CodeBlockView(text, "terminal", title=output.name or output.output_type)


def _thumbnail(image: ShownImage, alt: str, caption: str = "") -> Iterator[ViewBlock]:
    """What a person sees of an image; the model's one would be too big to be kept."""
    if image.thumbnail is not None:
        yield ImageBlockView(image.thumbnail.media_type, image.thumbnail.data, alt, caption)


def _pages(output: PdfRead) -> Iterator[ViewBlock]:
    """The pictures as one strip, then what the pages say."""
    for page in output.pages:
        if page.image is not None:
            yield from _thumbnail(page.image, _page_title(page), _page_title(page))
    for page in output.pages:
        said = [page.text.rstrip()] if page.text.strip() else []
        said += [f"[{note}]" for note in page_notes(page)]
        if said:
            yield CodeBlockView(_shortened("\n".join(said)), title=_page_title(page))


def _page_title(page: PdfPage) -> str:
    return f"page {page.number}"


def _shortened(text: str) -> str:
    lines = text.split("\n")
    rest = len(lines) - SHOWN_LINES
    return "\n".join([*lines[:SHOWN_LINES], f"… {rest:,} more lines"]) if rest > 0 else text


def extract_search_text(output: ReadOutput) -> str:
    """Exactly the texts that the verbose view shows."""
    view = render_result(output, "verbose")
    return "\n".join(block.text for block in view.blocks if isinstance(block, (CodeBlockView, TextBlockView)))
