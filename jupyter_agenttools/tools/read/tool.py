"""The logic of Read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.errors import ToolValidationError
from ...core.names import READ_TOOL_NAME
from ...core.schema import StrictInput
from ...files.content import Content, open_content
from ...files.ipynb import list_notebook
from ...files.opening import content_hash, read_whole
from ...files.paths import locate
from ...files.state import FileView, file_state, is_still_shown
from ...files.window import DEFAULT_LIMIT, read_window
from . import view
from .notes import window_notes
from .output import FileUnchanged, NotebookRead, ReadOutput, TextRead
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_NOTEBOOK_BYTES = 256 << 20
"""A notebook is parsed as a whole; this is several times what Jupyter itself can open."""


class ReadInput(StrictInput):
    file_path: Annotated[str, Field(description="The file to read; absolute, or relative to the working directory")]
    offset: Annotated[int, Field(ge=0, description="Number of the first line (from 1); of a notebook, cell")] = 1
    limit: Annotated[int | None, Field(gt=0, description="How many lines to read; of a notebook, cells")] = None


async def call(input: ReadInput, context: ToolUseContext) -> ReadOutput:
    return await anyio.to_thread.run_sync(_read, input, context)


def _read(input: ReadInput, context: ToolUseContext) -> ReadOutput:
    path = locate(input.file_path, context.cwd)
    if path.lower().endswith(".ipynb"):
        return _read_notebook(path, input, context)
    return _read_text(path, input, context)


def _read_text(path: str, input: ReadInput, context: ToolUseContext) -> ReadOutput:
    offset, limit = max(input.offset, 1), input.limit or DEFAULT_LIMIT
    with open_content(path, context.cancellation) as content:
        if _was_shown(path, content.index.content_hash, offset, limit, context):
            return FileUnchanged(path)
        return _shown(content, offset, limit, context)


def _shown(content: Content, offset: int, limit: int, context: ToolUseContext) -> TextRead:
    window = read_window(content, offset, limit, context.cancellation)
    seen = FileView(offset, limit, window.first_line, window.last_line, context.tool_use_id)
    _note_view(content.path, content.index.content_hash, window.total_lines, seen, context)
    return TextRead(
        content.path,
        window.lines,
        window.first_line,
        len(window.lines),
        window.total_lines,
        content.form.name,
        window.cut,
        tuple(window_notes(window, content)),
    )


def _read_notebook(path: str, input: ReadInput, context: ToolUseContext) -> ReadOutput:
    data = read_whole(path, MAX_NOTEBOOK_BYTES)
    found, offset, limit = content_hash(data), max(input.offset, 1), input.limit
    if _was_shown(path, found, offset, limit or 0, context):
        return FileUnchanged(path)
    try:
        listing = list_notebook(path, data, offset, limit)
    except ToolValidationError as refusal:
        if refusal.check_id == "notebook-unreadable" and input.model_fields_set & {"offset", "limit"}:
            return _read_text(path, input, context)
        raise
    last = offset + len(listing.cells) - 1
    _note_view(
        path, found, listing.total_cells, FileView(offset, limit or 0, offset, last, context.tool_use_id), context
    )
    extent = _cell_extent(offset, last, listing.total_cells)
    return NotebookRead(path, listing.cells, offset, listing.total_cells, listing.language, (*extent, *listing.notes))


def _cell_extent(first: int, last: int, total: int) -> tuple[str, ...]:
    if not total:
        return ("the notebook has no cells",)
    if last < first:
        return (f"cell {first} is beyond the end: the notebook has {total} cells (counted from 1 here)",)
    if first > 1 or last < total:
        more = f"; continue with offset={last + 1}" if last < total else ", up to the end"
        return (f"cells {first}-{last} of {total} (counted from 1 here){more}",)
    return ()


def _was_shown(path: str, found: str, offset: int, limit: int, context: ToolUseContext) -> bool:
    """Whether this very part of this very content is in an earlier result that the reader still has."""
    record = file_state(context).get(path, context.agent_id)
    if record is None or record.content_hash != found:
        return False
    same = (view for view in record.views if (view.offset, view.limit) == (offset, limit))
    return any(is_still_shown(view, context.messages) for view in same)


def _note_view(path: str, found: str, total: int, seen: FileView, context: ToolUseContext) -> None:
    file_state(context).saw(path, context.agent_id, found, total, seen)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["file_path"] = locate(observed["file_path"], context.cwd)


def map_result(output: ReadOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("file_path")


read_tool = build_tool(
    name=READ_TOOL_NAME,
    aliases=("FileRead",),
    call=call,
    input_model=ReadInput,
    primary_field="file_path",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="show the content of a file or notebook",
    map_tool_result=map_result,
    max_result_size_chars=None,  # a result on disk would have to be read again, and so on without end
    interrupt_behavior=lambda: "cancel",
    rule_family="read",
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: input.file_path,
    is_read_only=True,
    is_concurrency_safe=True,
    is_search_or_read_command=True,
    user_facing_name=view.user_facing_name,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    render_grouped=view.render_grouped,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Reading {view.summary(input)}".rstrip(),
)
