"""Keeping the loop of an awaiting cell awake, also while the person's own code awaits something of ours."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .pump6 import ShellPump6
from .sigint import begin_cell, end_cell, interrupts_of_cell

CANCEL_MODULE = "jupyter_agenttools.core.cancel"
"""Looked up where it is needed: loading the extension must not load it."""
BEAT_S = 0.05
"""The heartbeat of a waiting cell. An idle loop notices a signal only when it wakes up."""


class RunningCell(NamedTuple):
    """A cell that runs now.

    Attributes:
        cell: its id. client: the front end's session that runs it.
        request: the id of the message that asked for it. count: its number.
    """

    cell: str
    client: str
    request: str
    count: int


class Heartbeat:
    """A task that beats while a cell runs: an Interrupt is noticed at once, and widgets get their messages.

    It is told when cells begin and end, and has the Interrupts of each counted from its first line on.

    Args:
        pump: lets widget messages in, where the kernel itself does not.
        kernel: the kernel, ``None`` in a terminal.
    """

    def __init__(self, pump: ShellPump6 | None, kernel: Any = None) -> None:
        self._pump = pump
        self._kernel = kernel
        self._wanted = 0
        self._running = 0
        self._count_lock = threading.Lock()
        self._requests: list[RunningCell] = []
        self._cells = threading.local()  # cells of different threads (subshells) begin and end on their own

    @property
    def _begun(self) -> list[RunningCell | None]:
        """What runs on this thread, the innermost last; ``None`` for what a cell runs by ``run_cell``."""
        if not hasattr(self._cells, "begun"):
            self._cells.begun = []
        return self._cells.begun

    @property
    def _beating(self) -> list[tuple[asyncio.Task[None], asyncio.Task[Any] | None]]:
        if not hasattr(self._cells, "beating"):
            self._cells.beating = []
        return self._cells.beating

    def start(self, *_: object) -> None:
        """A cell begins; in one that never awaits the beat costs nothing."""
        self._count(1)
        self._cells.parent = self._kernel.get_parent("shell") if self._kernel is not None else None
        asked = None if self._begun else self._asked()
        self._begun.append(asked)
        if asked is not None:
            self._requests.append(asked)
        begin_cell((self._cells.parent or {}).get("header", {}).get("msg_id"))
        self.tell_core()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._beating.append((loop.create_task(self._beat()), asyncio.current_task()))

    def stop(self, *_: object) -> None:
        """The cell is over."""
        self._count(-1)
        ended = self._begun.pop() if self._begun else None  # ended already by unloading
        if ended is not None:
            self._requests.remove(ended)
        end_cell()
        if self._beating:
            self._beating.pop()[0].cancel()
        if self._pump is not None and not self._beating:
            self._pump.close()

    def _asked(self) -> RunningCell:
        """What the cell that begins on this thread was asked by."""
        parent = self._cells.parent or {}
        cell, header = parent.get("metadata", {}).get("cellId", ""), parent.get("header", {})
        client, request = str(header.get("session", "")), str(header.get("msg_id", ""))
        # Newer versions of IPython count on before a cell runs, and older ones after it: the display hook knows.
        count = getattr(getattr(getattr(self._kernel, "shell", None), "displayhook", None), "prompt_count", 0)
        return RunningCell(str(cell), client, request, count)

    def _count(self, more: int) -> None:
        with self._count_lock:
            self._running = max(0, self._running + more)  # unloading ends a cell that has its own end still to come

    @property
    def is_cell_running(self) -> bool:
        """Whether a cell runs now, on whatever thread; one that comes after it has to wait."""
        return self._running > 0

    @property
    def running_cells(self) -> list[RunningCell]:
        """The cells of notebooks that run now."""
        return [each for each in tuple(self._requests) if each.cell and each.request]

    @property
    def cell_parent(self) -> Any:
        """The request of the cell that runs on this thread, ``None`` when none does."""
        return getattr(self._cells, "parent", None) if self._beating else None

    @property
    def waits_for_widget(self) -> bool:
        """Whether something waits for a widget's message."""
        return self._wanted > 0

    @property
    def in_cell_task(self) -> bool:
        """Whether the caller is the running cell itself and not a task that it started."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            return True
        return any(cell is task for _, cell in self._beating)

    @contextmanager
    def pumping(self) -> Iterator[None]:
        """While this lasts, something waits for a widget's message."""
        self._wanted += 1
        try:
            yield
        finally:
            self._wanted -= 1

    def tell_core(self) -> None:
        """Let everything that the cell begins look at the cell's Interrupts, without waiting for any event loop."""
        interrupts = interrupts_of_cell()
        source = getattr(sys.modules.get(CANCEL_MODULE), "stop_source", None)
        if source is not None:
            source.set(interrupts.why_stop if interrupts is not None else None)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            if self._pump is not None and self._wanted:
                await self._pump.step()
