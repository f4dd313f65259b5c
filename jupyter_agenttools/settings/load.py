"""All settings of a session, read from their files and folded into what the gate judges by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..core.context import OutputPolicy, PermissionMode, RuleSource, ToolPermissionContext
from ..core.errors import SettingsError
from ..core.immutable import freeze
from ..core.sandboxing import NO_SANDBOX, SandboxSettings
from ..permissions.from_settings import (
    ParsedSettings,
    asking_everything,
    merge_contexts,
    parse_settings,
    refuse_hooks,
    rule_roots,
)
from ..permissions.sandbox_settings import SandboxLayer, merged_sandbox, narrowed_sandbox
from ..permissions.schema import SettingsFault
from .files import SettingsFile, line_of, parse_file, project_root, read_file, settings_files
from .trust import is_trusted

_WORKSPACE: frozenset[RuleSource] = frozenset({"projectSettings", "localSettings"})
_WIDTH: Mapping[PermissionMode, int] = {"plan": 0, "dontAsk": 0, "default": 1, "acceptEdits": 2, "bypassPermissions": 3}
"""How much a mode lets pass without asking."""


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
        hooks_present: a file holds command hooks, which are not run: the caller should make everything ask.
        broken: a file could not be used.
        notebook_outputs: what an edit of a code cell does with its outputs.
        sandbox: whether and how commands run in the sandbox.
    """

    layers: tuple[SettingsLayer, ...]
    notes: tuple[str, ...]
    permission: ToolPermissionContext
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    hooks_present: bool = False
    broken: bool = False
    notebook_outputs: OutputPolicy = "clear"
    sandbox: SandboxSettings = NO_SANDBOX


def load_settings(cwd: str, settings: Mapping[str, Any] | None = None) -> LoadedSettings:
    """What do all settings say for a session in ``cwd``?

    Args:
        cwd: absolute folder of the session.
        settings: the session's own settings object, stronger than every file.

    Returns:
        The folded settings. A broken file never raises: it is noted, and everything asks.

    Raises:
        SettingsError: ``settings`` itself cannot be used.
    """
    root = str(project_root(cwd))
    own = parse_settings({} if settings is None else settings, cwd=cwd, source="session", project_root=root)
    refuse_hooks(own)
    layers: list[SettingsLayer] = []
    used: list[ParsedSettings] = [_nothing(cwd, root)]
    notes: list[str] = []
    for file in settings_files(cwd):
        layer, parsed = _load(file, cwd, root)
        if layer is None:
            continue
        layers.append(layer)
        if parsed is None:
            notes.append(f"{layer.error}. Its allow rules are not used, and every call asks until it is mended.")
            continue
        notes.extend(f"{file.path}: {note}" for note in parsed.notes)
        if not layer.trusted:
            parsed, dropped = _narrowed(parsed, _mode_of(used), [layer.sandbox for layer in used])
            notes.extend(_untrusted_note(file, dropped))
        used.append(parsed)
    return _folded(layers, [*used, own], [*notes, *own.notes])


def _nothing(cwd: str, root: str) -> ParsedSettings:
    return ParsedSettings("session", ToolPermissionContext(rule_roots=rule_roots(cwd, root)))


def _load(file: SettingsFile, cwd: str, root: str) -> tuple[SettingsLayer | None, ParsedSettings | None]:
    """The file as a layer, and what it says; no layer when there is no file, nothing said when it is broken."""
    text = ""
    try:
        data = read_file(file.path)
        if data is None:
            return None, None
        text = data.decode("utf-8-sig", "replace")
        value = parse_file(file.path, data)
        parsed = parse_settings(value, cwd=cwd, source=file.source, project_root=root)
    except SettingsFault as fault:
        where = f"{file.path}, line {line_of(text, fault.needle)}"
        return SettingsLayer(file.source, file.path, trusted=False, error=f"{where}: {fault}"), None
    except SettingsError as error:
        return SettingsLayer(file.source, file.path, trusted=False, error=str(error)), None
    trusted = file.source not in _WORKSPACE or is_trusted(file.path, data)
    return SettingsLayer(file.source, file.path, freeze(value), trusted), parsed


def _mode_of(layers: Iterable[ParsedSettings]) -> PermissionMode:
    return next((layer.mode for layer in reversed(list(layers)) if layer.mode is not None), "default")


def _narrowed(
    parsed: ParsedSettings, mode_before: PermissionMode, sandbox_before: Sequence[SandboxLayer] = ()
) -> tuple[ParsedSettings, tuple[str, ...]]:
    """``parsed`` without anything that widens rights, and what was taken out of it."""
    permission = parsed.permission
    dropped = []
    if count := sum(map(len, permission.always_allow_rules.values())):
        dropped.append(f"{count} allow rule{'s' if count > 1 else ''}")
    if count := len(permission.additional_working_directories):
        dropped.append(f"{count} additional director{'ies' if count > 1 else 'y'}")
    if parsed.env:
        dropped.append(f"{len(parsed.env)} variable{'s' if len(parsed.env) > 1 else ''} of `env`")
    mode = parsed.mode
    if mode is not None and _WIDTH[mode] > _WIDTH[mode_before]:
        dropped.append(f"the mode {mode}")
        mode = None
    sandbox, is_less = narrowed_sandbox(parsed.sandbox, sandbox_before)
    if is_less:
        dropped.append("what widens the sandbox")
    narrow = replace(permission, always_allow_rules={}, additional_working_directories={})
    return replace(parsed, permission=narrow, mode=mode, env=freeze({}), sandbox=sandbox), tuple(dropped)


def _untrusted_note(file: SettingsFile, dropped: tuple[str, ...]) -> Iterable[str]:
    if dropped:
        yield (
            f"{file.path}: {', '.join(dropped)} not used, because nobody has approved this file as it is now. "
            "Its deny and ask rules hold."
        )


def _folded(layers: list[SettingsLayer], used: list[ParsedSettings], notes: list[str]) -> LoadedSettings:
    permission = merge_contexts(used)
    broken = [layer for layer in layers if layer.error]
    for layer in broken:
        permission = asking_everything(permission, layer.source)
    off = any(parsed.all_hooks_disabled for parsed in used if parsed.source not in _WORKSPACE)
    hooks_present = not off and any(parsed.hooks_present for parsed in used)
    if hooks_present:
        notes.append("there are command hooks in the settings; this version does not run them, so every call asks")
    env = {name: value for parsed in used for name, value in parsed.env.items()}
    outputs = [parsed.notebook_outputs for parsed in used if parsed.notebook_outputs is not None]
    return LoadedSettings(
        tuple(layers),
        tuple(notes),
        permission,
        freeze(env),
        hooks_present,
        bool(broken),
        outputs[-1] if outputs else "clear",
        merged_sandbox([parsed.sandbox for parsed in used]),
    )


def widens(parsed: ParsedSettings) -> bool:
    """Whether this settings object asks for more rights than none at all."""
    return bool(_narrowed(parsed, "default")[1])
