"""The hooks of one settings source, as they are written there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.context import RuleSource
from ..core.errors import SettingsError
from ..hooks import hooks_from_settings


@dataclass(frozen=True)
class HookLayer:
    """The ``hooks`` mapping of one source.

    Args:
        source: where it comes from.
        path: the file, ``None`` for settings that were handed over by a program.
        hooks: event name to matcher groups, raw and unchecked.
        trusted: whether this source is the person's own, or was approved by a person as it is now.
        off: why these hooks do not run (not approved, turned off …), ``""`` when they do.
    """

    source: RuleSource
    path: Path | None
    hooks: Mapping[str, Any]
    trusted: bool = True
    off: str = ""

    @property
    def runs(self) -> bool:
        return self.trusted and not self.off

    @property
    def unreadable(self) -> bool:
        """Whether something is wrong in it, so that every call asks: one of its hooks may be a guard."""
        if self.trusted and self.off:
            return False
        try:
            hooks_from_settings(self.hooks, source="")
        except SettingsError:
            return True
        return False
