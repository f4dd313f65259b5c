"""What a search for lines came to, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

OutputMode = Literal["content", "files_with_matches", "count"]
Unit = Literal["file", "matching line", "match"]
"""What is counted and given out page by page."""


class ShownLine(NamedTuple):
    """One line of a result.

    Attributes:
        number: in its file, from 1.
        text: as it is shown: the line, a part of it around its matches, or a match alone.
        is_match: whether it matches, or stands around one that does.
        spans: where in ``text`` it matches; none where that is all of it, or not the line as it is.
    """

    number: int
    text: str
    is_match: bool = True
    spans: tuple[tuple[int, int], ...] = ()


class FileLines(NamedTuple):
    """The shown lines of one file. ``path`` is as it is shown."""

    path: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True)
class NotShown:
    """What a search left out or could not do.

    Args:
        ignored: files that ignore files leave out and that hold a match; ``ignored_names`` are the first of them.
        binary: binary files that hold a match.
        partial: both were only looked for as long as the time for it lasted.
        folders, files: could not be read.
        unshown: files of the page whose lines could not be shown, being too long or gone.
    """

    ignored: int = 0
    ignored_names: tuple[str, ...] = ()
    binary: int = 0
    partial: bool = False
    folders: int = 0
    files: int = 0
    unshown: tuple[str, ...] = ()


@dataclass(frozen=True)
class GrepOutput:
    """The result of a search.

    Args:
        mode: what was asked for.
        pattern: as given. root: the folder or file that was searched, absolute.
        num_files: how many files match.
        filenames: those of this page, as they are shown; changed last first.
        counts: for each of them how often it matches.
        content: with ``content``: the lines of this page as text.
        files: with ``content``: the same by file.
        num_lines: how many lines, or matches, this page holds.
        num_matches: how many there are in all, and ``counted`` of what.
        total: how many entries there are to page through, files or lines, and ``unit`` which.
        shown: how many of them are on this page.
        applied_limit, applied_offset: what the page was; ``None`` for no limit.
        cut_chars: whether the page ends early because it is full.
        searched: how many files were looked into, where nothing matched and that is known.
        not_shown: what was left out.
        engine: what searched, and ``engine_note`` why, where the pattern left no choice.
        stopped: why the search ended early.
        time_limit_s: its time limit.
        duration_ms: how long it took.
    """

    mode: OutputMode
    pattern: str
    root: str
    num_files: int = 0
    filenames: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    content: str | None = None
    files: tuple[FileLines, ...] = ()
    num_lines: int = 0
    num_matches: int = 0
    counted: Unit = "matching line"
    total: int = 0
    unit: Unit = "file"
    shown: int = 0
    applied_limit: int | None = None
    applied_offset: int = 0
    cut_chars: bool = False
    searched: int | None = None
    not_shown: NotShown = NotShown()
    engine: str = "ripgrep"
    engine_note: str = ""
    stopped: str = ""
    time_limit_s: float = 0.0
    duration_ms: int = 0


@dataclass(frozen=True)
class SearchProgress:
    """A search while it runs: how many files match so far, and how long it has taken."""

    found: int
    elapsed_ms: int
