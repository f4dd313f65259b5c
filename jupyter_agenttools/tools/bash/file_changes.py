"""What a command does to the files around it: kept before it runs, found out afterwards, so that it can be undone."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import anyio
import anyio.to_thread

from ...core.context import ToolUseContext
from ...core.events import FileEvent
from ...core.result import ToolResult
from ...files.history import CommandChanges, FileTurn, Snapshot
from ...files.paths import shown_path
from ...permissions.question import working_directories
from ...permissions.roots import is_inside
from .launch import is_allowed_by_sandbox
from .output import BashOutput, BashProgress

QUIET_S = 2.0
"""How long the copies may take before anybody is told of them."""

AFTER_LIMIT_S = 10.0
STOPPED_LIMIT_S = 0.4
"""How long the changes of a stopped command are looked for: a person expects its end within a second."""

MAX_EVENTS = 500
NAMED = 5


class _WatchedFiles:
    """The files below the working directories, before and after one command.

    Args:
        turn: takes what they held.
        context: of the call.
        snapshot: what they held before it.
    """

    def __init__(self, turn: FileTurn, context: ToolUseContext, snapshot: Snapshot) -> None:
        self._turn, self._context, self._snapshot = turn, context, snapshot

    async def after_result(self, result: ToolResult[BashOutput]) -> ToolResult[BashOutput]:
        """Find out what the command changed; returns its result with what is to be said of that."""
        notices = filter(None, (result.data.stderr, *self._notices(await self.after())))
        return replace(result, data=replace(result.data, stderr="\n".join(notices)))

    async def after(self) -> CommandChanges:
        """Find out what the command changed, also when it was stopped, whatever the waiting task is told meanwhile."""
        stopped = self._context.cancellation.cancelled
        find = partial(
            self._turn.after_command,
            self._snapshot,
            self._context.tool_use_id,
            limit_s=STOPPED_LIMIT_S if stopped else AFTER_LIMIT_S,
        )
        with anyio.CancelScope(shield=True):
            found = await anyio.to_thread.run_sync(find)
        for change in [c for c in found.changes if "folder" not in (c.before.kind, c.after.kind)][:MAX_EVENTS]:
            kind: Literal["written", "deleted"] = "deleted" if change.after.kind == "missing" else "written"
            self._context.on_file(FileEvent(self._context.tool_use_id, kind, change.path, change.after.digest))
        return found

    def _notices(self, found: CommandChanges) -> Iterator[str]:
        if gaps := self._turn.new_gaps(self._snapshot):
            yield f"Undo does not cover {'; '.join(gaps)}."
        if paths := found.not_covered:
            names = ", ".join(shown_path(path, self._context.cwd) for path in paths[:NAMED])
            more = f" and {len(paths) - NAMED:,} more" if len(paths) > NAMED else ""
            yield f"Undo does not cover what this command did to {names}{more}: there is no earlier copy."
        if found.cut:
            yield f"Undo may not cover everything that this command changed: {found.cut}."


async def _watch(command: str, context: ToolUseContext) -> _WatchedFiles | None:
    """Keep what the files below the working directories hold. ``None`` where nobody keeps it, or nothing can change.

    Raises:
        InterruptedToolError: the call was stopped meanwhile.
    """
    turn = context.file_history
    only_reads = context.hardened and not is_allowed_by_sandbox(command, context)
    if only_reads or not isinstance(turn, FileTurn):
        return None
    began = time.monotonic()

    def progress(files: int, size: int) -> None:
        if (elapsed := time.monotonic() - began) > QUIET_S:
            tail = f"Keeping copies of files for undo: {files:,} files, {size / 1e6:,.0f} MB\n"
            context.on_progress(BashProgress("bash-progress-0", tail, 1, len(tail), round(elapsed * 1000), True))

    keep = partial(
        turn.before_command, _roots(context), context.tool_use_id, check=context.cancellation.check, progress=progress
    )
    return _WatchedFiles(turn, context, await anyio.to_thread.run_sync(keep))


async def run_watched(
    command: str, context: ToolUseContext, run: Callable[[], Awaitable[ToolResult[BashOutput]]]
) -> ToolResult[BashOutput]:
    """Run a command so that undo can take back what it does to files, also when it is stopped.

    Args:
        command: what is run; one that can change nothing is not watched. run: runs it.

    Raises:
        InterruptedToolError: the call was stopped before the command began. Beside that whatever ``run`` raises.
    """
    files = await _watch(command, context)
    if files is None:
        return await run()
    try:
        result = await run()
    except BaseException:
        await files.after()
        raise
    return await files.after_result(result)


def _roots(context: ToolUseContext) -> tuple[str, ...]:
    roots = working_directories(context.permission, context.cwd)
    here = os.path.realpath(context.cwd)
    return roots if is_inside(here, roots) else (here, *roots)
