"""The settings that a session is given, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..settings import LoadedSettings, own_settings


def as_loaded(settings: Mapping[str, Any] | LoadedSettings | None, cwd: str) -> LoadedSettings:
    """The settings of a session in ``cwd``, read and checked.

    Raises:
        SettingsError: a value that cannot be used; names the key.
    """
    return settings if isinstance(settings, LoadedSettings) else own_settings(settings or {}, cwd)
