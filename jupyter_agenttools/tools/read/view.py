"""How a reading looks to a person."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.views import Badge, CodeBlockView, Density, TableBlockView, TextBlockView, ToolView, ViewBlock
from ...files.ipynb import CellOutput, NotebookCell
from ...files.languages import language_of
from .output import FileUnchanged, NotebookRead, ReadOutput, TextRead
from .prompt import UNCHANGED

SHOWN_LINES = 60
"""Lines of a file in a view that shows everything; the rest is in the file."""


def user_facing_name(input: Mapping[str, Any]) -> str:
    return "Read notebook" if str(input.get("file_path", "")).lower().endswith(".ipynb") else "Read"


def summary(input: Mapping[str, Any]) -> str:
    """``README.md``, or ``README.md:10-59`` for a part; works while the input is still incomplete."""
    path = os.path.basename(str(input.get("file_path", "")))
    offset, limit = input.get("offset"), input.get("limit")
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


def render_result(output: ReadOutput, density: Density) -> ToolView:
    name = os.path.basename(output.file_path)
    if isinstance(output, FileUnchanged):
        return ToolView(f"Read {name}", (Badge("unchanged"),), (TextBlockView(UNCHANGED),))
    badge = _extent(output)
    notes = tuple(TextBlockView(note, tone="info") for note in output.notes)
    if density == "condensed":
        return ToolView(f"Read {name}", (badge,), notes, collapsed=True)
    blocks = (_text(output),) if isinstance(output, TextRead) else tuple(_cells(output))
    return ToolView(f"Read {name}", (badge,), (*blocks, *notes))


def _extent(output: TextRead | NotebookRead) -> Badge:
    if isinstance(output, TextRead):
        count, total, unit = output.num_lines, output.total_lines, "line"
    else:
        count, total, unit = len(output.cells), output.total_cells, "cell"
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
        for shown in cell.outputs:
            yield _output(shown)


def _cell_title(cell: NotebookCell) -> str:
    ran = f" [{cell.execution_count}]" if cell.execution_count is not None else ""
    return f"{cell.cell_type}{ran} {cell.address}"


def _output(output: CellOutput) -> ViewBlock:
    text = "\n".join([*([output.text] if output.text else []), *output.media])
    return CodeBlockView(text, "terminal", title=output.name or output.output_type)


def extract_search_text(output: ReadOutput) -> str:
    """Exactly the texts that the verbose view shows."""
    view = render_result(output, "verbose")
    return "\n".join(block.text for block in view.blocks if isinstance(block, (CodeBlockView, TextBlockView)))
