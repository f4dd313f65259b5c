"""What do settings of many sources say together?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..core.context import RuleSource, ToolPermissionContext
from ..core.immutable import freeze
from ..permissions.from_settings import (
    WORKSPACE,
    ParsedSettings,
    asking_everything,
    forbidden_modes,
    merge_contexts,
)
from ..permissions.sandbox_settings import merged_sandbox
from .contents import Contents
from .hook_layers import HookLayer
from .loaded import CLEANUP_DAYS, LoadedSettings, SettingsLayer
from .origin import SettingsOrigin
from .places import project_root

_MODE_NOTES: Mapping[str, tuple[str, ...]] = {
    "auto": ("the mode auto lets a classifier decide; where a session has none, it asks as the mode default does",),
    "bypassPermissions": (
        "the mode bypassPermissions lets calls pass without a question; deny and ask rules, protected places and "
        "critical removals still stop them",
    ),
}
"""What nobody should be in without knowing it."""


class UsedSettings(NamedTuple):
    """Settings of one source as they are used.

    Attributes:
        parsed: what they say; only what takes rights away where nobody has approved them.
        path: their file, ``None`` where they have none.
        trusted: whether they are the person's own, or were approved.
    """

    parsed: ParsedSettings
    path: Path | None = None
    trusted: bool = True


def nothing(roots: Mapping[RuleSource, str]) -> UsedSettings:
    """Settings that say nothing."""
    return UsedSettings(ParsedSettings("session", ToolPermissionContext(rule_roots=roots)))


def fold(
    origin: SettingsOrigin,
    contents: Contents,
    layers: Sequence[SettingsLayer],
    used: Sequence[UsedSettings],
    notes: Iterable[str],
) -> LoadedSettings:
    """All of ``used`` together, the weakest first. Every broken one of ``layers`` makes every call ask."""
    parsed = [each.parsed for each in used]
    only_managed = any(each.managed_rules_only for each in parsed)
    permission = merge_contexts([_without_allow(each) for each in parsed] if only_managed else parsed)
    broken = [layer for layer in layers if layer.error]
    for layer in broken:
        permission = asking_everything(permission, layer.source)
    plans = [(each.plans_directory, each.source) for each in parsed if each.plans_directory is not None]
    hooks = hook_layers(used)
    plans_directory, plan_notes = _plans_directory(plans, origin.cwd)
    return LoadedSettings(
        tuple(layers),
        (*notes, *plan_notes, *_MODE_NOTES.get(permission.mode, ())),
        permission,
        freeze({name: value for each in parsed for name, value in each.env.items()}),
        broken=bool(broken) or any(layer.unreadable for layer in hooks),
        notebook_outputs=_last(parsed, "notebook_outputs", "clear"),
        repl_mode=_last(parsed, "repl_mode", None),
        sandbox=merged_sandbox([each.sandbox for each in parsed]),
        hook_layers=hooks,
        forbidden_modes=forbidden_modes(parsed),
        managed_rules_only=only_managed,
        plans_directory=plans_directory,
        cleanup_days=_last(parsed, "cleanup_days", CLEANUP_DAYS),
        origin=origin,
        contents=contents,
    )


def _last(parsed: Sequence[ParsedSettings], name: str, otherwise: Any) -> Any:
    return next((value for each in reversed(parsed) if (value := getattr(each, name)) is not None), otherwise)


def _without_allow(parsed: ParsedSettings) -> ParsedSettings:
    """What other settings may still say where only managed ones give rights: deny and ask rules hold from anywhere."""
    if parsed.source == "managed":
        return parsed
    return replace(parsed, permission=replace(parsed.permission, always_allow_rules={}))


def hook_layers(used: Sequence[UsedSettings]) -> tuple[HookLayer, ...]:
    """The hooks of every source, and why those that do not run are off."""
    only_managed = any(each.parsed.managed_hooks_only for each in used)
    off = _last([each.parsed for each in used], "hooks_disabled", False)
    managed = [each.parsed for each in used if each.parsed.source == "managed"]
    managed_off = _last(managed, "hooks_disabled", False)

    def why(each: UsedSettings) -> str:
        source = each.parsed.source
        if not each.trusted:
            return "nobody has approved this file as it is now"
        if managed_off if source == "managed" else off:
            return "`disableAllHooks` is set"
        if only_managed and source not in ("managed", "session"):
            return "`allowManagedHooksOnly` is set"
        return ""

    return tuple(
        HookLayer(each.parsed.source, each.path, each.parsed.hooks, each.trusted, why(each))
        for each in used
        if any(groups != () for groups in each.parsed.hooks.values())
    )


def _plans_directory(named: Sequence[tuple[str, RuleSource]], cwd: str) -> tuple[str | None, tuple[str, ...]]:
    """The folder for plans. One that the files of a project name has to be inside of the project."""
    root = os.path.realpath(project_root(cwd))
    notes = []
    for text, source in reversed(named):
        folder = os.path.realpath(os.path.join(root, os.path.expanduser(text)))
        if source not in WORKSPACE or os.path.commonpath([root, folder]) == root:
            return folder, tuple(notes)
        notes.append(f"`plansDirectory` of a project has to be inside of it: {text} is not used")
    return None, tuple(notes)
