"""The lines of one page."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio.to_thread

from ...files.line_records import LineRecord
from ...files.line_search import FileCount
from .lines import LINE_COST, Page, shown_lines
from .output import FileLines, GrepOutput
from .prompt import content_text
from .wish import Wish

MAX_CONTENT_CHARS = 45_000
"""A page of lines is full with these; a longer result would go to disk."""

EXCERPT_S = 10.0
"""How long the lines of one page may take, whatever the search for them took."""

FILES_AT_ONCE = 300


async def with_content(wish: Wish, cwd: str, output: GrepOutput, files: Sequence[FileCount]) -> GrepOutput:
    """The output with the lines of its page.

    Args:
        files: all that match, in their order.
    """
    filling = _Filling(wish, cwd)
    pages = _pages(wish, files)
    for start in range(0, len(pages), FILES_AT_ONCE):
        if not await filling.take(pages[start : start + FILES_AT_ONCE]):
            break
    groups = wish.before > 0 or wish.after > 0
    lines = tuple(filling.files)
    return replace(
        output,
        filenames=tuple(file.path for file in lines),
        files=lines,
        content=content_text(lines, numbers=wish.numbers, groups=groups),
        num_lines=sum(len(file.lines) for file in lines),
        total=output.num_matches,
        unit=output.counted,
        shown=filling.units,
        cut_chars=filling.is_full,
        not_shown=replace(output.not_shown, unshown=tuple(filling.unshown)),
    )


def _pages(wish: Wish, files: Sequence[FileCount]) -> list[tuple[FileCount, Page]]:
    """Which part of which file is on the page."""
    pages, before = [], 0
    end = math.inf if wish.limit is None else wish.offset + wish.limit
    for file in files:
        skip = max(0, wish.offset - before)
        take = int(min(file.count, end - before)) - skip
        if take > 0:
            by_line = wish.query.pattern.by_line
            pages.append((file, Page(skip, take, 0, wish.before, wish.after, wish.only_matching, by_line)))
        before += file.count
        if before >= end:
            break
    return pages


class _Filling:
    """A page that is being filled.

    Attributes:
        files: what is on it. units: how many of what is counted. unshown: files whose lines are not to be had.
        is_full: there was more for it.
    """

    def __init__(self, wish: Wish, cwd: str) -> None:
        self._wish, self._cwd = wish, cwd
        self._deadline = time.monotonic() + EXCERPT_S
        self._room = MAX_CONTENT_CHARS
        self.files: list[FileLines] = []
        self.unshown: list[str] = []
        self.units = 0
        self.is_full = False

    async def take(self, pages: Sequence[tuple[FileCount, Page]]) -> bool:
        """Put these on the page; returns whether there is room for more."""
        wish = self._wish
        most = max(page.skip + min(page.take, MAX_CONTENT_CHARS // LINE_COST) for _, page in pages)
        found = await wish.engine.excerpts(
            wish.query,
            [file.path for file, _ in pages],
            before=wish.before,
            after=wish.after,
            most=most,
            time_limit_s=max(0.5, self._deadline - time.monotonic()),
        )
        return await anyio.to_thread.run_sync(self._add_all, pages, found.records)

    def _add_all(self, pages: Sequence[tuple[FileCount, Page]], records: Mapping[str, list[LineRecord]]) -> bool:
        return all(
            self._add(self._wish.shown(file.path, self._cwd), records.get(file.path, []), page) for file, page in pages
        )

    def _add(self, path: str, records: Sequence[LineRecord], page: Page) -> bool:
        if self._room <= 0:
            self.is_full = True
            return False
        fitting = page._replace(room=self._room)
        lines, units = shown_lines(records, fitting)
        self._room -= sum(len(line.text) + len(path) + LINE_COST for line in lines)
        if lines:
            self.files.append(FileLines(path, tuple(lines)))
        if units < page.take:
            self.is_full = bool(records) and units > 0
            if not self.is_full:
                self.unshown.append(path)
                units = page.take  # there is no use in asking for them once more
        self.units += units
        return not self.is_full
