"""The logic of Edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.errors import ToolValidationError
from ...core.names import EDIT_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...core.views import ToolView
from ...files.change import change_file
from ...files.encoding import decode_exactly, detect_format
from ...files.feeds import Feeds
from ...files.locks import file_lock
from ...files.network_path import is_network_path, target_path
from ...files.patch import Hunk
from ...files.state import file_state
from ...files.stretches import changed_stretches
from ...permissions import may_look
from . import view
from .output import EditOutput
from .plan import EditPlan, check_words, plan_edit
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_KEPT_CHARS = 1_000_000
"""An old content longer than this is not kept in the output, and no more than this of the changed lines."""

MAX_KEPT_PARTS = 200
"""Changed parts that are kept in the output."""


class EditInput(StrictInput):
    file_path: Annotated[str, Field(description="The file to change; absolute, or relative to the working directory")]
    old_string: Annotated[str, Field(description="The text to replace, exactly as it is in the file")]
    new_string: Annotated[str, Field(description="The text to put in its place")]
    replace_all: Annotated[bool, Field(description="Replace every place instead of the only one")] = False


async def validate(input: EditInput, context: ToolUseContext) -> ValidationResult:
    """Whether the edit can work, so that nobody is asked to approve one that cannot.

    What may not be read without asking is not looked at before somebody allowed the call: a refusal would tell of it.
    Nor is a path that is spelled as the address of a network share.
    """
    try:
        check_words(input)
        await anyio.to_thread.run_sync(_validate, input, context)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def _validate(input: EditInput, context: ToolUseContext) -> None:
    if is_network_path(input.file_path):
        return
    path = target_path(input.file_path, context.cwd)
    is_known = file_state(context).get(path, context.agent_id) is not None
    if is_known or may_look(context.permission, path, cwd=context.cwd):
        plan_edit(input, context)


async def call(input: EditInput, context: ToolUseContext) -> EditOutput:
    return await anyio.to_thread.run_sync(_edit, input, context)


def _edit(input: EditInput, context: ToolUseContext) -> EditOutput:
    check_words(input)
    with file_lock(target_path(input.file_path, context.cwd)):
        plan = plan_edit(input, context)
        present, state = plan.present, file_state(context)
        receipt = change_file(plan.path, plan.result.data, present.data if present is not None else None, context)
        if present is not None and input.old_string:
            state.edited(plan.path, context.agent_id, present.content_hash, receipt.content_hash, plan.shifts)
        else:
            state.wrote(plan.path, context.agent_id, receipt.content_hash)
    return _output(input, plan)


def _output(input: EditInput, plan: EditPlan) -> EditOutput:
    present = plan.present
    kept = present is not None and len(present.data) <= MAX_KEPT_CHARS
    patch, is_whole = _patch(plan)
    left_out = () if is_whole else ("not all of the changed places are shown",)
    return EditOutput(
        "update" if input.old_string else "create" if present is None else "fill",
        plan.path,
        input.old_string,
        input.new_string,
        input.replace_all,
        plan.replacements,
        present.text if present is not None and kept else None,
        patch,
        (*left_out, *_notes(input, plan)),
    )


def _patch(plan: EditPlan) -> tuple[tuple[Hunk, ...], bool]:
    """The changed places, as many as are kept, and whether that is all of them."""
    hunks: list[Hunk] = []
    room = MAX_KEPT_CHARS
    stretches = changed_stretches(plan.old_data, plan.form, plan.result)
    for stretch in islice(stretches, MAX_KEPT_PARTS):
        room -= len(stretch.old) + len(stretch.new)
        if room < 0:
            return tuple(hunks), False
        hunks += stretch.hunks()
    return tuple(hunks), next(stretches, None) is None


def _notes(input: EditInput, plan: EditPlan) -> Iterator[str]:
    form, result = plan.form, plan.result
    if plan.present is None or not input.old_string:
        if form.name != "utf-8":
            yield f"written as {form.name}"
        return
    if result.line_ends and Feeds(plan.old_data, form).are_mixed:
        words = " and ".join({"\r\n": "CR LF", "\n": "LF"}[end] for end in sorted(result.line_ends))
        yield f"the file mixes CR LF and LF line ends; the new ones are {words}, as in the lines around them"
    if form.mark and not result.data.startswith(form.mark):
        yield "the byte order mark at the beginning of the file is gone, as asked for"
    if form.encoding != "utf-8" and not input.new_string.isascii():
        yield f"the new text is in the file's encoding: {form.described}"
    if form.encoding == "utf-8" and not input.new_string.isascii() and decode_exactly(plan.old_data, form) is None:
        yield "the file holds bytes that are not UTF-8; the new text is UTF-8"
    now = detect_format(result.data)
    if now.encoding != form.encoding:
        yield f"the file read as {form.described}; it reads as {now.described} now. Its other bytes are unchanged"


def preview(input: EditInput, context: ToolUseContext) -> ToolView:
    """The approval card: what would change in the file as it is now."""
    path = target_path(input.file_path, context.cwd)
    if is_network_path(input.file_path):
        return view.unseen(path, input.old_string, input.new_string)
    try:
        plan = plan_edit(input, context)
    except ToolValidationError as refusal:
        return view.impossible(path, refusal.message)
    return view.change(plan)


def map_result(output: EditOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["file_path"] = target_path(observed["file_path"], context.cwd)


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("file_path")


edit_tool = build_tool(
    name=EDIT_TOOL_NAME,
    aliases=("FileEdit",),
    call=call,
    input_model=EditInput,
    primary_field="file_path",
    body_field="new_string",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="change a part of a file, replace a text",
    validate_input=validate,
    map_tool_result=map_result,
    rule_family="edit",
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: f"{input.file_path}: {input.old_string} -> {input.new_string}",
    is_destructive=True,
    preview=preview,
    user_facing_name=view.user_facing_name,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    render_error=view.render_error,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Editing {view.summary(input)}".rstrip(),
)
