"""What the settings of a session add up to, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..core.context import OutputPolicy, RuleSource, ToolPermissionContext
from ..core.sandboxing import NO_SANDBOX, SandboxSettings
from .contents import Contents
from .hook_layers import HookLayer
from .origin import SettingsOrigin

CLEANUP_DAYS = 30
"""How long the folders of sessions are kept when no settings say so (the documented default)."""


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
class LoadedSettings:
    """Everything that the settings of a session add up to.

    Args:
        layers: the files that exist, weakest first.
        notes: what a person should be told: what was not used and why, what has no effect.
        permission: what the gate judges by. When a file is broken every call that is not denied asks.
        env: variables for tools.
        broken: a file, or the hooks in one, could not be used.
        notebook_outputs: what an edit of a code cell does with its outputs.
        repl_mode: whether the session begins in REPL mode, ``None`` when no settings say.
        sandbox: whether and how commands run in the sandbox.
        hook_layers: the hooks of every source, weakest source first, also of those that do not run (``off`` says why).
        forbidden_modes: permission modes that some settings forbid for this session.
        managed_rules_only: only managed settings may allow anything, so nobody can add an allow rule.
        plans_directory: absolute folder for plans, ``None`` when no settings name one.
        cleanup_days: how long the folders of sessions are kept.
        origin: where all of it comes from. contents: what the files held.
    """

    layers: tuple[SettingsLayer, ...]
    notes: tuple[str, ...]
    permission: ToolPermissionContext
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    broken: bool = False
    notebook_outputs: OutputPolicy = "clear"
    repl_mode: bool | None = None
    sandbox: SandboxSettings = NO_SANDBOX
    hook_layers: tuple[HookLayer, ...] = ()
    forbidden_modes: frozenset[str] = frozenset()
    managed_rules_only: bool = False
    plans_directory: str | None = None
    cleanup_days: int = CLEANUP_DAYS
    origin: SettingsOrigin = field(default_factory=lambda: SettingsOrigin("/"))
    contents: Contents = field(default_factory=Contents)
