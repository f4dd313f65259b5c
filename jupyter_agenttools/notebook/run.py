"""One piece of work in the portal's thread, and the cell that waits for it."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..core.cancel import stop_source
from ..core.faults import as_exception, faults
from .cell import Cell
from .heartbeat import BEAT_S
from .main_jobs import MainJob
from .portal import Portal
from .pump6 import ShellPump6
from .sigint import INTERRUPTED, CellInterrupts, interrupts_of_cell, watch_sigint

if TYPE_CHECKING:
    from .live import LiveDisplay

PATIENCE_S = 3.0
"""How long stopped work gets to clean up after the first Interrupt before its scope is cancelled."""
LOOP_TURNS = 3
"""How often the cell's loop turns before the work is started, so that a cancellation that is on its way arrives first:
the one that ipykernel made of an Interrupt in the moment before the cell's code began takes this many."""
GIVE_UP_S = 0.8
"""How long a cell waits after a second Interrupt: a person expects its end within a second."""

THREAD_ENDED = "the thread in which this ran has ended: run the cell again"
CANCELLED_ITSELF = "something that was called raised CancelledError, and nobody had cancelled it"


class Run:
    """Runs ``work`` in the portal and lets a cell wait for it.

    Args:
        portal: the thread.
        work: the async function to run there.
        stop: asks the work to stop, with a reason; called in the portal's thread.
        cell: the cell that waits.
        pump: lets widget messages in, where the kernel itself does not.

    Attributes:
        live: what shows the run, if anything does.
        blocking: whether the cell cannot await, so that no widget can be answered.
        held: ids of the calls that somebody walks through, while they stop between two stages.
        value, error: what came of the work.
        begun: whether the work was started at all; what was interrupted before that never is.
        interrupts: how many Interrupts there were.
        signalled: whether a signal was among them.
        cancelled: the waiting task was cancelled by somebody.
        in_background: whether no cell waits for it.
    """

    in_background = False

    def __init__(
        self,
        portal: Portal,
        work: Callable[[], Awaitable[Any]],
        *,
        stop: Callable[[str], None],
        cell: Cell,
        pump: ShellPump6 | None = None,
    ) -> None:
        self._portal, self._work, self._stop, self._pump = portal, work, stop, pump
        self.cell = cell
        self.live: LiveDisplay | None = None
        self.blocking = False
        self.held: set[str] = set()
        self.value: Any = None
        self.error: Exception | None = None
        self.begun = False
        self.interrupts = 0
        self.cancelled = False
        self.done = threading.Event()
        self._future: Future[Any] | None = None
        self._jobs: queue.SimpleQueue[MainJob | None] = queue.SimpleQueue()
        self._job: MainJob | None = None
        self._running: list[tuple[MainJob, asyncio.Task[None]]] = []
        self._of_cell: CellInterrupts | None = interrupts_of_cell()
        self._reason = ""
        self._heard = 0
        self._taken = 0
        self._limit: float | None = None
        self._wake: Callable[[], None] = lambda: None

    # ---- in the portal's thread

    async def _main(self) -> None:
        _current.set(self)
        stop_source.set(self.why_stop)
        try:
            if not self.why_stop():
                self.begun = True
                self.value = await self._work()
        except asyncio.CancelledError:
            if not (self.in_background or self.why_stop()):
                self.error = RuntimeError(THREAD_ENDED if _is_cancelled() else CANCELLED_ITSELF)
            raise
        except faults() as error:  # handed to the cell, which shows it
            self.error = as_exception(error)
        finally:
            self._at_end()
            self.done.set()
            self._wake()

    def _at_end(self) -> None:
        """Nothing of the work runs any more, and nobody has been told yet."""

    async def on_main(self, function: Callable[[], Any]) -> Any:
        """Run a function on the waiting cell's thread, one after the other, and return what it returns."""
        job = MainJob(function, self.why_stop)
        self._jobs.put(job)
        self._wake()
        return await asyncio.wrap_future(job.future)

    # ---- in the cell's thread

    async def wait(self) -> None:
        """Start the work and wait for its end, awaiting: widgets can be answered meanwhile."""
        loop, beat = asyncio.get_running_loop(), asyncio.Event()
        self._wake = lambda: _wake_loop(loop, beat)
        with watch_sigint(self._on_signal):
            try:
                for _ in range(LOOP_TURNS):
                    await asyncio.sleep(0)
                self._start()
            except asyncio.CancelledError:
                self._never_start()
                self.cancelled = True
            try:
                while not self._over():
                    try:
                        await self._beat(loop, beat)
                    except asyncio.CancelledError:
                        self.cancelled = True
                        self.interrupt()
                    self._take_signals()
            finally:
                if self._pump is not None:
                    self._pump.close()
            self._take_signals()

    async def _beat(self, loop: asyncio.AbstractEventLoop, beat: asyncio.Event) -> None:
        beat.clear()
        self._start_next_job(loop, beat)
        if self._pump is not None:
            await self._pump.step()
        if self.done.is_set():
            return
        timer = loop.call_later(BEAT_S, beat.set)
        try:
            await beat.wait()
        finally:
            timer.cancel()

    def _start_next_job(self, loop: asyncio.AbstractEventLoop, beat: asyncio.Event) -> None:
        """Jobs run one after the other, beside the heartbeat: one that awaits must not keep an Interrupt from us.
        Beside one that shares the thread, others run: what it waits for may need them."""
        self._running = [(job, task) for job, task in self._running if not task.done()]
        if any(not job.shares for job, _ in self._running):
            return
        with suppress(queue.Empty):
            job = self._jobs.get_nowait()
            if job is not None:
                task = loop.create_task(job.run())
                task.add_done_callback(lambda _: beat.set())
                self._running.append((job, task))

    def wait_blocking(self) -> None:
        """Start the work and wait for its end in a cell that cannot await."""
        self.blocking = True
        self._wake = lambda: self._jobs.put(None)
        with watch_sigint(self._on_signal):
            self._start()
            while not self._over():
                with suppress(queue.Empty):
                    if job := self._jobs.get(timeout=BEAT_S):
                        self._job = job
                        job.run_blocking()
                self._take_signals()
            self._take_signals()

    def _start(self) -> None:
        """Hand the work over, unless an Interrupt came first. One that comes later finds it in :meth:`_main`."""
        if self.why_stop():
            self._never_start()
        else:
            self._future = self._portal.start_soon(self._main)

    def _never_start(self) -> None:
        self.done.set()
        self.interrupt()

    def _over(self) -> bool:
        if self.done.is_set():
            return True
        if self._limit is None or time.monotonic() < self._limit:
            return False
        if self.interrupts > 1:
            return True  # the portal goes on cleaning up by itself
        self.interrupt()
        return False

    # ---- interrupts

    def stop(self, reason: str) -> None:
        """Ask the work to stop, as a button does that a person clicked: no Interrupt. In the portal's thread."""
        self._stop(reason)

    @property
    def signalled(self) -> bool:
        return self._heard > 0 or bool(self._of_cell is not None and self._of_cell.why_stop())

    def why_stop(self) -> str:
        """Why nothing more may begin; ``""`` while it may. True from the signal on, also while the portal is busy."""
        return self._reason or (INTERRUPTED if self.signalled else "")

    def _on_signal(self) -> None:
        self._heard += 1
        jobs = [job for job, _ in self._running]
        if any(job.in_user_code for job in (jobs if self._job is None else [*jobs, self._job])):
            raise KeyboardInterrupt
        self._wake()

    def _take_signals(self) -> None:
        while self._taken < self._heard:
            self._taken += 1
            self.interrupt()

    def interrupt(self, reason: str = INTERRUPTED) -> None:
        """Stop the work. A second time: at once, and the cell waits no longer than :data:`GIVE_UP_S`."""
        self.interrupts += 1
        self._reason = self._reason or reason
        if self.done.is_set():
            return
        self._portal.start_soon(self._stop, reason)
        self._limit = time.monotonic() + (PATIENCE_S if self.interrupts == 1 else GIVE_UP_S)
        for _, task in self._running:
            task.cancel()
        if self.interrupts > 1 and self._future is not None:
            self._future.cancel()


_current: ContextVar[Run | None] = ContextVar("jupyter_agenttools_run", default=None)


def current_run() -> Run | None:
    """The run that the caller is part of, in whatever thread; ``None`` once it is over."""
    run = _current.get()
    return None if run is None or run.done.is_set() else run


def _wake_loop(loop: asyncio.AbstractEventLoop, beat: asyncio.Event) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(beat.set)


def _is_cancelled() -> bool:
    """Whether somebody asked the task that runs now to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
