"""One call as the rules see it."""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from ..core.call import HookEffects
from ..core.context import ToolPermissionContext, ToolUseContext
from ..core.decision import PASSTHROUGH, PermissionResult
from ..core.faults import faults
from ..core.names import POWERSHELL_TOOL_NAME
from ..core.tool import Tool
from .command.any_reads import Reached, any_reads
from .command.any_writes import Touched, any_writes
from .command.coverage import Coverage, Overview
from .command.parse import parse_command
from .command.parsed import ParsedCommand
from .command.survey import Survey, survey
from .command.writes import Write, certain_writes
from .domains import host_of, is_web
from .folders import entries_below
from .paths import PathForms, path_forms
from .roots import is_inside, resolve_all
from .sed_command import read_sed_command, written_paths

_COMMAND_WORD = re.compile(r"[^\s'\"`$(){};|&<>]+")


def base_folder(permission: ToolPermissionContext, cwd: str) -> str:
    """The folder that relative rules and the first working directory mean: where the session began.

    A command that moved the session's shell elsewhere does not move what rules are about.
    """
    return permission.rule_roots.get("session", cwd)


def working_directories(permission: ToolPermissionContext, cwd: str) -> tuple[str, ...]:
    """The folders in which tools may read freely, links followed."""
    return resolve_all((base_folder(permission, cwd), *permission.additional_working_directories))


class Question:
    """May this call run? What the checks need to know of it, worked out when it is first asked for.

    Attributes:
        opinion: what the tool's own check said, once it was asked.
        coverage: what the allow rules say of the command, once they were asked. overview: that, with what they leave
            open, where both were found in one go.
        cwd: where the call would run. base: what relative rules are taken from.
    """

    def __init__(
        self, tool: Tool, input: Any, observed: Mapping[str, Any], context: ToolUseContext, hook: HookEffects
    ) -> None:
        self.tool = tool
        self.input = input
        self.observed = observed
        self.context = context
        self.hook = hook
        self.permission = context.permission
        self.cwd = context.cwd
        self.base = base_folder(self.permission, self.cwd)
        self.opinion: PermissionResult = PASSTHROUGH
        self.coverage: Coverage | None = None
        self.overview: Overview | None = None

    @cached_property
    def roots(self) -> tuple[str, ...]:
        return working_directories(self.permission, self.cwd)

    @cached_property
    def own_results(self) -> tuple[str, ...]:
        """Where this session keeps what the conversation was shown a part of; nowhere else, if that became a link."""
        folder = self.context.results_dir
        return (os.path.join(os.path.realpath(folder.parent), folder.name),)

    @cached_property
    def command(self) -> str | None:
        """The text of a command tool; ``None`` for any other tool, whatever its text looks like."""
        if self.tool.rule_family != "command":
            return None
        value = self.observed.get("command" if "command" in self.observed else self.tool.primary_field or "command")
        return value if isinstance(value, str) else None

    @cached_property
    def is_bash(self) -> bool:
        """Whether the command is for bash; other shells are not read, only compared as text."""
        return self.tool.name != POWERSHELL_TOOL_NAME

    @cached_property
    def parsed(self) -> ParsedCommand:
        if not self.is_bash:
            return ParsedCommand("too-complex", reason="not a command for bash", check_id="other-shell")
        return parse_command(self.command or "")

    @cached_property
    def survey(self) -> Survey:
        """Every path that the command may touch."""
        return survey(self.command or "", self.cwd) if self.is_bash else Survey((), self._words())

    def _words(self) -> tuple[str, ...]:
        return tuple(word for word in _COMMAND_WORD.findall(self.command or "") if "\0" not in word)

    @cached_property
    def command_paths(self) -> tuple[PathForms, ...]:
        """Every path that a command may read: exact for programs that are known, else each word that could be one."""
        known = (PathForms(read.given, read.path) for read in self.survey.reads)
        other = (path_forms(path, self.cwd) for path in self._other_reads.paths)
        return (*known, *self.possible_paths, *other)

    @cached_property
    def _other_reads(self) -> Reached:
        if not self.is_bash or self.command is None:
            return Reached((), ())
        return any_reads(self.command, self.cwd, self._environment)

    @property
    def _environment(self) -> Mapping[str, str]:
        return ChainMap(dict(self.context.state.shell_env), os.environ)

    @cached_property
    def possible_paths(self) -> tuple[PathForms, ...]:
        """Every word of a command that could be a path and of which it is not known that it is only read."""
        return tuple(path_forms(word, self.cwd) for word in self.survey.words)

    @cached_property
    def edited_paths(self) -> tuple[PathForms, ...]:
        """What a command certainly writes, as far as that is known."""
        certain = [path for write in (*self.writes, *self.other_writes) for path in write.forms()]
        return tuple(path_forms(path, self.cwd) for path in dict.fromkeys(certain))

    @cached_property
    def other_writes(self) -> tuple[Write, ...]:
        """What it writes that only shows when every reading of it is looked at."""
        command, found = self.command or "", []
        for touched in self.touched:
            if touched.path is not None and touched.certain:
                start = command.find(touched.shown)
                end = start + len(touched.shown) if start >= 0 else len(command)
                found.append(Write(touched.path, max(start, 0), end))
        return tuple(found)

    @cached_property
    def touched(self) -> tuple[Touched, ...]:
        """What a command may write, in every reading of it."""
        if not self.is_bash or self.command is None:
            return ()
        return tuple(any_writes(self.command, self.cwd, self._environment))

    @cached_property
    def may_write_anything(self) -> bool:
        """Whether it is not known what a command writes."""
        return any(touched.path is None for touched in self.touched) or None in self._reached

    @cached_property
    def reached_paths(self) -> tuple[PathForms, ...]:
        """What a command may write that it does not name itself: what lies below the folders that it works on."""
        return tuple(PathForms(path, path) for path in self._reached if path is not None)

    @cached_property
    def _reached(self) -> frozenset[str | None]:
        found: set[str | None] = set()
        for touched in dict.fromkeys(self.touched):
            if touched.path is None:
                continue
            if not touched.certain:
                found.add(touched.path)
            if touched.kind in ("tree", "named", "shown"):
                for path in entries_below(touched.path):
                    name = "" if path is None else os.path.basename(path)
                    if path is None or not touched.names or any(fnmatchcase(name, test) for test in touched.names):
                        found.add(path)
        return frozenset(found)

    @cached_property
    def writes(self) -> tuple[Write, ...]:
        """The same with the parts of the command that write it."""
        if not self.is_bash or self.command is None:
            return ()
        sed = read_sed_command(self.command, self.cwd)
        by_sed = () if sed is None else written_paths(sed, self.cwd)
        end = len(self.command)
        return (*(Write(path, 0, end) for path in by_sed), *certain_writes(self.command, self.cwd))

    @cached_property
    def trees(self) -> tuple[str, ...]:
        """The folders of which a command reads everything below."""
        trees = (read.path for read in self.survey.reads if read.whole_tree)
        return tuple(dict.fromkeys((*trees, *map(os.path.realpath, self._other_reads.trees))))

    @cached_property
    def paths(self) -> PathForms | None:
        """The path that the call touches; for a search without one the working directory."""
        path = self.tool.get_path(self.observed)
        if path is None and self.tool.rule_family == "read":
            path = self.cwd
        return None if path is None else path_forms(os.fspath(path), self.cwd)

    @cached_property
    def paths_to_allow(self) -> PathForms | None:
        """The forms of the path that an allow rule has to be about. That a path is written as one in the working
        directories needs no rule: of a link that leads out of them only the place counts."""
        paths = self.paths
        if paths is not None and is_inside(paths.given, (*self.roots, self.base)):
            return PathForms(paths.resolved, paths.resolved)
        return paths

    @cached_property
    def host(self) -> str | None:
        url = self.observed.get("url")
        return host_of(url) if isinstance(url, str) else None

    @cached_property
    def host_to_allow(self) -> str | None:
        """The host that an allow rule has to be about, ``None`` when none can be."""
        return self.host if is_web(str(self.observed.get("url"))) else None

    @cached_property
    def is_read_only(self) -> bool:
        """The tool's own flag; a fault in it counts as no."""
        try:
            return bool(self.tool.is_read_only(self.input))
        except faults():  # a flag that cannot be worked out must not widen anything
            return False
