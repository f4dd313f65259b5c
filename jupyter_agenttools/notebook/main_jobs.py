"""Functions that must run on the kernel's main thread, asked for by the pipeline's thread."""

from __future__ import annotations

import asyncio
import concurrent.futures
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any

from ..core.errors import InterruptedToolError, ToolError
from ..core.faults import as_exception
from .errors import KeyboardInterrupt as OurInterrupt


class MainJob:
    """One function for the main thread, and the future of what it returns.

    Args:
        function: what to run.
        why_stop: says why it may not begin any more, ``""`` while it may.

    Attributes:
        future: thread-safe; cancelled when whoever asked is gone.
        in_user_code: whether the function, or a step of the coroutine that it returned, is running at this moment: an
            Interrupt then belongs to it. A function with a method ``interruptible`` is asked whether it does.
        heard_interrupt: whether an Interrupt came that was meant for it; whoever runs it says so. A function with an
            attribute ``was_interrupted`` says whether it was stopped by another thread.
        shares: whether others may run while its coroutine waits: the function says so with ``shares_thread``.
    """

    def __init__(self, function: Callable[[], Any], why_stop: Callable[[], str] = str) -> None:
        self._function = function
        self._why_stop = why_stop
        self.future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self.heard_interrupt = False
        self._in_step = False
        self._interruptible_now: Callable[[], bool] = getattr(function, "interruptible", lambda: True)
        self.shares: bool = getattr(function, "shares_thread", False)

    def _fail(self, error: BaseException) -> None:
        was_stopped = self.heard_interrupt or getattr(self._function, "was_interrupted", False)
        self.future.set_exception(_told(error, was_stopped or bool(self._why_stop())))

    @property
    def in_user_code(self) -> bool:
        return self._in_step and self._interruptible_now()

    async def run(self) -> None:
        """Run it in an awaiting cell; an awaitable that it returns is awaited here."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            value = self._call()
            if isawaitable(value):
                value = await self._stepping(_as_coroutine(value))
        except asyncio.CancelledError:
            self.future.set_exception(InterruptedToolError("stopped: interrupted"))
            raise
        except BaseException as error:
            self._fail(error)
        else:
            self.future.set_result(value)

    def run_blocking(self) -> None:
        """Run it in a cell that cannot await; a coroutine that really has to wait fails there."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            value = self._call()
            if isawaitable(value):
                value = self._run_at_once(_as_coroutine(value))
        except BaseException as error:
            self._fail(error)
        else:
            self.future.set_result(value)

    def _call(self) -> Any:
        with self._interruptible(first=True):
            return self._function()

    @contextmanager
    def _interruptible(self, *, first: bool = False) -> Generator[None]:
        self._in_step = True
        try:
            if first and self._why_stop():  # an Interrupt that comes after this line is raised by its handler
                raise InterruptedToolError(f"stopped: {self._why_stop()}")
            yield
        finally:
            self._in_step = False

    def _run_at_once(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine returns, where this thread's own loop, if there is one, is held by the cell."""
        try:
            with self._interruptible(first=True):
                if not _in_loop():
                    return asyncio.run(coroutine)
                coroutine.send(None)
        except StopIteration as returned:
            return returned.value
        finally:
            coroutine.close()
        raise ToolError("this tool waits on the main thread, which this cell holds: call it at the top of a cell")

    @types.coroutine
    def _stepping(self, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Drive a coroutine so that each of its steps is known to run in user code."""
        send: Callable[[Any], Any] = coroutine.send
        value: Any = None
        first = True
        try:
            while True:
                with self._interruptible(first=first):
                    waited_for = send(value)
                first = False
                try:
                    send, value = coroutine.send, (yield waited_for)
                except GeneratorExit:
                    raise
                except BaseException as error:
                    send, value = coroutine.throw, error
        except StopIteration as returned:
            return returned.value
        finally:
            coroutine.close()


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaiting(value: Awaitable[Any]) -> Any:
    return await value


def _as_coroutine(value: Any) -> Coroutine[Any, Any, Any]:
    return value if isinstance(value, Coroutine) else _awaiting(value)


def _told(error: BaseException, was_interrupted: bool) -> Exception:
    """What the waiting pipeline is told; nothing may tear its thread down. Where nobody interrupted, a
    ``KeyboardInterrupt`` is the function's own error."""
    if isinstance(error, OurInterrupt) or (isinstance(error, KeyboardInterrupt) and was_interrupted):
        return InterruptedToolError("stopped: interrupted")
    return as_exception(error)
