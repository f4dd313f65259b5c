"""The logic of NotebookRead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.names import NOTEBOOK_READ_TOOL_NAME, READ_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...files.paths import locate
from ..read import view as read_view
from ..read.output import NotebookRead
from ..read.result import result_content
from . import view
from .prompt import DESCRIPTION, PROMPT
from .reading import Outputs, read_cells

if TYPE_CHECKING:
    from ...core.context import ToolUseContext


class NotebookReadInput(StrictInput):
    notebook_path: Annotated[str | None, Field(description="The notebook; left out: the one that you work in")] = None
    cells: Annotated[str | None, Field(description="Ids, numbers from 1 and ranges, e.g. 2-5, abc123")] = None
    outputs: Annotated[Outputs, Field(description="all, only (without sources) or none")] = "all"


def _path(given: str | None, context: ToolUseContext) -> str:
    """The absolute path that is meant, ``""`` where nobody knows."""
    return locate(given, context.cwd) if given else context.own_notebook()


async def validate(input: NotebookReadInput, context: ToolUseContext) -> ValidationResult:
    if not _path(input.notebook_path, context):
        message = "it is not known which notebook this session belongs to: give notebook_path"
        return ValidationResult(False, message, "notebook-unknown")
    return VALID


async def call(input: NotebookReadInput, context: ToolUseContext) -> NotebookRead:
    path = _path(input.notebook_path, context)
    return await anyio.to_thread.run_sync(read_cells, path, input.cells or "", input.outputs, context)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["notebook_path"] = _path(observed.get("notebook_path"), context)


def map_result(output: NotebookRead, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_content(output))


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("notebook_path") or None


notebook_read_tool = build_tool(
    name=NOTEBOOK_READ_TOOL_NAME,
    call=call,
    input_model=NotebookReadInput,
    primary_field="notebook_path",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="see cells and outputs of the open notebook",
    validate_input=validate,
    map_tool_result=map_result,
    max_result_size_chars=None,  # it is cut to the room there is; on disk it would have to be read again
    interrupt_behavior=lambda: "cancel",
    rule_family="read",
    rule_names=(READ_TOOL_NAME,),
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: input.notebook_path or "",
    is_read_only=True,
    is_concurrency_safe=True,
    is_search_or_read_command=True,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=read_view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Reading {view.summary(input) or 'the notebook'}",
)
