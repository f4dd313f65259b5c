"""Keeping the loop of an awaiting cell awake, also while the person's own code awaits something of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .pump6 import ShellPump6
from .run import BEAT_S


class Heartbeat:
    """A task that beats while a cell runs: an Interrupt is noticed at once, and widgets get their messages.

    Args:
        pump: lets widget messages in, where the kernel itself does not.
    """

    def __init__(self, pump: ShellPump6 | None) -> None:
        self._pump = pump
        self._wanted = 0
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, *_: object) -> None:
        """Begin to beat, when a cell begins; in a cell that never awaits it costs nothing."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._tasks.append(loop.create_task(self._beat()))

    def stop(self, *_: object) -> None:
        """The cell is over."""
        if self._tasks:
            task = self._tasks.pop()
            task.get_loop().call_soon_threadsafe(task.cancel)
        if self._pump is not None and not self._tasks:
            self._pump.close()

    @contextmanager
    def pumping(self) -> Iterator[None]:
        """While this lasts, something waits for a widget's message."""
        self._wanted += 1
        try:
            yield
        finally:
            self._wanted -= 1

    async def _beat(self) -> Any:
        while True:
            await asyncio.sleep(BEAT_S)
            if self._pump is not None and self._wanted:
                await self._pump.step()
