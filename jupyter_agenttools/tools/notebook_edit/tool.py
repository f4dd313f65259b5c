"""The logic of NotebookEdit: in the open document where there is one, else in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PASSTHROUGH, PermissionResult
from ...core.errors import ToolError, ToolValidationError
from ...core.names import EDIT_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.views import ToolView
from ...files.guard import require_unchanged
from ...files.ipynb import edit_notebook
from ...files.live_document import live_document
from ...files.paths import locate
from ...files.state import file_state
from . import view
from .file_edit import edit_on_disk
from .input import NotebookEditInput, check_input
from .judging import Judged, judge, judge_file, kept_judgement, require_judged
from .live_edit import edit_live, require_live_unchanged
from .output import NotebookEditOutput
from .permission import objections
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

CLEAN_BUT_SILENT = (
    "the notebook is open in a front end that does not answer; nothing was unsaved there, so the file was changed: "
    "reload it there"
)


async def validate(input: NotebookEditInput, context: ToolUseContext) -> ValidationResult:
    """Whether the edit can work. What the notebook holds only counts where the conversation knows it already."""
    try:
        check_input(input)
        await _check_notebook(input, context)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


async def _check_notebook(input: NotebookEditInput, context: ToolUseContext) -> None:
    path = locate(input.notebook_path, context.cwd)
    is_known = file_state(context).get(path, context.agent_id) is not None
    try:
        judged = await judge(input, context)
        if is_known:
            await anyio.to_thread.run_sync(_check_known, judged, input, context)
    except ToolError:
        if is_known:
            raise
        # told when the call runs, and only if it may


def _check_known(judged: Judged, input: NotebookEditInput, context: ToolUseContext) -> None:
    record = file_state(context).get(judged.path, context.agent_id)
    if judged.live is not None:
        require_live_unchanged(judged, context)
    elif record is not None:
        require_unchanged(judged.path, record, judged.content_hash)
    edit_notebook(judged.notebook, input.wishes)


async def call(input: NotebookEditInput, context: ToolUseContext) -> NotebookEditOutput:
    check_input(input)
    path = locate(input.notebook_path, context.cwd)
    if live_document(path, context) is None:
        return await anyio.to_thread.run_sync(edit_on_disk, input, context)
    kept = judged = kept_judgement(path, context)
    if judged is None or judged.live is None:
        judged = await judge(input, context)
    if judged.live is not None:
        if kept is not None and kept is not judged:  # it was opened meanwhile
            await anyio.to_thread.run_sync(require_judged, kept, judged, input.wishes)
        return await edit_live(judged, input, context)
    return await anyio.to_thread.run_sync(edit_on_disk, input, context, None, (CLEAN_BUT_SILENT,))


async def check_permissions(input: NotebookEditInput, context: ToolUseContext) -> PermissionResult:
    """Ask when a cell itself says that it is not to be changed; no opinion otherwise."""
    try:
        judged = await judge(input, context)
        found = await anyio.to_thread.run_sync(objections, judged.notebook, input.wishes)
    except ToolError:
        return PASSTHROUGH  # the call itself will say what is wrong
    if not found:
        return PASSTHROUGH
    return PermissionResult("ask", "; ".join(found), check_id="cell-not-editable", only_person=True)


def preview(input: NotebookEditInput, context: ToolUseContext) -> ToolView:
    """The approval card: what would change in the cells as they are now."""
    path = locate(input.notebook_path, context.cwd)
    try:
        kept = kept_judgement(path, context)
        judged = kept if kept is not None and kept.live is not None else judge_file(path, context)
        edited = edit_notebook(judged.notebook, input.wishes, context.options.notebook_outputs)
        marks = objections(judged.notebook, input.wishes)
        return view.change(path, edited, judged.notebook.language, marks, is_live=judged.live is not None)
    except ToolValidationError as refusal:
        return view.impossible(path, refusal.message)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["notebook_path"] = locate(observed["notebook_path"], context.cwd)


def map_result(output: NotebookEditOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("notebook_path")


def classified(input: NotebookEditInput) -> str:
    parts = (f"{p.edit_mode or 'replace'} {p.cell_id or ''}: {p.new_source}" for p in input.parts)
    return "\n".join([input.notebook_path, *parts])


notebook_edit_tool = build_tool(
    name=NOTEBOOK_EDIT_TOOL_NAME,
    call=call,
    input_model=NotebookEditInput,
    primary_field="notebook_path",
    body_field="new_source",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="change, add, move or delete notebook cells",
    validate_input=validate,
    check_permissions=check_permissions,
    map_tool_result=map_result,
    rule_family="edit",
    rule_names=(EDIT_TOOL_NAME,),
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=classified,
    is_destructive=lambda input: any(part.edit_mode == "delete" for part in input.parts),
    preview=preview,
    user_facing_name=view.user_facing_name,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Editing {view.summary(input)}".rstrip(),
)
