"""Telling a person that settings have changed, in the next cell that uses them."""

from __future__ import annotations

import threading

from ..core.events import SettingsEvent
from .note import note_bundle
from .output import show


class SettingsNotes:
    """An observer of the kernel's session. A change comes at any time, and no cell is its own: it waits for one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[str] = []

    def on_settings(self, event: SettingsEvent) -> None:
        lines = [f"settings: {', '.join(event.paths)} changed", *(f"settings: {note}" for note in event.notes)]
        with self._lock:
            self._waiting = [line for line in self._waiting if line not in lines] + lines

    def tell(self) -> None:
        """Show what has not been told yet, in the cell that runs now."""
        with self._lock:
            lines, self._waiting = self._waiting, []
        for line in lines:
            show(note_bundle(line))
