"""What do the settings that a session is given allow?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.context import ToolPermissionContext
from ..permissions.from_settings import asking_everything, merge_contexts, parse_settings, refuse_hooks
from ..permissions.sandbox_settings import merged_sandbox
from ..settings import LoadedSettings


def as_loaded(settings: Mapping[str, Any] | LoadedSettings | None, cwd: str) -> LoadedSettings:
    """The settings of a session in ``cwd``, read and checked.

    Raises:
        SettingsError: a value that cannot be used; names the key.
    """
    if isinstance(settings, LoadedSettings):
        return settings
    parsed = parse_settings(settings or {}, cwd=cwd)
    refuse_hooks(parsed)
    permission = merge_contexts([parsed])
    outputs = parsed.notebook_outputs or "clear"
    sandbox = merged_sandbox([parsed.sandbox])
    return LoadedSettings((), parsed.notes, permission, parsed.env, notebook_outputs=outputs, sandbox=sandbox)


def rights_of(settings: LoadedSettings) -> ToolPermissionContext:
    """What the gate judges by. Hooks in a file that are not run may be guards: then every call asks."""
    if settings.hooks_present:
        return asking_everything(settings.permission, "projectSettings")
    return settings.permission
