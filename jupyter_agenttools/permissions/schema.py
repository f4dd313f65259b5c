"""The part of a settings file that this package reads, checked: a typing error never turns into fewer rules."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.context import OutputPolicy
from ..core.errors import SettingsError
from ..core.immutable import thaw
from .sandbox_settings import SandboxFiles, SandboxNetwork, SandboxSection

RULE_KEYS = ("allow", "ask", "deny")


class SettingsFault(SettingsError):
    """A settings value that cannot be used.

    Attributes:
        needle: text that stands near the fault in the file, for finding its line.
    """

    def __init__(self, message: str, needle: str) -> None:
        super().__init__(message)
        self.needle = needle


class PermissionSettings(BaseModel):
    """``permissions`` in a settings file."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    allow: list[str] = Field(default_factory=list)
    ask: list[str] = Field(default_factory=list)
    deny: list[str] = Field(default_factory=list)
    additionalDirectories: list[str] = Field(default_factory=list)
    defaultMode: str | None = None
    disableBypassPermissionsMode: Literal["disable"] | None = None
    disableAutoMode: Literal["disable"] | None = None


class Settings(BaseModel):
    """A settings file, as far as it is read here."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    permissions: PermissionSettings = Field(default_factory=PermissionSettings)
    env: dict[str, str] = Field(default_factory=dict)
    hooks: dict[str, Any] = Field(default_factory=dict)
    disableAllHooks: bool = False
    notebookOutputs: OutputPolicy | None = None
    sandbox: SandboxSection = Field(default_factory=SandboxSection)


def read_schema(settings: Mapping[str, Any]) -> Settings:
    """The checked form of a settings object.

    Raises:
        SettingsFault: names the key, what it holds and what it should hold. Also for a key that is nearly a known one.
    """
    if not isinstance(settings, Mapping):
        raise SettingsFault('settings are an object such as {"permissions": {…}}, not ' + _shown(settings), "")
    plain = thaw(settings)
    _refuse_near_misses(plain, Settings, "")
    if isinstance(plain.get("permissions"), dict):
        _refuse_near_misses(plain["permissions"], PermissionSettings, "permissions.")
    if isinstance(sandbox := plain.get("sandbox"), dict):
        _refuse_near_misses(sandbox, SandboxSection, "sandbox.")
        for key, model in (("filesystem", SandboxFiles), ("network", SandboxNetwork)):
            if isinstance(sandbox.get(key), dict):
                _refuse_near_misses(sandbox[key], model, f"sandbox.{key}.")
    try:
        return Settings.model_validate(plain)
    except ValidationError as error:
        raise _described(error) from error


def _refuse_near_misses(present: Mapping[str, Any], model: type[BaseModel], prefix: str) -> None:
    known = list(model.model_fields)
    for key in present:
        if key in known:
            continue
        if not prefix and key in PermissionSettings.model_fields:
            raise SettingsFault(f"`{key}` belongs inside of `permissions`", json.dumps(key))
        near = difflib.get_close_matches(str(key).lower(), [name.lower() for name in known], n=1, cutoff=0.8)
        if near:
            meant = next(name for name in known if name.lower() == near[0])
            raise SettingsFault(f"`{prefix}{key}` is not a key; write `{prefix}{meant}`", json.dumps(key))


def _described(error: ValidationError) -> SettingsFault:
    first = error.errors()[0]
    location = [part for part in first["loc"] if part != "[key]"]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    got = first.get("input")
    hint = f"; write [{json.dumps(got)}]" if first["type"] == "list_type" and isinstance(got, str) else ""
    key = next((str(part) for part in reversed(location) if isinstance(part, str)), "")
    return SettingsFault(f"`{where}`: {first['msg']}, got {_shown(got)}{hint}", json.dumps(key))


def _shown(value: Any) -> str:
    text = json.dumps(value, default=repr, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def unknown_keys(model: BaseModel, prefix: str = "") -> Iterable[str]:
    """Notes about keys that are kept and have no effect here."""
    for key in model.model_extra or ():
        yield f"the settings key `{prefix}{key}` is kept; it has no effect here"
