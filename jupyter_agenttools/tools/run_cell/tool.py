"""The logic of RunCell: the page that has the notebook open runs the cells there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PASSTHROUGH, PermissionResult
from ...core.errors import ToolError, ToolValidationError
from ...core.names import RUN_CELL_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...core.views import ToolView
from ...files.ipynb import NotebookDocument
from ...files.ipynb.addressing import find_cell, source_text
from ...files.live_document import OWN_KERNEL, LiveRun, live_document
from ...files.paths import locate, require_path
from ..notebook_edit.judging import Judged, judge_path, kept_judgement
from ..read.notebook import shown_cells
from . import view
from .output import RunCellOutput
from .prompt import DESCRIPTION, PROMPT, result_blocks

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

DEFAULT_TIMEOUT_MS = 120_000
MAX_TIMEOUT_MS = 600_000
MAX_CELLS = 100


class RunCellInput(StrictInput):
    notebook_path: Annotated[str, Field(description="The notebook; absolute, or relative to the working directory")]
    cell_ids: Annotated[
        list[str],
        Field(min_length=1, max_length=MAX_CELLS, description="The ids of the cells, in the order to run them in"),
    ]
    timeout_ms: Annotated[int, Field(description="Milliseconds that all of them may take")] = DEFAULT_TIMEOUT_MS


async def validate(input: RunCellInput, context: ToolUseContext) -> ValidationResult:
    try:
        require_path(input.notebook_path)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    if not 0 < input.timeout_ms <= MAX_TIMEOUT_MS:
        message = f"`timeout_ms` is {input.timeout_ms}: give milliseconds above 0, at most {MAX_TIMEOUT_MS}"
        return ValidationResult(False, message, "run-timeout")
    if len(set(input.cell_ids)) < len(input.cell_ids):
        return ValidationResult(False, "`cell_ids` names a cell twice; run it again with another call", "run-twice")
    path = locate(input.notebook_path, context.cwd)
    document = live_document(path, context)
    if document is not None and document.waits_for_caller:
        return ValidationResult(False, OWN_KERNEL.format(path=path), "run-in-own-kernel")
    return VALID


async def call(input: RunCellInput, context: ToolUseContext) -> ToolResult[RunCellOutput]:
    path = locate(input.notebook_path, context.cwd)
    judged = kept_judgement(path, context) or await judge_path(path, context)
    sources = wanted(judged, input)
    assert judged.live is not None
    context.cancellation.check()
    run = await judged.live[0].run(sources, input.timeout_ms)
    shown = await anyio.to_thread.run_sync(_shown, path, run, context)
    is_taken = run.end in ("timeout", "stuck", "queued")
    begun = {
        *run.finished,
        *run.begun,
        *([run.last] if is_taken else []),
    }  # what was begun and did not end may have had its effects
    left = tuple(id for id in sources if id not in begun)
    output = RunCellOutput(path, run.end, run.finished, run.last, left, input.timeout_ms, shown)
    return ToolResult(output, is_error=output.is_error)


def _shown(path: str, run: LiveRun, context: ToolUseContext) -> Any:
    read = shown_cells(path, run.data, run.positions, (), context)
    return replace(read, cells=tuple(replace(cell, source="") for cell in read.cells))


def wanted(judged: Judged, input: RunCellInput) -> dict[str, str]:
    """What each of the cells says, by its real id.

    Raises:
        ToolValidationError: the notebook is not open, or there is no such cell.
    """
    if judged.live is None:
        message = (
            f"{judged.path} is not open in a front end that can run its cells: a person has to open it in JupyterLab "
            "or Notebook 7, with the extension of jupyter_agenttools. Nothing was run"
        )
        raise ToolValidationError(message, check_id="not-open")
    return dict(_cell(judged.notebook, name) for name in input.cell_ids)


def _cell(notebook: NotebookDocument, name: str) -> tuple[str, str]:
    index = find_cell(notebook, name).index
    return str(notebook.identities[index][0]), source_text(notebook.cell(index))


async def check_permissions(input: RunCellInput, context: ToolUseContext) -> PermissionResult:
    """No opinion; but what a person is asked about is looked up now, and only that is run."""
    try:
        await judge_path(locate(input.notebook_path, context.cwd), context)
    except ToolError:
        pass  # the call itself will say what is wrong
    return PASSTHROUGH


def preview(input: RunCellInput, context: ToolUseContext) -> ToolView:
    """The approval card: the code as it stands in the open document."""
    path = locate(input.notebook_path, context.cwd)
    judged = kept_judgement(path, context)
    if judged is None:
        return view.impossible(path, "the notebook cannot be read as it is open")
    try:
        return view.question(path, wanted(judged, input), judged.notebook.language)
    except ToolValidationError as refusal:
        return view.impossible(path, refusal.message)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["notebook_path"] = locate(observed["notebook_path"], context.cwd)


def map_result(output: RunCellOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_blocks(output), is_error=output.is_error)


def activity(input: Mapping[str, Any]) -> str:
    return f"Running {view.summary(input)}".rstrip()


run_cell_tool = build_tool(
    name=RUN_CELL_TOOL_NAME,
    call=call,
    input_model=RunCellInput,
    primary_field="notebook_path",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="run cells of an open notebook and see their outputs",
    validate_input=validate,
    check_permissions=check_permissions,
    map_tool_result=map_result,
    interrupt_behavior=lambda: "cancel",
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: f"{input.notebook_path}: {', '.join(input.cell_ids)}",
    preview=preview,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=activity,
)
