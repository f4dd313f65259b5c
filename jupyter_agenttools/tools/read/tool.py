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
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...files.paths import locate
from . import view
from .opened import read_file
from .output import ReadOutput
from .page_ranges import FORMS, MAX_PAGES, parse_pages
from .prompt import DESCRIPTION, PROMPT
from .result import result_content

if TYPE_CHECKING:
    from ...core.context import ToolUseContext


class ReadInput(StrictInput):
    file_path: Annotated[str, Field(description="The file to read; absolute, or relative to the working directory")]
    offset: Annotated[int | None, Field(ge=0, description="Number of the first line (from 1); of a notebook, cell")] = (
        None
    )
    limit: Annotated[int | None, Field(gt=0, description="How many lines to read; of a notebook, cells")] = None
    pages: Annotated[str | None, Field(description=f"Of a PDF: the pages to read, at most {MAX_PAGES}; {FORMS}")] = None


async def call(input: ReadInput, context: ToolUseContext) -> ReadOutput:
    return await anyio.to_thread.run_sync(_read, input, context)


def _read(input: ReadInput, context: ToolUseContext) -> ReadOutput:
    return read_file(
        locate(input.file_path, context.cwd),
        input.offset,
        input.limit,
        (input.pages or "").strip(),
        context,
    )


async def validate_input(input: ReadInput, context: ToolUseContext) -> ValidationResult:
    try:
        if (input.pages or "").strip():
            parse_pages(input.pages or "")
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["file_path"] = locate(observed["file_path"], context.cwd)


def map_result(output: ReadOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_content(output))


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
    search_hint="show the content of a file, notebook, image or PDF",
    validate_input=validate_input,
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
    render_progress=view.render_progress,
    render_result=view.render_result,
    render_grouped=view.render_grouped,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Reading {view.summary(input)}".rstrip(),
)
