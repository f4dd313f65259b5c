"""The logic of Write."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.errors import ToolValidationError
from ...core.names import EDIT_TOOL_NAME, NOTEBOOK_EDIT_TOOL_NAME, WRITE_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...core.views import ToolView
from ...files.change import change_file
from ...files.encoding import TextFormat, encode
from ...files.live_document import opened_content
from ...files.locks import file_lock
from ...files.memory import require_no_secret
from ...files.network_path import is_network_path, require_local_spelling, target_path
from ...files.patch import Hunk, structured_patch
from ...files.present import Present, format_for, present_file, require_replaceable, with_line_ends_of
from ...files.state import file_state
from ...permissions import may_look
from . import view
from .prompt import DESCRIPTION, PROMPT

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_KEPT_CHARS = 1_000_000
"""An old content longer than this is not kept in the output."""


class WriteInput(StrictInput):
    file_path: Annotated[str, Field(description="The file to write; absolute, or relative to the working directory")]
    content: Annotated[str, Field(description="Everything the file will hold")]


@dataclass(frozen=True)
class WriteOutput:
    """What was written.

    Args:
        type: ``create``, ``update``, or ``unchanged`` when the file held exactly this before.
        file_path: absolute.
        content: as it was written.
        original_file: the text before; ``None`` when there was none, it was not text, or it is very long.
        structured_patch: the changed places.
        old_lines, new_lines: how many lines there were and are.
        notes: what else a reader should know.
    """

    type: Literal["create", "update", "unchanged"]
    file_path: str
    content: str
    original_file: str | None
    structured_patch: tuple[Hunk, ...]
    old_lines: int
    new_lines: int
    notes: tuple[str, ...] = ()


async def validate(input: WriteInput, context: ToolUseContext) -> ValidationResult:
    """Whether the write can work, so that nobody is asked to approve one that cannot.

    What may not be read without asking is not looked at before somebody allowed the call: a refusal would tell of it.
    Nor is a path that is spelled as the address of a network share.
    """
    try:
        require_local_spelling(input.file_path)
        await anyio.to_thread.run_sync(_validate, input, context)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def _check(input: WriteInput, context: ToolUseContext) -> tuple[str, Present | None]:
    if input.file_path.endswith("/"):
        message = f"{input.file_path} names a folder; give the path of a file"
        raise ToolValidationError(message, check_id="path-is-folder")
    require_local_spelling(input.file_path)
    path = target_path(input.file_path, context.cwd)
    _require_notebook(path, input.content)
    _require_not_in_hand(path, context)
    present = present_file(path)
    require_no_secret(path, input.content, (present.text or "") if present else "")
    encode(input.content, format_for(input.content, present))
    require_replaceable(path, present, file_state(context), context.agent_id)
    return path, present


def _require_notebook(path: str, content: str) -> None:
    """A notebook stays one: whatever is written over it must be notebook JSON."""
    if not os.path.realpath(path).lower().endswith(".ipynb") and not path.lower().endswith(".ipynb"):
        return
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError) as error:
        why = f"the content is not JSON ({error})"
    else:
        is_notebook = isinstance(notebook, dict) and isinstance(notebook.get("nbformat"), int)
        if is_notebook and isinstance(notebook.get("cells", notebook.get("worksheets")), list):
            return
        why = "the content is JSON, but not a notebook (no nbformat, or no list of cells)"
    raise ToolValidationError(
        f"{path} is a notebook and {why}. Nothing was written; change its cells with {NOTEBOOK_EDIT_TOOL_NAME}",
        check_id="write-breaks-notebook",
    )


def _require_not_in_hand(path: str, context: ToolUseContext) -> None:
    """A notebook that is open with unsaved changes is not written under the hands of the person who makes them."""
    live = opened_content(path, context)
    if live is not None and live.dirty:
        message = (
            f"{path} is open in a front end, with changes that are not saved; one of the two versions would be lost. "
            f"Nothing was written; change its cells with {NOTEBOOK_EDIT_TOOL_NAME}"
        )
        raise ToolValidationError(message, check_id="live-dirty")


def _validate(input: WriteInput, context: ToolUseContext) -> None:
    if is_network_path(input.file_path):
        return
    path = target_path(input.file_path, context.cwd)
    is_known = file_state(context).get(path, context.agent_id) is not None
    if is_known or may_look(context.permission, path, cwd=context.cwd):
        _check(input, context)


async def call(input: WriteInput, context: ToolUseContext) -> WriteOutput:
    return await anyio.to_thread.run_sync(_write, input, context)


def _write(input: WriteInput, context: ToolUseContext) -> WriteOutput:
    require_local_spelling(input.file_path)
    with file_lock(target_path(input.file_path, context.cwd)):
        path, present = _check(input, context)
        content = with_line_ends_of(present, input.content)
        form = format_for(content, present)
        data = encode(content, form)
        if present is None or present.data != data:
            written = change_file(path, data, present.data if present else None, context).content_hash
        else:
            written = present.content_hash
        file_state(context).wrote(path, context.agent_id, written)
    return _output(path, content, present, data, form)


def _output(path: str, content: str, present: Present | None, data: bytes, form: TextFormat) -> WriteOutput:
    kind: Literal["create", "update", "unchanged"] = "create" if present is None else "update"
    if present is not None and present.data == data:
        kind = "unchanged"
    old = present.text if present is not None else None
    return WriteOutput(
        kind,
        path,
        content,
        old if old is None or len(old) <= MAX_KEPT_CHARS else None,
        structured_patch(old or "", content) if kind != "create" and old is not None else (),
        _line_count(old or ""),
        _line_count(content),
        tuple(_notes(present, old, content, form)),
    )


def _line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def _notes(present: Present | None, old: str | None, content: str, form: TextFormat) -> Iterator[str]:
    if present is None:
        if form.name != "utf-8":
            yield f"written as {form.name}, as the text declares"
        return
    if old is None:
        yield f"the old content was not valid text in its encoding; the new one is {form.name}"
    elif form.mark:
        yield f"the encoding {form.name} with its byte order mark was kept"
    elif form.encoding != present.form.encoding:
        yield f"the old content was {present.form.described}; the new one is {form.name}"
    elif form.encoding != "utf-8":
        yield f"the encoding was kept: {form.described}"
    if old and "\r\n" in old and "\n" in content:
        kept = "\r\n" in content
        yield "line ends: CR LF, as before" if kept else "the old content had some CR LF line ends, the new one has LF"


def map_result(output: WriteOutput, tool_use_id: str) -> ToolResultBlock:
    if output.type == "create":
        text = f"File created: {output.file_path} ({_lines(output.new_lines)})."
    elif output.type == "unchanged":
        text = (
            f"{output.file_path} held exactly this content already ({_lines(output.new_lines)}); nothing was written."
        )
    else:
        text = f"File updated: {output.file_path} ({_lines(output.old_lines)} before, {_lines(output.new_lines)} now)."
    return ToolResultBlock(tool_use_id, "\n".join([text, *(f"[{note}]" for note in output.notes)]))


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"


def preview(input: WriteInput, context: ToolUseContext) -> ToolView:
    """The approval card: what would change in the file as it is now."""
    path = target_path(input.file_path, context.cwd)
    if is_network_path(input.file_path):
        return view.unseen(path, input.content)
    try:
        present = present_file(path)
    except ToolValidationError as refusal:
        return view.impossible(path, refusal.message)
    content = with_line_ends_of(present, input.content)
    return view.change(path, present.text if present else "", content, is_new=present is None)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["file_path"] = target_path(observed["file_path"], context.cwd)


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("file_path")


write_tool = build_tool(
    name=WRITE_TOOL_NAME,
    aliases=("FileWrite",),
    call=call,
    input_model=WriteInput,
    primary_field="file_path",
    body_field="content",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="create a file or replace its whole content",
    validate_input=validate,
    map_tool_result=map_result,
    rule_family="edit",
    rule_names=(EDIT_TOOL_NAME,),
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: f"{input.file_path}: {input.content}",
    is_destructive=True,
    preview=preview,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Writing {view.summary(input)}".rstrip(),
)
