"""The logic of Grep."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.errors import ToolValidationError
from ...core.names import GREP_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...files.line_search import LineQuery, choose_engine
from ...files.opening import open_regular, unreadable
from ...files.path_filter import path_filter_of
from ...files.paths import locate
from ...files.plain_search.scan import UTF16_MARKS
from ...files.regex import read_pattern
from ...files.search_options import ignores_nothing, time_limit_s
from ...permissions.lookup import hidden_names, tree_filter
from . import view
from .output import GrepOutput
from .prompt import DEFAULT_LIMIT, DESCRIPTION, PROMPT, result_text
from .search import search
from .wish import Wish

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

HEAD_BYTES = 65_536

MAX_AROUND = 1_000
"""Lines around a match; a file is read with Read."""

_Around = Annotated[int | None, Field(ge=0, le=MAX_AROUND)]


class GrepInput(StrictInput):
    pattern: Annotated[str, Field(description="The regular expression to search for", min_length=1)]
    path: Annotated[str | None, Field(description="The folder or file to search; left out: the working directory")] = (
        None
    )
    glob: Annotated[str | None, Field(description='Which files, e.g. "*.js" or "*.{ts,tsx}"')] = None
    type: Annotated[str | None, Field(description="Which kind of files, e.g. js, py, rust, go, ipynb")] = None
    output_mode: Annotated[
        Literal["content", "files_with_matches", "count"],
        Field(description="Lines, paths of files (the default), or how often each file matches"),
    ] = "files_with_matches"
    ignore_case: Annotated[bool | None, Field(alias="-i", description="Letters match in either case")] = None
    numbers: Annotated[bool | None, Field(alias="-n", description="With content: give line numbers (default true)")] = (
        None
    )
    only_matching: Annotated[bool | None, Field(alias="-o", description="With content: the matches alone")] = None
    after: Annotated[_Around, Field(alias="-A", description="With content: lines after each match")] = None
    before: Annotated[_Around, Field(alias="-B", description="With content: lines before each match")] = None
    around: Annotated[_Around, Field(alias="-C", description="With content: lines before and after each match")] = None
    context: Annotated[_Around, Field(description="The same as -C")] = None
    head_limit: Annotated[
        int | None, Field(ge=0, description=f"How many entries are given; {DEFAULT_LIMIT} by default, 0 for all")
    ] = None
    offset: Annotated[int | None, Field(ge=0, description="How many entries are passed over first")] = None
    multiline: Annotated[bool | None, Field(description="Matches may span lines, and . matches line ends")] = None


async def validate(input: GrepInput, context: ToolUseContext) -> ValidationResult:
    try:
        pattern = read_pattern(input.pattern, ignore_case=bool(input.ignore_case), multiline=bool(input.multiline))
        await anyio.to_thread.run_sync(path_filter_of, input.glob, input.type)  # many patterns take a moment
        await anyio.to_thread.run_sync(choose_engine, pattern, context.options.env)
        await anyio.to_thread.run_sync(_place, input.path, context.cwd)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def _place(path: str | None, cwd: str) -> tuple[str, str | None]:
    """The folder that is searched as it was named, and the name of the one file in it when a file was named.

    Raises:
        ToolValidationError: nothing is there, it cannot be opened, or it is neither a folder nor a regular file.
    """
    target = locate(path, cwd) if path else cwd
    try:
        if stat.S_ISDIR(os.stat(target).st_mode):
            os.scandir(target).close()
            return target, None
    except OSError as error:
        raise unreadable(target, error) from error
    with open_regular(target):
        pass
    folder, name = os.path.split(target)
    return folder, name


async def call(input: GrepInput, context: ToolUseContext) -> GrepOutput:
    wish = await anyio.to_thread.run_sync(_wish, input, context)
    return await search(wish, context)


def _wish(input: GrepInput, context: ToolUseContext) -> Wish:
    folder, file = _place(input.path, context.cwd)
    target = folder if file is None else os.path.join(folder, file)
    env, content = context.options.env, input.output_mode == "content"
    query, is_binary_file = _query(input, context, target, file is not None)
    only_matching = content and bool(input.only_matching)
    around = max(input.around or 0, input.context or 0)
    has_around = content and not only_matching
    before, after = (around if given is None else given for given in (input.before, input.after))
    return Wish(
        query=query,
        engine=choose_engine(query.pattern, env, each=query.each),
        mode=input.output_mode,
        target=target,
        is_binary_file=is_binary_file,
        limit=DEFAULT_LIMIT if input.head_limit is None else input.head_limit or None,
        offset=input.offset or 0,
        before=before if has_around else 0,
        after=after if has_around else 0,
        only_matching=only_matching,
        numbers=input.numbers is not False,
        is_denied=None if file is not None else _denied(context, target),
        time_limit_s=time_limit_s(env, "GREP"),
    )


def _denied(context: ToolUseContext, root: str) -> Callable[[str], bool] | None:
    return tree_filter(context.permission, cwd=context.cwd, root=root, tool_name=GREP_TOOL_NAME)


def _query(input: GrepInput, context: ToolUseContext, target: str, is_file: bool) -> tuple[LineQuery, bool]:
    """The search, and whether it is one in a binary file. A file that is named is searched whatever its name is;
    with its links followed, for so the gate has judged it."""
    pattern = read_pattern(input.pattern, ignore_case=bool(input.ignore_case), multiline=bool(input.multiline))
    real = os.path.realpath(target)
    query = LineQuery(
        os.path.dirname(real) if is_file else real,
        pattern,
        path_filter_of(None, None) if is_file else path_filter_of(input.glob, input.type),
        file=os.path.basename(real) if is_file else None,
        each=not pattern.by_line or (input.output_mode == "content" and bool(input.only_matching)),
        respect_ignore=not ignores_nothing(context.options.env, "GREP"),
        nul="text" if is_file else "quit",
        without=() if is_file else hidden_names(context.permission),
    )
    return query, is_file and _is_binary(real)


def _is_binary(path: str) -> bool:
    with open_regular(path) as file:
        head = os.read(file.descriptor, HEAD_BYTES)
    return b"\0" in head and not head.startswith(UTF16_MARKS)


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["path"] = locate(observed["path"], context.cwd) if observed.get("path") else context.cwd


def map_result(output: GrepOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("path")


grep_tool = build_tool(
    name=GREP_TOOL_NAME,
    call=call,
    input_model=GrepInput,
    primary_field="pattern",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="search the contents of files with a regular expression",
    validate_input=validate,
    map_tool_result=map_result,
    interrupt_behavior=lambda: "cancel",
    rule_family="read",
    get_path=get_path,
    backfill_observable_input=backfill,
    to_auto_classifier_input=lambda input: f"{input.pattern} in {input.path or '.'}",
    is_read_only=True,
    is_concurrency_safe=True,
    is_search_or_read_command=True,
    render_tool_use=view.render_tool_use,
    render_progress=view.render_progress,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=view.activity,
)
