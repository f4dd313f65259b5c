"""The logic of NotebookEdit: on the file, by splicing the bytes of one cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PASSTHROUGH, PermissionResult
from ...core.errors import ToolValidationError
from ...core.names import EDIT_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME, READ_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...core.views import ToolView
from ...files.encoding import encode
from ...files.guard import require_unchanged
from ...files.ipynb import CellEdit, EditedNotebook, NotebookDocument, OutputPolicy, edit_notebook, open_notebook
from ...files.locks import file_lock
from ...files.opening import content_hash, read_whole
from ...files.paths import locate
from ...files.state import file_state
from ...files.writing import safe_write
from . import view
from .permission import objection
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

_POSITIONAL = re.compile(r"cell-\d+\Z")


class NotebookEditInput(StrictInput):
    notebook_path: Annotated[str, Field(description="The notebook; absolute, or relative to the working directory")]
    cell_id: Annotated[str | None, Field(description="The cell's id, or cell-N (from 0) where it has none")] = None
    new_source: Annotated[str, Field(description="The whole new source of the cell")] = ""
    cell_type: Annotated[Literal["code", "markdown"] | None, Field(description="The kind of the cell")] = None
    edit_mode: Annotated[
        Literal["replace", "insert", "delete"] | None, Field(description="What to do; replace when left out")
    ] = "replace"

    @property
    def wish(self) -> CellEdit:
        return CellEdit(self.edit_mode or "replace", self.cell_id, self.new_source, self.cell_type)


@dataclass(frozen=True)
class NotebookEditOutput:
    """What was done.

    Args:
        notebook_path: absolute.
        cell_id: how to call the cell: its id, or ``cell-N``.
        position: of the cell, from 0.
        cell_type: of the cell, after the edit.
        language: of the notebook's code cells.
        edit_mode: what was asked.
        new_source: the source now, ``""`` for a deleted cell.
        old_source: the source before, ``None`` for a new cell.
        changed: whether any byte of the file changed.
        outputs_cleared: its outputs or execution count were taken away.
        notes: what else a reader should know.
    """

    notebook_path: str
    cell_id: str
    position: int
    cell_type: str
    language: str
    edit_mode: Literal["replace", "insert", "delete"]
    new_source: str
    old_source: str | None
    changed: bool
    outputs_cleared: bool = False
    notes: tuple[str, ...] = ()


async def validate(input: NotebookEditInput, context: ToolUseContext) -> ValidationResult:
    """Whether the edit can work. The file's content only counts where the conversation knows it already."""
    try:
        _check_input(input)
        await anyio.to_thread.run_sync(_check_file, input, context)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def _check_input(input: NotebookEditInput) -> None:
    wish, path = input.wish, input.notebook_path
    if not path.lower().endswith(".ipynb"):
        message = f"{path} is not a notebook (.ipynb); change other files with Write"
        raise ToolValidationError(message, check_id="notebook-extension")
    if wish.mode != "insert" and wish.cell_id is None:
        message = f"edit_mode={wish.mode} needs a cell_id. {READ_TOOL_NAME} {path} to see the ids of its cells"
        raise ToolValidationError(message, check_id="cell-id-missing")
    if wish.mode == "replace" and "new_source" not in input.model_fields_set:
        message = "edit_mode=replace needs new_source: the whole new source of the cell"
        raise ToolValidationError(message, check_id="new-source-missing")
    encode(input.new_source)


def _check_file(input: NotebookEditInput, context: ToolUseContext) -> None:
    path, state = locate(input.notebook_path, context.cwd), file_state(context)
    record = state.get(path, context.agent_id)
    if record is not None:
        data = read_whole(path)
        require_unchanged(path, record, content_hash(data))
        edit_notebook(open_notebook(path, data), input.wish)
    elif _POSITIONAL.match(input.cell_id or ""):
        _pin(path, context)


def _pin(path: str, context: ToolUseContext) -> None:
    """Note what the file holds while the call is judged: a position means another cell once one is added above it."""
    try:
        data = read_whole(path)
    except ToolValidationError:
        return  # told when the call runs, and only if it may
    file_state(context).pin(context.tool_use_id, content_hash(data))


async def call(input: NotebookEditInput, context: ToolUseContext) -> NotebookEditOutput:
    return await anyio.to_thread.run_sync(edit_on_disk, input, context)


def edit_on_disk(
    input: NotebookEditInput, context: ToolUseContext, policy: OutputPolicy = "clear"
) -> NotebookEditOutput:
    """Edit the file, whatever else has it open. Blocks.

    Args:
        policy: what happens to the outputs of a code cell whose source changes.

    Raises:
        ToolValidationError: the file or cell cannot be edited, or the file is not what was read or judged.
        WriteError: the system could not write it.
        InterruptedToolError: stopped before anything changed.
    """
    _check_input(input)
    path, state = locate(input.notebook_path, context.cwd), file_state(context)
    with file_lock(path):
        data = read_whole(path)
        found = content_hash(data)
        _require_judged_content(path, found, context)
        document = open_notebook(path, data)
        edited = edit_notebook(document, input.wish, policy)
        if edited.data != data:
            receipt = safe_write(path, edited.data, cancellation=context.cancellation, expected_hash=found)
            state.edited(path, context.agent_id, found, receipt.content_hash)
    return _output(path, input, document, edited)


def _require_judged_content(path: str, found: str, context: ToolUseContext) -> None:
    state = file_state(context)
    record, pinned = state.get(path, context.agent_id), state.take_pin(context.tool_use_id)
    if record is not None:
        require_unchanged(path, record, found)
    elif pinned is not None and pinned != found:
        message = (
            f"{path}: content changed since this call was judged, and a position such as cell-1 may mean another cell "
            "now. Nothing was written. Read it, then repeat the change"
        )
        raise ToolValidationError(message, check_id="content-changed")


def _output(
    path: str, input: NotebookEditInput, document: NotebookDocument, edited: EditedNotebook
) -> NotebookEditOutput:
    mode = input.wish.mode
    notes = edited.notes
    behind = document.identities[edited.index + (mode == "delete") :]
    if mode != "replace" and any(own is None for own, _ in behind):
        notes = (*notes, "the cells behind it have moved, so their cell-N names have changed")
    return NotebookEditOutput(
        path,
        edited.address,
        edited.index,
        edited.cell_type,
        document.language,
        mode,
        "" if mode == "delete" else input.new_source,
        edited.old_source,
        edited.data != document.data,
        edited.outputs_cleared,
        notes,
    )


async def check_permissions(input: NotebookEditInput, context: ToolUseContext) -> PermissionResult:
    """Ask when the cell itself says that it is not to be changed; no opinion otherwise."""
    reason = await anyio.to_thread.run_sync(_objection, input, context)
    return PermissionResult("ask", reason, check_id="cell-not-editable") if reason else PASSTHROUGH


def _objection(input: NotebookEditInput, context: ToolUseContext) -> str:
    path = locate(input.notebook_path, context.cwd)
    try:
        return objection(open_notebook(path, read_whole(path)), input.wish)
    except ToolValidationError:
        return ""  # the call itself will say what is wrong


def preview(input: NotebookEditInput, context: ToolUseContext) -> ToolView:
    """The approval card: what would change in the cell as it is now."""
    path = locate(input.notebook_path, context.cwd)
    try:
        document = open_notebook(path, read_whole(path))
        return view.change(path, input.wish, edit_notebook(document, input.wish), document.language)
    except ToolValidationError as refusal:
        return view.impossible(path, refusal.message)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["notebook_path"] = locate(observed["notebook_path"], context.cwd)


def map_result(output: NotebookEditOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("notebook_path")


notebook_edit_tool = build_tool(
    name=NOTEBOOK_EDIT_TOOL_NAME,
    call=call,
    input_model=NotebookEditInput,
    primary_field="notebook_path",
    body_field="new_source",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="change, add or delete a notebook cell",
    validate_input=validate,
    check_permissions=check_permissions,
    map_tool_result=map_result,
    rule_family="edit",
    rule_names=(EDIT_TOOL_NAME,),
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: f"{input.notebook_path} {input.cell_id or ''}: {input.new_source}",
    is_destructive=lambda input: input.edit_mode == "delete",
    preview=preview,
    user_facing_name=view.user_facing_name,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Editing {view.summary(input)}".rstrip(),
)
