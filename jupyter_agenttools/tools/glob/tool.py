"""The logic of Glob."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
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
from ...files.glob_pattern import GlobPattern, require_pattern, split_base
from ...files.paths import locate, shown_path
from ...files.search import FoundFiles, find_files
from ...files.search_options import ignores_nothing, time_limit_s
from ...files.telling import on_one_line, quoted, shortened
from ...permissions.lookup import path_filter, tree_filter
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_FILES = 100
"""The field's limit for one result."""

PROGRESS_AFTER_S = 2.0
PROGRESS_EVERY_S = 0.5


class GlobInput(StrictInput):
    pattern: Annotated[str, Field(description="The pattern, e.g. **/*.py", min_length=1)]
    path: Annotated[str | None, Field(description="The folder to search in; left out: the working directory")] = None


@dataclass(frozen=True)
class GlobProgress:
    """A search while it runs: what it has found, where it has been, and how long it has taken."""

    found: int
    folders: int
    elapsed_ms: int


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
        ignored: how many more match in places that ignore files leave out; ``ignored_is_partial``: at least.
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
        require_pattern(input.pattern, "pattern")
        await anyio.to_thread.run_sync(_check, input, context)
    except ToolValidationError as refusal:
        return ValidationResult(False, refusal.message, refusal.check_id)
    return VALID


def _check(input: GlobInput, context: ToolUseContext) -> None:
    """Do nothing for an input that can work. Reading a pattern may take a moment."""
    GlobPattern(split_base(input.pattern)[1])
    _root(input.pattern, input.path, context.cwd)


def _root(pattern: str, path: str | None, cwd: str) -> str:
    """The folder that is really searched: the leading plain folders of a pattern belong to it, so that it is what
    permission rules judge."""
    base = split_base(pattern)[0]
    folder = locate(path, cwd) if path else cwd
    if ".." in base.split("/"):
        message = f"pattern {quoted(pattern)} holds `..`; give the folder to search in as `path` instead"
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
        time_limit_s=time_limit_s(context.options.env, "GLOB"),
        respect_ignore=not ignores_nothing(context.options.env, "GLOB"),
        is_hidden=_hidden(context, root),
        on_progress=_Reports(context, started),
    )
    if found.stopped_after_s is not None and not found.total:
        raise ToolTimeoutError(
            f"the search for {shortened(input.pattern)} in {shortened(root)} was stopped after "
            f"{found.stopped_after_s:g} s: {found.folders:,} folders hold no match, others were not looked into. "
            "Search in a smaller folder (path)",
            check_id="glob-time-limit",
        )
    return _output(root, pattern, found, context.cwd, started)


def _output(root: str, pattern: str, found: FoundFiles, cwd: str, started: float) -> GlobOutput:
    return GlobOutput(
        pattern,
        root,
        tuple(on_one_line(shown_path(path, cwd)) for path in found.paths),
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


def _hidden(context: ToolUseContext, root: str) -> Callable[[str], bool] | None:
    """Whether rules keep a path from being read. A link is followed for that; on the way to it there is none."""
    permission, cwd = context.permission, context.cwd
    below = tree_filter(permission, cwd=cwd, root=root, tool_name=GLOB_TOOL_NAME)
    anywhere = path_filter(permission, cwd=cwd, tool_name=GLOB_TOOL_NAME)
    if below is None or anywhere is None:
        return None
    start = len(root.rstrip("/")) + 1
    return lambda path: anywhere(path) if os.path.islink(path) else below(path[start:])


class _Reports:
    """Passes progress on: not at once, and not for every folder."""

    def __init__(self, context: ToolUseContext, started: float) -> None:
        self._context, self._started = context, started
        self._next = started + PROGRESS_AFTER_S

    def __call__(self, found: int, folders: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + PROGRESS_EVERY_S
            self._context.on_progress(GlobProgress(found, folders, round((now - self._started) * 1000)))


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
    render_progress=view.render_progress,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Searching for {view.summary(input)}".rstrip(),
)
