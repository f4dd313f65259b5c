"""Changes of the rights as data: what a person's answer, a hook or a command wants changed, and where it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from .context import AdditionalWorkingDirectory, PermissionMode, RuleBehavior, ToolPermissionContext

RuleScope = Literal["session", "localSettings", "projectSettings", "userSettings"]
"""Where a change is kept: this session, or a settings file."""


@dataclass(frozen=True)
class AddRules:
    """Put rules behind those that there are; what is there already is not put in twice.

    Args:
        rules: their texts, as ``format_rule`` writes them.
    """

    rules: tuple[str, ...]
    behavior: RuleBehavior = "allow"
    destination: RuleScope = "session"


@dataclass(frozen=True)
class ReplaceRules:
    """Let these be all rules of one behaviour and destination."""

    rules: tuple[str, ...]
    behavior: RuleBehavior = "allow"
    destination: RuleScope = "session"


@dataclass(frozen=True)
class RemoveRules:
    """Take rules away; one that is not there is passed over."""

    rules: tuple[str, ...]
    behavior: RuleBehavior = "allow"
    destination: RuleScope = "session"


@dataclass(frozen=True)
class SetMode:
    """Let this be the mode: of the session, or the one that sessions begin in under a settings file."""

    mode: PermissionMode
    destination: RuleScope = "session"


@dataclass(frozen=True)
class AddDirectories:
    """Let tools work in more folders.

    Args:
        directories: absolute paths.
    """

    directories: tuple[str, ...]
    destination: RuleScope = "session"


@dataclass(frozen=True)
class RemoveDirectories:
    """Take folders away that were added; one that was not is passed over."""

    directories: tuple[str, ...]
    destination: RuleScope = "session"


RulesUpdate = AddRules | ReplaceRules | RemoveRules
DirectoriesUpdate = AddDirectories | RemoveDirectories
PermissionUpdate = RulesUpdate | SetMode | DirectoriesUpdate


def apply_updates(permission: ToolPermissionContext, updates: Iterable[PermissionUpdate]) -> ToolPermissionContext:
    """What are the rights after these changes? Says nothing of whether somebody may make them."""
    for update in updates:
        permission = _applied(permission, update)
    return permission


def _applied(permission: ToolPermissionContext, update: PermissionUpdate) -> ToolPermissionContext:
    if isinstance(update, SetMode):
        return permission if permission.mode == update.mode else replace(permission, mode=update.mode)
    if isinstance(update, (AddDirectories, RemoveDirectories)):
        return _with_directories(permission, update)
    return _with_rules(permission, update)


def _with_rules(permission: ToolPermissionContext, update: RulesUpdate) -> ToolPermissionContext:
    rules, source = permission.rules(update.behavior), update.destination
    now = rules.get(source, ())
    if isinstance(update, RemoveRules):
        then = tuple(rule for rule in now if rule not in update.rules)
    else:
        then = tuple(dict.fromkeys((*(now if isinstance(update, AddRules) else ()), *update.rules)))
    if then == now:
        return permission
    kept = {**rules, source: then}
    return replace(permission, **{f"always_{update.behavior}_rules": {s: r for s, r in kept.items() if r}})


def _with_directories(permission: ToolPermissionContext, update: DirectoriesUpdate) -> ToolPermissionContext:
    folders: Mapping[str, AdditionalWorkingDirectory] = permission.additional_working_directories
    if isinstance(update, AddDirectories):
        new = {path: AdditionalWorkingDirectory(path, update.destination) for path in update.directories}
        then = {**new, **folders}
    else:
        gone = {p for p in update.directories if p in folders and folders[p].source == update.destination}
        then = {path: folder for path, folder in folders.items() if path not in gone}
    return permission if then.keys() == folders.keys() else replace(permission, additional_working_directories=then)
