"""Reading lines of a text file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...files.budget import Reading, max_read_tokens, require_fitting
from ...files.content import Content, open_content
from ...files.state import FileView
from ...files.window import DEFAULT_LIMIT, read_window
from .counting import token_counter
from .notes import window_notes
from .output import FileUnchanged, ReadOutput, TextRead
from .progress import Reports
from .result import result_text
from .seen import note_shown, was_shown

if TYPE_CHECKING:
    from ...core.context import ToolUseContext


def read_text(path: str, offset: int, limit: int | None, context: ToolUseContext) -> ReadOutput:
    """Up to ``limit`` lines of the text file at ``path``, from line ``offset`` (from 1) on.

    Raises:
        ToolValidationError: as :func:`.open_content`.
        MaxFileReadTokenExceededError: these lines are more than one result may hold.
        InterruptedToolError: the call was stopped.
    """
    offset, limit, max_tokens = max(offset, 1), limit or DEFAULT_LIMIT, max_read_tokens(context.options.env)
    with open_content(path, context.cancellation, Reports(context)) as content:
        found = content.index.hash
        if was_shown(path, found, (FileView(offset, limit, 0, 0, ""),), context):
            return FileUnchanged(path)
        output = _read(content, offset, limit, max_tokens, context)
    _require_fitting(output, max_tokens, context)
    seen = FileView(offset, limit, offset, offset + output.num_lines - 1, context.tool_use_id)
    note_shown(path, found, output.total_lines, (seen,), context)
    return output


def _read(content: Content, offset: int, limit: int, max_tokens: int, context: ToolUseContext) -> TextRead:
    window = read_window(content, offset, limit, context.cancellation, max_tokens)
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


def _require_fitting(output: TextRead, max_tokens: int, context: ToolUseContext) -> None:
    first = output.start_line
    reading = Reading(
        output.file_path,
        f"lines {first}-{first + output.num_lines - 1}",
        "lines",
        first,
        output.lines,
        lambda count: result_text(replace(output, lines=output.lines[:count])),
    )
    require_fitting(reading, max_tokens, token_counter(context))
