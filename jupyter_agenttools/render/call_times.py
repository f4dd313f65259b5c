"""When was each call of a turn where, and for whom did it wait?"""

from __future__ import annotations

from typing import Any

from ..core.events import ScheduleEvent


class CallTimes:
    """Gathers what the executor says of the calls of one turn."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[str, Any]] = {}
        self._began: float | None = None

    def take(self, event: ScheduleEvent) -> None:
        """Add a step of a call."""
        if self._began is None:
            self._began = event.time
        call = self._calls.setdefault(event.tool_use_id, {})
        call.setdefault(event.status, round((event.time - self._began) * 1000, 1))
        waits, why = ("waited", "reason") if event.status == "queued" else ("held", "note")
        if event.waits_for:
            call[waits] = list(event.waits_for)
        if event.reason:
            call[why] = event.reason

    def of(self, tool_use_ids: list[str]) -> dict[str, dict[str, Any]]:
        """``{id: {queued, executing, completed, yielded, waited, reason, held, note}}`` of these calls; what did not
        happen is not there.

        Times are in milliseconds since the turn's first step. ``waited`` and ``reason`` say for whom it waited before
        it began, and why; ``held`` whose results had to leave before its own; ``note`` why it was not run.
        """
        return {id: self._calls[id] for id in tool_use_ids if id in self._calls}
