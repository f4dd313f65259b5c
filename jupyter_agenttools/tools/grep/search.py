"""One search: which files, in which order, which page of them, and what was left out."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace

import anyio
import anyio.to_thread

from ...core.context import ToolUseContext
from ...core.errors import ToolTimeoutError
from ...files.line_search import Counted, FileCount, LineQuery, Troubles
from ...files.search_process import Progress
from .content import with_content
from .output import GrepOutput, NotShown, SearchProgress
from .prompt import stopped_words
from .wish import Wish

PROGRESS_AFTER_S = 2.0
PROGRESS_EVERY_S = 0.5

LOOK_BEHIND_S = 1.0
"""How long what was left out is searched, when nothing was found in the rest."""

MAX_NAMES = 3


async def search(wish: Wish, context: ToolUseContext) -> GrepOutput:
    """Do it.

    Raises:
        ToolTimeoutError: the time was up and nothing had been found. ToolError: the engine failed.
    """
    started = time.monotonic()
    counted = await _count(wish, context, started)
    files = await anyio.to_thread.run_sync(_in_order, wish, counted.files)
    output = GrepOutput(
        wish.mode,
        wish.query.pattern.source,
        wish.target,
        num_files=len(files),
        num_matches=sum(file.count for file in files),
        counted="match" if wish.query.each else "matching line",
        applied_limit=wish.limit,
        applied_offset=wish.offset,
        not_shown=NotShown(folders=counted.troubles.folders, files=counted.troubles.files),
        engine=wish.engine.name,
        engine_note=wish.engine_note,
        stopped=counted.stopped,
        time_limit_s=wish.time_limit_s,
    )
    if not files:
        output = await _nothing(wish, context, output)
    elif wish.mode == "content":
        output = await with_content(wish, context.cwd, output, files)
    else:
        output = _page_of_files(wish, context, output, files)
    return replace(output, duration_ms=round((time.monotonic() - started) * 1000))


async def _count(wish: Wish, context: ToolUseContext, started: float) -> Counted:
    if wish.is_binary_file:
        return Counted([], Troubles(), "")
    progress = Progress(b"\0")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_report, progress, context, started)
        counted = await wish.engine.count(wish.query, time_limit_s=wish.time_limit_s, progress=progress)
        tasks.cancel_scope.cancel()
    return counted


async def _report(progress: Progress, context: ToolUseContext, started: float) -> None:
    await anyio.sleep(PROGRESS_AFTER_S)
    while True:
        context.on_progress(SearchProgress(progress.found(), round((time.monotonic() - started) * 1000)))
        await anyio.sleep(PROGRESS_EVERY_S)


def _in_order(wish: Wish, found: Sequence[FileCount]) -> list[FileCount]:
    """The files that may be shown, the one changed last first; of the same time, by path."""
    if wish.is_denied is not None:
        found = [file for file in found if not wish.is_denied(file.path)]
    root = wish.query.root.rstrip("/") + "/"
    return sorted(found, key=lambda file: (-_mtime(root + file.path), file.path))


def _mtime(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _page_of_files(wish: Wish, context: ToolUseContext, output: GrepOutput, files: list[FileCount]) -> GrepOutput:
    end = None if wish.limit is None else wish.offset + wish.limit
    page = files[wish.offset : end]
    return replace(
        output,
        filenames=tuple(wish.shown(file.path, context.cwd) for file in page),
        counts=tuple(file.count for file in page),
        total=len(files),
        shown=len(page),
        unit="file",
    )


# ---- nothing


async def _nothing(wish: Wish, context: ToolUseContext, output: GrepOutput) -> GrepOutput:
    """Nothing matches: why, as far as that can be found out quickly."""
    if output.stopped:
        raise ToolTimeoutError(
            f"the search for {output.pattern!r} in {output.root} was {stopped_words(output)} and had found nothing by "
            "then; not everything was searched. Search in a smaller folder (path), or fewer files (glob, type)",
            check_id="grep-time-limit",
        )
    if wish.query.file is not None:
        return await _nothing_in_file(wish, output)
    aside = _Aside(wish)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(aside.look_into_ignored)
        tasks.start_soon(aside.look_into_binary)
        tasks.start_soon(aside.count_searched)
    ignored = sorted(aside.ignored)
    left = replace(
        output.not_shown,
        ignored=len(ignored),
        ignored_names=tuple(wish.shown(path, context.cwd) for path in ignored[:MAX_NAMES]),
        binary=len(aside.binary),
        partial=aside.partial,
    )
    searched = None if aside.searched is None else max(0, aside.searched - left.files)
    return replace(output, not_shown=left, searched=searched)


async def _nothing_in_file(wish: Wish, output: GrepOutput) -> GrepOutput:
    left = output.not_shown
    if not wish.is_binary_file:
        return replace(output, searched=None if left.files else 1)
    found = await wish.engine.count(wish.query, time_limit_s=wish.time_limit_s)
    left = replace(left, binary=len(found.files), partial=bool(found.stopped), files=found.troubles.files)
    return replace(output, not_shown=left)


class _Aside:
    """Looks into what a search leaves out.

    Attributes:
        ignored, binary: files that hold a match. partial: there may be more.
        searched: how many files were searched, ``None`` when that took too long.
    """

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self.ignored: list[str] = []
        self.binary: list[str] = []
        self.partial = False
        self.searched: int | None = None

    async def look_into_ignored(self) -> None:
        if self._wish.query.respect_ignore:
            self.ignored = await self._files(replace(self._wish.query, respect_ignore=False))

    async def look_into_binary(self) -> None:
        self.binary = await self._files(replace(self._wish.query, nul="newline"))

    async def count_searched(self) -> None:
        paths, stopped = await self._wish.engine.list_files(self._wish.query, time_limit_s=LOOK_BEHIND_S)
        self.searched = None if stopped else len(self._allowed(paths))

    async def _files(self, query: LineQuery) -> list[str]:
        counted = await self._wish.engine.count(query, time_limit_s=LOOK_BEHIND_S)
        self.partial = self.partial or bool(counted.stopped)
        return self._allowed([file.path for file in counted.files])

    def _allowed(self, paths: list[str]) -> list[str]:
        is_denied = self._wish.is_denied
        return paths if is_denied is None else [path for path in paths if not is_denied(path)]
