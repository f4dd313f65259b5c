"""What the settings of a session add up to, as data."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..core.context import OutputPolicy, RuleSource, ToolPermissionContext
from ..core.sandboxing import NO_SANDBOX, SandboxSettings
from .hook_layers import HookLayer
from .places import MANAGED_FOLDER, SettingsFile, SettingsPlaces
from .trust import trust_file

CLEANUP_DAYS = 30
"""How long the folders of sessions are kept when no settings say so (the documented default)."""

Stamp = tuple[str, int, int, int]
Fingerprint = tuple[Stamp, ...]
"""For each path: the inode, the size and the time of its last change."""


@dataclass(frozen=True)
class SettingsLayer:
    """One settings file.

    Args:
        source, path: what it is and where. data: the object in it, empty when it is broken.
        trusted: whether what widens rights in it is used.
        error: why it cannot be used, with the line, ``""`` when it can.
    """

    source: RuleSource
    path: Path
    data: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    trusted: bool = True
    error: str = ""


@dataclass(frozen=True)
class SettingsOrigin:
    """Where the settings of a session come from, so that they can be read again.

    Args:
        cwd: absolute folder of the session when it began.
        own: settings that a program handed over.
        command_line: a file that the person who started the process named.
        places: the other files; ``None`` for none at all.
    """

    cwd: str
    own: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    command_line: Path | None = None
    places: SettingsPlaces | None = None

    def files(self) -> tuple[SettingsFile, ...]:
        """Every file that may hold settings, whether it exists or not, weakest first."""
        return () if self.places is None else self.places.files(self.cwd, self.command_line)

    def watched(self) -> tuple[str, ...]:
        """The paths that a fingerprint is made of: the files, the record of approvals, and the folders that would bring
        other files if they came to be."""
        if self.places is None:
            return ()
        files = (str(file.path) for file in self.files())
        return (*files, str(trust_file()), *map(str, self.places.folders(self.cwd)))


def fingerprint(paths: Iterable[str]) -> Fingerprint:
    """Something that is another thing after any of the files at these paths was changed, or a folder came or went."""
    return tuple(_stamp(path) for path in paths)


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return (path, 0, 0, 0)
    if stat.S_ISDIR(status.st_mode):
        changed = status.st_mtime_ns if path.endswith(MANAGED_FOLDER) else 0
        return (path, status.st_ino, 0, changed)
    return (path, status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True)
class LoadedSettings:
    """Everything that the settings of a session add up to.

    Args:
        layers: the files that exist, weakest first.
        notes: what a person should be told: what was not used and why, what has no effect.
        permission: what the gate judges by. When a file is broken every call that is not denied asks.
        env: variables for tools.
        broken: a file could not be used.
        notebook_outputs: what an edit of a code cell does with its outputs.
        sandbox: whether and how commands run in the sandbox.
        hook_layers: the hooks of every source, weakest source first, also of those that do not run (``off`` says why).
        forbidden_modes: permission modes that some settings forbid for this session.
        managed_rules_only: only managed settings may allow anything, so nobody can add an allow rule.
        plans_directory: absolute folder for plans, ``None`` when no settings name one.
        cleanup_days: how long the folders of sessions are kept.
        origin: where all of it comes from. fingerprint: of the files when they were read.
    """

    layers: tuple[SettingsLayer, ...]
    notes: tuple[str, ...]
    permission: ToolPermissionContext
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    broken: bool = False
    notebook_outputs: OutputPolicy = "clear"
    sandbox: SandboxSettings = NO_SANDBOX
    hook_layers: tuple[HookLayer, ...] = ()
    forbidden_modes: frozenset[str] = frozenset()
    managed_rules_only: bool = False
    plans_directory: str | None = None
    cleanup_days: int = CLEANUP_DAYS
    origin: SettingsOrigin = SettingsOrigin("/")
    fingerprint: Fingerprint = ()
