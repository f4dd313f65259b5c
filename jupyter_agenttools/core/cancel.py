"""Stopping a call, also where a cancel scope cannot reach: in worker threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import ExitStack, suppress
from contextvars import ContextVar
from typing import Any, Generic, Literal, TypeVar

import anyio
import anyio.lowlevel

from .errors import InterruptedToolError

T = TypeVar("T")

stop_source: ContextVar[Callable[[], str] | None] = ContextVar("jupyter_agenttools_stop_source", default=None)
"""Says why everything that begins in this context must stop; ``""`` while nothing must. Asked from any thread.

A switch is thrown in the event loop, which may be busy for a while. What a person asked for counts from that moment on,
so each switch made in this context also looks here.
"""


class Cancellation:
    """A one-way switch that says whether a call has been stopped, and why (the field's ``AbortController``).

    Thread-safe. A tool that works in a thread calls :meth:`check` directly before every lasting effect.
    Cancelling a parent cancels its children, never the other way round. Cancelling once more is an escalation: what
    was given time to end by itself ends at once.
    """

    grace_s: float = 0.0
    """Seconds that the running code gets to end by itself after the first throw."""

    def __init__(self, parent: Cancellation | None = None) -> None:
        self._lock = threading.RLock()  # a signal may come in the middle
        self._reason: str | None = None
        self._callbacks: list[Callable[[str], object]] = []
        self._closers: list[Callable[[], object]] = []
        self._parent = parent
        self._source: Callable[[], str] | None = parent._source if parent is not None else stop_source.get()
        self._loop: anyio.lowlevel.EventLoopToken | None = None
        self.scope: CutScope | None = None
        if parent is not None:
            parent.add_callback(self.cancel)

    @property
    def cancelled(self) -> bool:
        return self._reason is not None or bool(self._source is not None and self._source())

    @property
    def reason(self) -> str:
        return self._reason or (self._source() if self._source is not None else "")

    def cancel(self, reason: str = "interrupted") -> None:
        """Throw the switch, or escalate when it is thrown already. The first reason is the one that counts.

        Everybody is told before what one of them raises gets out.
        """
        with self._lock:
            if self._reason is None:
                self._reason = reason
            callbacks = tuple(self._callbacks)
        with ExitStack() as stack:
            for callback in reversed(callbacks):
                stack.callback(callback, self._reason)

    def cancel_all(self, reason: str) -> None:
        """Throw the switch of the oldest ancestor: everything that was begun together with this is stopped."""
        root = self
        while root._parent is not None:
            root = root._parent
        root.cancel(reason)

    def check(self) -> None:
        """Do nothing, or stop the calling code.

        Raises:
            InterruptedToolError: the switch has been thrown.
        """
        if self.cancelled:
            raise InterruptedToolError(f"stopped: {self.reason}")

    def add_callback(self, callback: Callable[[str], object]) -> None:
        """Call back with the reason at each :meth:`cancel`; at once if it was thrown before."""
        with self._lock:
            self._callbacks.append(callback)
            reason = self._reason
        if reason is not None:
            callback(reason)

    def remove_callback(self, callback: Callable[[str], object]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

    def set_limit(self, seconds: float = math.inf) -> None:
        """From now on the running code may take this long; without a number any limit is taken away."""
        if self.scope is not None:
            self.scope.set_limit(seconds)

    def add_closer(self, closer: Callable[[], object]) -> None:
        """Have ``closer`` called once the call is over, whatever became of it."""
        self._closers.append(closer)

    def close(self) -> None:
        """Forget the parent, and let go of what was kept for the call: it is over."""
        if self._parent is not None:
            self._parent.remove_callback(self.cancel)
        while self._closers:
            self._closers.pop()()

    def bind_loop(self) -> anyio.lowlevel.EventLoopToken:
        """The event loop in which this switch acts; asked for once for a whole family."""
        if self._loop is None:
            inherited = self._parent.bind_loop() if self._parent is not None else None
            same = inherited is not None and _runs_here(inherited)
            self._loop = inherited if same and inherited is not None else anyio.lowlevel.current_token()
        return self._loop

    @property
    def loop_is_closed(self) -> bool:
        """Whether the event loop in which this switch acts is gone: nothing runs in it any more."""
        return self._loop is not None and getattr(self._loop.native_token, "is_closed", lambda: False)()

    def now(self) -> float:
        """The time of the event loop; may be asked for in any of its callbacks, which need not belong to a task."""
        return self.bind_loop().backend_class.current_time()

    def run_in_loop(self, function: Callable[[], object]) -> None:
        """Run ``function`` in the loop: now where that is the loop that runs here, else soon. Never waits."""
        loop = self.bind_loop()
        if _runs_here(loop):
            function()
            function = _nothing  # a signal may have come while the loop slept: it looks again at what there is to do
        with suppress(RuntimeError):  # the loop is closed
            _soon(loop)(function)


def _runs_here(loop: anyio.lowlevel.EventLoopToken) -> bool:
    try:
        return loop.backend_class.current_token() is loop.native_token
    except RuntimeError:  # no loop does
        return False


def _soon(loop: anyio.lowlevel.EventLoopToken) -> Callable[[Callable[[], object]], object]:
    """How a function is handed over to a loop of asyncio, or of trio."""
    native: Any = loop.native_token
    return native.call_soon_threadsafe if hasattr(native, "call_soon_threadsafe") else native.run_sync_soon


def _nothing() -> None:
    """Done in a loop to wake it."""


class CutScope:
    """The one cancel scope of a call: async code inside it ends when the switch is thrown or a limit is reached.

    ``cut`` says afterwards which of the two it was, ``""`` when the code ended by itself. The scope swallows its own
    cancellation and nothing else.

    While it is open, ``cancellation.set_limit`` and ``cancellation.grace_s`` say how long things may take.
    """

    __slots__ = ("_cancellation", "_scope", "_stops", "cut")

    def __init__(self, cancellation: Cancellation) -> None:
        self._cancellation = cancellation
        self._scope = anyio.CancelScope()
        self._stops = 0
        self.cut: Literal["", "stopped", "limit"] = ""

    def __enter__(self) -> CutScope:
        self._cancellation.bind_loop()
        self._scope.__enter__()
        self._cancellation.scope = self
        self._cancellation.add_callback(self._on_cancel)
        return self

    def __exit__(self, *exception: Any) -> bool | None:
        self._cancellation.remove_callback(self._on_cancel)
        self._cancellation.scope = None
        swallowed = self._scope.__exit__(*exception)
        if self._scope.cancelled_caught:
            self.cut = "stopped" if self._stops else "limit"
        return swallowed

    def set_limit(self, seconds: float) -> None:
        if not self._stops:
            self._scope.deadline = self._cancellation.now() + seconds if seconds != math.inf else math.inf

    def _on_cancel(self, _: str) -> None:
        self._cancellation.run_in_loop(self._stop)

    def _stop(self) -> None:
        self._stops += 1
        if self._stops == 1 and self._cancellation.grace_s:
            self._scope.deadline = self._cancellation.now() + self._cancellation.grace_s
        else:
            self._scope.cancel()


class limited(Generic[T]):
    """Await a coroutine under a time limit that is set on the call's own scope, and only if it waits at all.

    Most hooks answer without waiting for anything; a timer for each of them would be the dearest thing in a call.
    What the end of the limit means is up to the owner of the scope (``CutScope.cut``).
    """

    __slots__ = ("_cancellation", "_coroutine", "_seconds")

    def __init__(self, cancellation: Cancellation, seconds: float, coroutine: Coroutine[Any, Any, T]) -> None:
        self._cancellation, self._seconds, self._coroutine = cancellation, seconds, coroutine

    def __await__(self) -> Generator[Any, Any, T]:
        try:
            waiting = self._coroutine.send(None)
        except StopIteration as done:
            return done.value
        self._cancellation.set_limit(self._seconds)
        try:
            while True:
                try:
                    value = yield waiting
                except BaseException as thrown:  # a cancellation from outside: the coroutine's own to handle
                    waiting = self._coroutine.throw(thrown)
                else:
                    waiting = self._coroutine.send(value)
        except StopIteration as done:
            return done.value
        finally:
            self._cancellation.set_limit()
