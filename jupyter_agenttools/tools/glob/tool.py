"""The logic of Glob."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import anyio.to_thread
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.errors import ToolTimeoutError, ToolValidationError
from ...core.names import GLOB_TOOL_NAME
from ...core.result import VALID, ValidationResult
from ...core.schema import StrictInput
from ...files.glob_pattern import GlobPattern, split_base
from ...files.paths import locate, shown_path
from ...files.search import TIME_LIMIT_S, FoundFiles, find_files
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolOptions, ToolUseContext

MAX_FILES = 100
"""The field's limit for one result."""

TIMEOUT_VARIABLES = ("JUPYTER_AGENTTOOLS_GLOB_TIMEOUT_SECONDS", "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS")
NO_IGNORE_VARIABLES = ("JUPYTER_AGENTTOOLS_GLOB_NO_IGNORE", "CLAUDE_CODE_GLOB_NO_IGNORE")


class GlobInput(StrictInput):
    pattern: Annotated[str, Field(description="The pattern, e.g. **/*.py", min_length=1)]
    path: Annotated[str | None, Field(description="The folder to search in; left out: the working directory")] = None


@dataclass(frozen=True)
class GlobOutput:
    """The files that match.

    Args:
        pattern: as given, without its leading plain folders.
        root: the folder that was searched, absolute.
        filenames: relative to the working directory where they lie in it, absolute elsewhere; changed last first.
        num_files: how many are listed.
        total_matches: how many match.
        truncated: whether more match than are listed.
        duration_ms: how long the search took.
        ignored: how many more match in places that ``.gitignore`` leaves out; ``ignored_is_partial``: at least.
        unreadable_folders: could not be opened.
        folders_searched: how many were.
        stopped_after_s: the time limit, when it ended the search early.
    """

    pattern: str
    root: str
    filenames: tuple[str, ...]
    num_files: int
    total_matches: int
    truncated: bool
    duration_ms: int
    ignored: int = 0
    ignored_is_partial: bool = False
    unreadable_folders: int = 0
    folders_searched: int = 0
    stopped_after_s: float | None = None


async def validate(input: GlobInput, context: ToolUseContext) -> ValidationResult:
    try:
        GlobPattern(split_base(input.pattern)[1])
        _root(input.pattern, input.path, context.cwd)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def _root(pattern: str, path: str | None, cwd: str) -> str:
    """The folder that is really searched: the leading plain folders of a pattern belong to it, so that it is what
    permission rules judge."""
    base = split_base(pattern)[0]
    folder = locate(path, cwd) if path else cwd
    if ".." in base.split("/"):
        message = f"pattern {pattern!r} holds `..`; give the folder to search in as `path` instead"
        raise ToolValidationError(message, check_id="glob-climbs")
    return locate(base, folder) if base else folder


async def call(input: GlobInput, context: ToolUseContext) -> GlobOutput:
    return await anyio.to_thread.run_sync(_search, input, context)


def _search(input: GlobInput, context: ToolUseContext) -> GlobOutput:
    started = time.monotonic()
    root, pattern = _root(input.pattern, input.path, context.cwd), split_base(input.pattern)[1]
    found = find_files(
        root,
        GlobPattern(pattern),
        cancellation=context.cancellation,
        limit=MAX_FILES,
        time_limit_s=_time_limit(context.options),
        respect_ignore=not _is_on(_setting(context.options, NO_IGNORE_VARIABLES)),
    )
    if found.stopped_after_s is not None and not found.total:
        raise ToolTimeoutError(
            f"the search for {input.pattern} in {root} was stopped after {found.stopped_after_s:g} s: "
            f"{found.folders:,} folders hold no match, others were not looked into. Search in a smaller folder (path)",
            check_id="glob-time-limit",
        )
    return _output(root, pattern, found, context.cwd, started)


def _output(root: str, pattern: str, found: FoundFiles, cwd: str, started: float) -> GlobOutput:
    return GlobOutput(
        pattern,
        root,
        tuple(shown_path(path, cwd) for path in found.paths),
        len(found.paths),
        found.total,
        found.total > len(found.paths),
        round((time.monotonic() - started) * 1000),
        found.ignored,
        found.ignored_is_partial,
        found.unreadable,
        found.folders,
        found.stopped_after_s,
    )


def _setting(options: ToolOptions, names: tuple[str, ...]) -> str:
    """The first of these variables that is set, in the session's settings or in the kernel's environment."""
    return next((value for name in names if (value := options.env.get(name) or os.environ.get(name))), "")


def _time_limit(options: ToolOptions) -> float:
    try:
        seconds = float(_setting(options, TIMEOUT_VARIABLES))
    except ValueError:
        return TIME_LIMIT_S
    return seconds if 0 < seconds < float("inf") else TIME_LIMIT_S


def _is_on(value: str) -> bool:
    return value.lower() not in ("", "0", "false", "no", "off")


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    observed["path"] = _root(observed["pattern"], observed.get("path"), context.cwd)


def map_result(output: GlobOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


def get_path(observed: Mapping[str, Any]) -> str | None:
    return observed.get("path")


glob_tool = build_tool(
    name=GLOB_TOOL_NAME,
    call=call,
    input_model=GlobInput,
    primary_field="pattern",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="find files by name",
    validate_input=validate,
    map_tool_result=map_result,
    interrupt_behavior=lambda: "cancel",
    rule_family="read",
    get_path=get_path,
    backfill_observable_input=backfill,
    is_read_only=True,
    is_concurrency_safe=True,
    is_search_or_read_command=True,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Searching for {view.summary(input)}".rstrip(),
)
