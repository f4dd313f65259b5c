"""A person's code as a job for the main thread, which can be interrupted there and nowhere else."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from ..interpreter import user_step
from . import sigint

Post = Callable[[Callable[[], None]], None]


class MainWork:
    """What is handed to ``run_on_main``: runs a coroutine, and lets any thread interrupt the code in it.

    Args:
        make: makes the coroutine, given the way to have functions called in the main thread's loop.
        blocking: the cell that runs it cannot await: it has no task of its own that could be cancelled.

    Attributes:
        begun: whether it has begun. was_interrupted: whether another thread stopped its code.
    """

    shares_thread = True

    def __init__(self, make: Callable[[Post], Coroutine[Any, Any, Any]], *, blocking: bool = False) -> None:
        self._make, self._blocking = make, blocking
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._over = False
        self.begun = self.was_interrupted = False

    def __call__(self) -> Coroutine[Any, Any, Any]:
        return self._run()

    def interruptible(self) -> bool:
        """Whether the code itself was interrupted by the signal that is handled now, and not what is around it."""
        return in_user_code()

    async def _run(self) -> Any:
        self._loop = asyncio.get_running_loop()
        self._task = None if self._blocking else asyncio.current_task()
        self.begun = True
        try:
            with sigint.watch_sigint(self._on_signal):
                try:
                    return await self._make(self._post)
                finally:
                    with self._lock:
                        self._over = True
                    sigint.forget_signal(self._on_signal)
        finally:
            self._over = True

    def _post(self, function: Callable[[], None]) -> None:
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop is closed: nothing waits there any more
            self._loop.call_soon_threadsafe(function)

    def interrupt(self) -> None:
        """Interrupt the code wherever it is: in Python, in a wait of the thread, or at an ``await``. Any thread."""
        with self._lock:
            if self._over or not self.begun:
                return
            self.was_interrupted = True
            if self._task is not None:
                self._post(self._task.cancel)
            sigint.signal_main(self._on_signal)

    @staticmethod
    def _on_signal() -> None:
        if in_user_code():
            raise KeyboardInterrupt


def in_user_code() -> bool:
    """Whether the frame that the signal's handler interrupted was called by :func:`user_step`."""
    frame = sys._getframe()
    while frame is not None and frame.f_code is not sigint._on_sigint.__code__:
        frame = frame.f_back  # type: ignore[assignment]
    interrupted = frame.f_back if frame is not None else None
    if interrupted is None or interrupted.f_code is user_step.__code__:
        return False
    while interrupted is not None and interrupted.f_code is not user_step.__code__:
        interrupted = interrupted.f_back
    return interrupted is not None
