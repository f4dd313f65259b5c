"""Telling one waiter that there is something to look at."""

from __future__ import annotations

import anyio


class Bell:
    """Rings for whoever waits; a ring that nobody waited for is kept until somebody does."""

    def __init__(self) -> None:
        self._event: anyio.Event | None = None
        self._rung = False

    def ring(self) -> None:
        self._rung = True
        if self._event is not None:
            self._event.set()

    async def wait(self) -> None:
        """Return when it rings, at once when it has rung since the last time."""
        if not self._rung:
            self._event = anyio.Event()
            try:
                await self._event.wait()
            finally:
                self._event = None
        self._rung = False
