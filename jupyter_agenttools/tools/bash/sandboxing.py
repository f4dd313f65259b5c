"""Does this command run in the sandbox, and what can it do there?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...core.context import ToolPermissionContext, ToolUseContext
from ...core.home import agenttools_home
from ...core.sandboxing import SandboxSettings
from ...permissions.command.matching import compile_command_pattern, covers
from ...permissions.command.plain import plain_calls
from ...permissions.lookup import matching_rule_for_path
from ...permissions.protected import PROTECTED_FILES, PROTECTED_FOLDERS
from ...permissions.question import working_directories
from ...permissions.roots import is_inside
from ...permissions.table import table_of
from ...shell import Protection, SandboxProfile, sandbox_support

MISSING = (".agenttools", ".claude", ".envrc", ".git", ".husky", ".ipython", ".jupyter", ".mcp.json", ".vscode")
"""What a project may lack and a command must not plant there: each makes some program run something."""

MAX_LOOKED_AT = 20_000
"""So many files below the working directories are compared with rules about paths."""

SandboxState = Literal["off", "sandbox", "outside", "unavailable"]


@dataclass(frozen=True)
class SandboxChoice:
    """Where a command runs.

    Args:
        state: ``off`` (nobody wants the sandbox), ``sandbox``, ``outside`` (by the input or by a setting),
            ``unavailable`` (wanted, and not to be had).
        reason: why, for ``outside`` and ``unavailable``.
        is_required: nothing may run without the sandbox.
    """

    state: SandboxState
    reason: str = ""
    is_required: bool = False

    @property
    def refusal(self) -> str:
        """Why nothing can be run; empty when it can."""
        if self.state != "unavailable" or not self.is_required:
            return ""
        return (
            f'The settings require the sandbox ("sandbox": {{"mode": "required"}}), and there is none: {self.reason}. '
            "Nothing was run"
        )


def choose_sandbox(command: str, is_disabled: bool, context: ToolUseContext) -> SandboxChoice:
    """Where does this command run?

    Args:
        is_disabled: the input asks for running outside of it.
    """
    wanted = context.options.sandbox
    if wanted.mode == "off":
        return SandboxChoice("off")
    if is_disabled and wanted.allow_unsandboxed:
        return SandboxChoice("outside", "the call asks to run outside of it")
    if is_excluded(command, wanted.excluded_commands):
        return SandboxChoice("outside", "a setting keeps this command out of it")
    support = sandbox_support()
    if support.program is None:
        return SandboxChoice("unavailable", support.problem, wanted.mode == "required")
    return SandboxChoice("sandbox")


def is_excluded(command: str, patterns: tuple[str, ...]) -> bool:
    """Whether settings name every call of the command. Of one that is more than plain calls nothing is excluded."""
    if not patterns:
        return False
    calls = plain_calls(command)
    if calls is None:
        return False
    compiled = [compile_command_pattern(p if "*" in p or " " in p else f"{p} *") for p in patterns]
    return all(any(covers(pattern, call) for pattern in compiled) for call in calls)


def sandbox_profile(context: ToolUseContext) -> SandboxProfile:
    """What a command can do in the sandbox of this session: write in the working directories, but for protected places.

    Deny rules about paths hold inside as well: what must not be read cannot be seen, what must not be changed is
    read-only. When nobody was asked, repositories are read-only as a whole.
    """
    wanted = context.options.sandbox
    roots = working_directories(context.permission, context.cwd)
    extra = tuple(path for path in map(os.path.realpath, wanted.allow_write) if os.path.isdir(path))
    denied = dict(_denied(roots, context.permission, context.cwd))
    hidden = tuple(path for path, access in denied.items() if access == "read")
    fixed = tuple(path for path, access in denied.items() if access == "edit")
    return SandboxProfile(
        writable=tuple(dict.fromkeys((*filter(os.path.isdir, roots), *extra))),
        read_only=(*fixed, *wanted.deny_write, *_own_places(roots)),
        hidden=(*wanted.deny_read, *hidden),
        protected=Protection(PROTECTED_FOLDERS | PROTECTED_FILES, MISSING, whole_git=context.hardened),
        network=wanted.network,
    )


def _own_places(roots: tuple[str, ...]) -> Iterator[str]:
    """This package's own folder, where it lies in a working directory."""
    home = os.path.realpath(agenttools_home())
    if os.path.isdir(home) and is_inside(home, roots):
        yield home


def rules_can_hold(context: ToolUseContext) -> bool:
    """Whether every file that a rule about paths may be about was looked at; else a person has to be asked."""
    roots = working_directories(context.permission, context.cwd)
    if not _has_path_rules(context.permission):
        return True
    return sum(1 for _ in _files(roots)) <= MAX_LOOKED_AT and not _asks_about_paths(context.permission)


def _denied(
    roots: tuple[str, ...], permission: ToolPermissionContext, cwd: str
) -> Iterator[tuple[str, Literal["read", "edit"]]]:
    if not _has_path_rules(permission):
        return
    for path in _files(roots):
        for access in ("read", "edit"):
            if matching_rule_for_path(path, permission, cwd=cwd, access=access, behavior="deny") is not None:
                yield path, access
                break


def _has_path_rules(permission: ToolPermissionContext) -> bool:
    rules = table_of(permission).rules
    found = (*rules["deny"], *rules["ask"])
    return any(rule.tool_name in ("Read", "Edit") and rule.specifier is not None for rule in found)


def _asks_about_paths(permission: ToolPermissionContext) -> bool:
    """Whether a rule wants a person to decide about some paths, which cannot be put into the sandbox."""
    return any(rule.tool_name in ("Read", "Edit") for rule in table_of(permission).rules["ask"])


def _files(roots: tuple[str, ...]) -> Iterator[str]:
    """Files and folders below the roots, at most one more than are looked at."""
    count = 0
    for root in roots:
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in (".git", "node_modules")]
            for name in (*folders, *files):
                yield os.path.join(folder, name)
                count += 1
                if count > MAX_LOOKED_AT:
                    return


def sandbox_prompt(wanted: SandboxSettings) -> str:
    """What the model is told of the sandbox."""
    way_out = (
        " When a command fails only because of that (`Read-only file system`, no network), say so and call again with "
        "`dangerouslyDisableSandbox`: the person is then always asked."
        if wanted.allow_unsandboxed
        else " There is no way to run a command outside of it."
    )
    net = "the network can be reached" if wanted.network else "there is no network"
    return (
        "- Commands run in a sandbox: they can write only to the working directories and to a `/tmp` of their own that "
        f"is gone after each call; settings, hooks, keys and local sockets are out of reach; {net}.{way_out}\n"
    )
