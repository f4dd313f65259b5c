"""What a call of Grep asks for, worked out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from ...files.line_search import LineEngine, LineQuery
from ...files.paths import shown_path
from ...files.telling import on_one_line
from .output import OutputMode


@dataclass(frozen=True)
class Wish:
    """What a call asks for, worked out.

    Args:
        query: the search. engine: what does it. mode: what to give.
        target: the folder or file that is searched, as it was named; absolute.
        is_binary_file: it is one file, and a binary one.
        limit: entries of the page; ``None`` for all. offset: entries to pass over.
        before, after: lines around. only_matching, numbers: how lines are shown.
        is_denied: whether a file, relative to the root, must not be shown; ``None`` when all may.
        time_limit_s: of the search.
    """

    query: LineQuery
    engine: LineEngine
    mode: OutputMode
    target: str
    is_binary_file: bool
    limit: int | None
    offset: int
    before: int
    after: int
    only_matching: bool
    numbers: bool
    is_denied: Callable[[str], bool] | None
    time_limit_s: float

    def shown(self, relative: str, cwd: str) -> str:
        """A path of the query as it is shown: on one line, relative to ``cwd`` where it lies in there."""
        path = os.path.join(self.target, relative) if self.query.file is None else self.target
        return on_one_line(shown_path(path, cwd))

    @property
    def engine_note(self) -> str:
        """Why it was not ripgrep, where the pattern left no choice."""
        only = self.query.pattern.python_only
        return f"searched with Python's regular expressions: {only} is unknown to ripgrep" if only else ""
