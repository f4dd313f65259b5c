"""The ``sandbox`` part of settings files: read, joined, and made narrow where a file is not trusted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..core.sandboxing import SandboxMode, SandboxSettings

_STRICTNESS: dict[SandboxMode, int] = {"off": 0, "auto": 1, "required": 2}


class SandboxFiles(BaseModel):
    """``sandbox.filesystem``. Paths are absolute, begin with ``~/``, or start from the folder of the session."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    allowWrite: list[str] = Field(default_factory=list)
    denyWrite: list[str] = Field(default_factory=list)
    denyRead: list[str] = Field(default_factory=list)


class SandboxNetwork(BaseModel):
    """``sandbox.network``."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    enabled: bool | None = None
    allowedDomains: list[str] = Field(default_factory=list)


class SandboxSection(BaseModel):
    """``sandbox`` in a settings file."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    mode: Literal["off", "auto", "required"] | None = None
    enabled: bool | None = None
    failIfUnavailable: bool | None = None
    autoAllowBashIfSandboxed: bool | None = None
    allowUnsandboxedCommands: bool | None = None
    excludedCommands: list[str] = Field(default_factory=list)
    filesystem: SandboxFiles = Field(default_factory=SandboxFiles)
    network: SandboxNetwork = Field(default_factory=SandboxNetwork)


@dataclass(frozen=True)
class SandboxLayer:
    """What one settings file says of the sandbox; ``None`` where it says nothing. Fields as in ``SandboxSettings``."""

    mode: SandboxMode | None = None
    auto_allow: bool | None = None
    allow_unsandboxed: bool | None = None
    excluded_commands: tuple[str, ...] = ()
    network: bool | None = None
    allow_write: tuple[str, ...] = ()
    deny_write: tuple[str, ...] = ()
    deny_read: tuple[str, ...] = ()


NOTHING_SAID = SandboxLayer()


def sandbox_layer(section: SandboxSection, cwd: str) -> tuple[SandboxLayer, tuple[str, ...]]:
    """One file's wishes with absolute paths, and notes about those that have no effect here."""
    network = section.network.enabled
    notes: tuple[str, ...] = ()
    if section.network.allowedDomains and network is None:
        network = True if "*" in section.network.allowedDomains else None
        if network is None:
            notes = (
                "`sandbox.network.allowedDomains`: single hosts cannot be let through, so the network stays off in the "
                'sandbox; "sandbox": {"network": {"enabled": true}} opens it for every host',
            )
    files = section.filesystem
    layer = SandboxLayer(
        mode=_mode(section),
        auto_allow=section.autoAllowBashIfSandboxed,
        allow_unsandboxed=section.allowUnsandboxedCommands,
        excluded_commands=tuple(section.excludedCommands),
        network=network,
        allow_write=_absolute(files.allowWrite, cwd),
        deny_write=_absolute(files.denyWrite, cwd),
        deny_read=_absolute(files.denyRead, cwd),
    )
    return layer, notes


def _mode(section: SandboxSection) -> SandboxMode | None:
    if section.mode is not None:
        return section.mode
    if section.enabled is None:
        return None
    if not section.enabled:
        return "off"
    return "required" if section.failIfUnavailable else "auto"


def _absolute(paths: Iterable[str], cwd: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(cwd, os.path.expanduser(path))) for path in paths)


def narrowed_sandbox(layer: SandboxLayer, before: Sequence[SandboxLayer]) -> tuple[SandboxLayer, bool]:
    """What is used of a file that nobody approved: only what makes the sandbox stricter. And whether that is less."""
    mode = layer.mode
    if mode is not None and _STRICTNESS[mode] < _STRICTNESS[merged_sandbox(before).mode]:
        mode = None
    narrow = SandboxLayer(
        mode=mode,
        auto_allow=False if layer.auto_allow is False else None,
        allow_unsandboxed=False if layer.allow_unsandboxed is False else None,
        network=False if layer.network is False else None,
        deny_write=layer.deny_write,
        deny_read=layer.deny_read,
    )
    return narrow, narrow != layer


def merged_sandbox(layers: Sequence[SandboxLayer]) -> SandboxSettings:
    """All files together: lists are joined, of single values the last one holds.

    Args:
        layers: the weakest first.
    """
    plain = SandboxSettings()

    def last(name: str) -> object:
        said = (getattr(layer, name) for layer in reversed(layers))
        return next((value for value in said if value is not None), getattr(plain, name))

    def joined(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item for layer in layers for item in getattr(layer, name)))

    single = {name: last(name) for name in ("mode", "auto_allow", "allow_unsandboxed", "network")}
    lists = {name: joined(name) for name in ("excluded_commands", "allow_write", "deny_write", "deny_read")}
    return SandboxSettings(**single, **lists)  # type: ignore[arg-type]
