"""The one background thread in which everything of a session runs."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from inspect import isawaitable
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal

from ..core.faults import as_exception, faults

THREAD_NAME = "jupyter-agenttools"
CLOSE_TIMEOUT_S = 2.0
"""How long closing waits for the thread. It is a daemon, so one that hangs cannot keep the process alive."""


class EnduringLoop(asyncio.SelectorEventLoop):
    """Goes on when a task raises ``KeyboardInterrupt`` or ``SystemExit``, which end any other loop. Whoever waits for
    that task is told. For threads beside the main one: no signal is raised there, so neither means the loop itself."""

    _is_stopping = False

    def stop(self) -> None:
        self._is_stopping = True
        super().stop()

    def run_forever(self) -> None:
        self._is_stopping = False
        while not self._is_stopping:
            with suppress(KeyboardInterrupt, SystemExit):  # it may come in the very turn in which the loop is stopped
                return super().run_forever()


async def _guarded(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the function returns. An error of a kind that would end the portal is raised as one that does not."""
    try:
        value = function(*args)
        return await value if isawaitable(value) else value
    except faults() as fault:
        error = as_exception(fault)
        if error is fault:
            raise
        raise error from fault


class Portal:
    """A thread with its own event loop, started when first needed.

    Work is started with the caller's context (its ``contextvars``), which is what ties its output to the right cell.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._thread: threading.Thread | None = None
        self._process_id: int | None = None

    @property
    def inside(self) -> bool:
        """Whether the caller runs in the portal's thread."""
        return threading.current_thread() is self._thread

    def start_soon(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a function, sync or async, in the portal's thread, and do not wait for it."""
        portal = self._started()
        try:
            return portal.start_task_soon(_guarded, function, args)
        except RuntimeError:
            if self.inside:
                raise
            self._forget(portal)  # the loop has ended, whatever did that; what ran in it is gone
            return self._started().start_task_soon(_guarded, function, args)

    def _started(self) -> BlockingPortal:
        with self._lock:
            if self._portal is None or self._process_id != os.getpid():  # threads do not survive a fork
                self._portal, self._thread = _begin()
                self._process_id = os.getpid()
            return self._portal

    def _forget(self, ended: BlockingPortal) -> None:
        with self._lock:
            if self._portal is ended:  # somebody else may have begun another one
                self._portal = self._thread = None

    def close(self) -> None:
        """Cancel what still runs and end the thread."""
        with self._lock:
            portal, thread, self._portal, self._thread = self._portal, self._thread, None, None
        if portal is None or thread is None or self._process_id != os.getpid():
            return
        closing = threading.Thread(target=_close, args=(portal, thread), daemon=True)
        closing.start()
        closing.join(CLOSE_TIMEOUT_S)


def _begin() -> tuple[BlockingPortal, threading.Thread]:
    """A thread that serves a portal.

    Not by ``start_blocking_portal``: what that gives ends the thread when it is collected, and waits for it. A forked
    child has not got the thread and would wait for ever.
    """
    begun: Future[BlockingPortal] = Future()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            begun.set_result(portal)
            await portal.sleep_until_stopped()

    def run() -> None:
        try:
            anyio.run(serve, backend_options={"loop_factory": EnduringLoop})
        except BaseException as error:  # whoever waits for something that ran in it is told of that
            if not begun.done():
                begun.set_exception(error)

    thread = threading.Thread(target=run, name=THREAD_NAME, daemon=True)
    thread.start()
    return begun.result(), thread


def _close(portal: BlockingPortal, thread: threading.Thread) -> None:
    with suppress(RuntimeError):  # it is stopped already
        portal.call(portal.stop, True)
    thread.join()
