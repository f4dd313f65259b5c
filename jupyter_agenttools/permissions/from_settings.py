"""From settings in the ``settings.json`` schema to what the gate judges by."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, get_args

from ..core.context import (
    AdditionalWorkingDirectory,
    OutputPolicy,
    PermissionMode,
    RuleBehavior,
    RuleSource,
    ToolPermissionContext,
)
from ..core.errors import RuleSyntaxError
from ..core.immutable import freeze
from .matchers import IGNORED_PATH_RULES
from .names import KNOWN_NAMES, meant_name
from .paths import compile_path_pattern
from .rules import PermissionRule, make_rule
from .sandbox_settings import NOTHING_SAID, SandboxLayer, sandbox_layer
from .schema import RULE_KEYS, PermissionSettings, Settings, SettingsFault, read_schema, unknown_keys
from .system_texts import check_texts

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
_ALIASES: Mapping[str, PermissionMode] = {"manual": "default"}
WORKSPACE: frozenset[RuleSource] = frozenset({"projectSettings", "localSettings"})
"""Sources that come with a project: what widens rights in them counts only when a person has approved it."""

_PATH_RULES = IGNORED_PATH_RULES | {"Read", "Edit"}


@dataclass(frozen=True)
class ParsedSettings:
    """One settings object, read and checked.

    Args:
        source: where it comes from.
        permission: what it says about rights, alone.
        mode: its permission mode, ``None`` when it does not name one.
        bypass_disabled, auto_disabled: it forbids the mode ``bypassPermissions``, or ``auto``, for every source.
        env: variables for tools.
        notes: what a person should know about it.
        kept: keys that have no effect here, as they came.
        hooks_disabled: it turns hooks off, or on again, ``None`` when it does not say.
        managed_rules_only, managed_hooks_only: only the rules, or hooks, of managed settings are to count.
        plans_directory, cleanup_days: where plans are kept, and how long sessions; ``None`` when it does not say.
        repl_mode: whether it wants REPL mode, ``None`` when it does not say.
        notebook_outputs: what it wants with the outputs of edited cells, ``None`` when it does not say.
        sandbox: what it says of the sandbox for commands.
        hooks: its hooks, raw.
    """

    source: RuleSource
    permission: ToolPermissionContext
    mode: PermissionMode | None = None
    bypass_disabled: bool = False
    auto_disabled: bool = False
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    kept: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    hooks_disabled: bool | None = None
    managed_rules_only: bool = False
    managed_hooks_only: bool = False
    plans_directory: str | None = None
    cleanup_days: int | None = None
    notebook_outputs: OutputPolicy | None = None
    repl_mode: bool | None = None
    sandbox: SandboxLayer = NOTHING_SAID
    hooks: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def build_permission_context(
    settings: Mapping[str, Any] | None,
    *,
    cwd: str,
    source: RuleSource = "session",
    project_root: str | None = None,
) -> ToolPermissionContext:
    """What does the gate judge by under these settings?

    Args:
        settings: an object in the ``settings.json`` schema, or ``None`` for none.
        cwd: absolute folder of the session. source: where the rules are said to come from.
        project_root: folder that ``/path`` in project rules starts from; ``cwd`` when not given.

    Raises:
        SettingsError: a value of the wrong kind, an unknown mode, or a rule that cannot be read. A bad rule is never
            left out.
    """
    parsed = parse_settings({} if settings is None else settings, cwd=cwd, source=source, project_root=project_root)
    return merge_contexts([parsed])


def parse_settings(
    settings: Mapping[str, Any], *, cwd: str, source: RuleSource = "session", project_root: str | None = None
) -> ParsedSettings:
    """One settings object as the parts that are used from it. Arguments as in :func:`build_permission_context`.

    Raises:
        SettingsError: names the key that is wrong, what it holds and what it should hold.
    """
    checked = read_schema(settings)
    permissions = checked.permissions
    check_texts(checked)
    mode, mode_notes = _mode(permissions, source)
    sandbox, sandbox_notes = sandbox_layer(checked.sandbox, cwd)
    rules = {behavior: _rules(permissions, behavior, source) for behavior in get_args(RuleBehavior)}
    permission = ToolPermissionContext(
        additional_working_directories=_directories(permissions.additionalDirectories, cwd, source),
        always_allow_rules=_by_source(source, rules["allow"]),
        always_ask_rules=_by_source(source, rules["ask"]),
        always_deny_rules=_by_source(source, rules["deny"]),
        rule_roots=rule_roots(cwd, project_root),
    )
    return ParsedSettings(
        source=source,
        permission=permission,
        mode=mode,
        bypass_disabled=permissions.disableBypassPermissionsMode is not None,
        auto_disabled="disable" in (permissions.disableAutoMode, checked.disableAutoMode),
        env=freeze(checked.env),
        notes=(*mode_notes, *sandbox_notes, *_notes(checked, source, rules)),
        kept=freeze(checked.model_extra or {}),
        hooks_disabled=checked.disableAllHooks,
        managed_rules_only=source == "managed" and checked.allowManagedPermissionRulesOnly,
        managed_hooks_only=source == "managed" and checked.allowManagedHooksOnly,
        plans_directory=checked.plansDirectory,
        cleanup_days=checked.cleanupPeriodDays,
        notebook_outputs=checked.notebookOutputs,
        repl_mode=checked.replMode,
        sandbox=sandbox,
        hooks=freeze(checked.hooks),
    )


def rule_roots(cwd: str, project_root: str | None = None) -> Mapping[RuleSource, str]:
    """For each source, the folder that ``/path`` in its rules starts from."""
    return {
        "managed": "/",
        "commandLine": cwd,
        "session": cwd,
        "localSettings": cwd,
        "projectSettings": project_root or cwd,
        "userSettings": os.path.join(os.path.expanduser("~"), ".claude"),
    }


def _by_source(source: RuleSource, rules: Sequence[PermissionRule]) -> Mapping[RuleSource, tuple[str, ...]]:
    return {source: tuple(dict.fromkeys(rule.text for rule in rules))} if rules else {}


def _rules(permissions: PermissionSettings, behavior: RuleBehavior, source: RuleSource) -> tuple[PermissionRule, ...]:
    made = []
    for i, text in enumerate(getattr(permissions, behavior)):
        try:
            rule = make_rule(text, source, behavior)
            if rule.tool_name in _PATH_RULES and rule.specifier is not None:
                compile_path_pattern(rule.specifier, behavior)
        except RuleSyntaxError as error:
            raise SettingsFault(f"`permissions.{behavior}[{i}]`: {error}", ("permissions", behavior, i)) from error
        made.append(rule)
    return tuple(made)


def _mode(permissions: PermissionSettings, source: RuleSource) -> tuple[PermissionMode | None, tuple[str, ...]]:
    name = permissions.defaultMode
    if name is None:
        return None, ()
    if name == "auto" and source in WORKSPACE:
        return None, ("the permission mode `auto` is not taken from the settings of a project; yours may name it",)
    mode = _ALIASES.get(name, name)
    if mode not in MODES:
        near = difflib.get_close_matches(name, [*MODES, *_ALIASES], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        names = ", ".join(MODES)
        raise SettingsFault(
            f"`permissions.defaultMode`: {name!r} is not a mode ({names}){hint}", ("permissions", "defaultMode")
        )
    return mode, ()


def _directories(paths: Iterable[str], cwd: str, source: RuleSource) -> Mapping[str, AdditionalWorkingDirectory]:
    absolute = (os.path.normpath(os.path.join(cwd, os.path.expanduser(path))) for path in paths)
    return {path: AdditionalWorkingDirectory(path, source) for path in absolute}


def _notes(
    checked: Settings, source: RuleSource, rules: Mapping[RuleBehavior, Sequence[PermissionRule]]
) -> Iterator[str]:
    if unknown := list(_unknown_keys(checked)):
        kept = "is kept; it has" if len(unknown) == 1 else "are kept; they have"
        yield f"{', '.join(unknown)} {kept} no effect here{_meant(checked)}"
    for key in ("allowManagedPermissionRulesOnly", "allowManagedHooksOnly"):
        if source != "managed" and getattr(checked, key):
            yield f"`{key}` counts in managed settings only"
    for rule in rules["allow"]:
        if rule.tool_name in IGNORED_PATH_RULES and rule.specifier is not None:
            instead = "Edit" if rule.tool_name in ("Write", "NotebookEdit", "MultiEdit") else "Read"
            yield f"the allow rule {rule.text} has no effect: write it for {instead}, which governs {rule.tool_name}"
    yield from (_unknown_name(rule) for behavior in ("deny", "ask") for rule in rules[behavior] if _is_unknown(rule))


def _meant(checked: Settings) -> str:
    """A guess at what mistyped keys that give or take no rights were to be."""
    known = {name.lower(): name for name in Settings.model_fields}
    near = (difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.8) for key in checked.model_extra or ())
    meant = [f"`{known[found[0]]}`" for found in near if found]
    return f"; did you mean {', '.join(meant)}?" if meant else ""


def _unknown_keys(checked: Settings) -> Iterator[str]:
    yield from unknown_keys(checked)
    yield from unknown_keys(checked.permissions, "permissions.")
    yield from unknown_keys(checked.sandbox, "sandbox.")
    yield from unknown_keys(checked.sandbox.filesystem, "sandbox.filesystem.")
    yield from unknown_keys(checked.sandbox.network, "sandbox.network.")


def _is_unknown(rule: PermissionRule) -> bool:
    return rule.tool_name not in KNOWN_NAMES and "*" not in rule.tool_name and not rule.tool_name.startswith("mcp__")


def _unknown_name(rule: PermissionRule) -> str:
    """A rule that guards nothing looks like one that does, so this is said."""
    near = meant_name(rule.tool_name, 0.6)
    hint = f"; did you mean {near}?" if near else ", unless a tool of your own has that name"
    return f"the {rule.behavior} rule {rule.text} guards nothing: no tool is called {rule.tool_name}{hint}"


def merge_contexts(layers: Sequence[ParsedSettings]) -> ToolPermissionContext:
    """What all these settings say together: lists are joined, and the mode of the last one that names one holds.

    Args:
        layers: the weakest first; at least one.
    """
    merged = layers[0].permission
    for layer in layers[1:]:
        own = layer.permission
        merged = replace(
            merged,
            additional_working_directories={
                **merged.additional_working_directories,
                **own.additional_working_directories,
            },
            rule_roots={**merged.rule_roots, **own.rule_roots},
            **{f"always_{key}_rules": _joined(merged, own, key) for key in RULE_KEYS},
        )
    mode = next((layer.mode for layer in reversed(layers) if layer.mode is not None), "default")
    if mode in forbidden_modes(layers):
        mode = "default"
    return replace(merged, mode=mode, is_bypass_permissions_mode_available=mode == "bypassPermissions")


def forbidden_modes(layers: Iterable[ParsedSettings]) -> frozenset[str]:
    """The modes that one of these settings forbids for all of them."""
    forbidden = [("bypassPermissions", "bypass_disabled"), ("auto", "auto_disabled")]
    layers = tuple(layers)
    return frozenset(mode for mode, name in forbidden if any(getattr(layer, name) for layer in layers))


def _joined(
    first: ToolPermissionContext, second: ToolPermissionContext, behavior: RuleBehavior
) -> Mapping[RuleSource, tuple[str, ...]]:
    joined = dict(first.rules(behavior))
    for source, rules in second.rules(behavior).items():
        joined[source] = tuple(dict.fromkeys((*joined.get(source, ()), *rules)))
    return joined


def asking_everything(permission: ToolPermissionContext, source: RuleSource) -> ToolPermissionContext:
    """The same rights, but every call that is not denied asks: for when not all rules could be read."""
    return permission.with_rule("ask", source, "*")
