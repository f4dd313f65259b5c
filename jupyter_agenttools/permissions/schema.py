"""The part of a settings file that this package reads, checked: a typing error never turns into fewer rules."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.context import OutputPolicy
from ..core.errors import SettingsError
from ..core.immutable import thaw
from ..core.texts import visible
from .sandbox_settings import SandboxFiles, SandboxNetwork, SandboxSection

RULE_KEYS = ("allow", "ask", "deny")


class SettingsFault(SettingsError):
    """A settings value that cannot be used.

    Attributes:
        location: the keys and list positions that lead to the fault.
    """

    def __init__(self, message: str, location: tuple[str | int, ...] = ()) -> None:
        super().__init__(visible(message))
        self.location = location


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
    disableAllHooks: bool | None = None
    disableAutoMode: Literal["disable"] | None = None
    allowManagedPermissionRulesOnly: bool = False
    allowManagedHooksOnly: bool = False
    notebookOutputs: OutputPolicy | None = None
    sandbox: SandboxSection = Field(default_factory=SandboxSection)
    plansDirectory: str | None = None
    replMode: bool | None = None
    cleanupPeriodDays: int | None = Field(default=None, ge=0)


RIGHTS = (
    "permissions", "env", "hooks", "disableAllHooks", "allowManagedPermissionRulesOnly",
    "allowManagedHooksOnly", "sandbox",
)  # fmt: skip
"""Keys of a settings file that decide what may run: one of them with a typing error in it must not go unnoticed."""

LIKENESS = 0.85
"""From where on a key counts as a mistyped one. Other keys that are in use elsewhere are less alike than this."""


def read_schema(settings: Mapping[str, Any]) -> Settings:
    """The checked form of a settings object.

    Raises:
        SettingsFault: names the key, what it holds and what it should hold. Also for a key of :data:`RIGHTS`, or of
            ``permissions``, that is nearly right.
    """
    if not isinstance(settings, Mapping):
        raise SettingsFault('settings are an object such as {"permissions": {…}}, not ' + _shown(settings))
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
        raise _described(error, plain) from error


def _refuse_near_misses(present: Mapping[str, Any], model: type[BaseModel], prefix: str) -> None:
    guarded = {name.lower(): name for name in (model.model_fields if prefix else RIGHTS)}
    for key in present:
        if key in model.model_fields:
            continue
        if not prefix and key in PermissionSettings.model_fields:
            raise SettingsFault(f"`{key}` belongs inside of `permissions`", (key,))
        near = difflib.get_close_matches(str(key).lower(), guarded, n=1, cutoff=LIKENESS)
        if near:
            where = tuple(prefix.split(".")[:-1])
            raise SettingsFault(f"`{prefix}{key}` is not a key; write `{prefix}{guarded[near[0]]}`", (*where, key))


def _described(error: ValidationError, settings: Any) -> SettingsFault:
    first = error.errors()[0]
    location = tuple(part for part in first["loc"] if part != "[key]")
    holder = settings
    for part in location:
        holder = holder[part]
    if first["type"] == "string_unicode" and isinstance(holder, dict):  # what is wrong is a key in it
        return _odd_key(location, first.get("input"))
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    got = first.get("input")
    hint = f"; write [{json.dumps(got)}]" if first["type"] == "list_type" and isinstance(got, str) else ""
    return SettingsFault(f"`{where}`: {first['msg']}, got {_shown(got)}{hint}", location)


def _odd_key(location: tuple[str | int, ...], key: Any) -> SettingsFault:
    holder = ".".join(map(str, location))
    where = f" of `{holder}`" if holder else ""
    return SettingsFault(f"the key {_shown(key)}{where} holds half a character; mend or remove it", (*location, key))


def _shown(value: Any) -> str:
    text = json.dumps(value, default=repr, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def unknown_keys(model: BaseModel, prefix: str = "") -> Iterator[str]:
    """The keys that are kept and have no effect here."""
    yield from (f"`{prefix}{key}`" for key in model.model_extra or ())
