"""Stopping a call, also where a cancel scope cannot reach: in worker threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
import anyio.from_thread
import anyio.lowlevel

from .errors import InterruptedToolError


class Cancellation:
    """A one-way switch that says whether a call has been stopped, and why (the field's ``AbortController``).

    Thread-safe. A tool that works in a thread calls :meth:`check` directly before every lasting effect.
    Cancelling a parent cancels its children, never the other way round. Cancelling once more is an escalation: what
    was given time to end by itself ends at once.
    """

    def __init__(self, parent: Cancellation | None = None) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._callbacks: list[Callable[[str], object]] = []
        self._leave_parent = parent.add_callback(self.cancel) if parent is not None else lambda: None

    @property
    def cancelled(self) -> bool:
        return self._reason is not None

    @property
    def reason(self) -> str:
        return self._reason or ""

    def cancel(self, reason: str = "interrupted") -> None:
        """Throw the switch, or escalate when it is thrown already. The first reason is the one that counts."""
        with self._lock:
            if self._reason is None:
                self._reason = reason
            callbacks = tuple(self._callbacks)
        for callback in callbacks:
            callback(self._reason)

    def check(self) -> None:
        """Do nothing, or stop the calling code.

        Raises:
            InterruptedToolError: the switch has been thrown.
        """
        if self._reason is not None:
            raise InterruptedToolError(f"stopped: {self._reason}")

    def add_callback(self, callback: Callable[[str], object]) -> Callable[[], None]:
        """Call back with the reason at each :meth:`cancel` (at once if it was thrown before). Returns the undo."""
        with self._lock:
            self._callbacks.append(callback)
            reason = self._reason
        if reason is not None:
            callback(reason)
        return lambda: self._discard(callback)

    def _discard(self, callback: Callable[[str], object]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

    def close(self) -> None:
        """Forget the parent: the call is over."""
        self._leave_parent()


@contextmanager
def stoppable(cancellation: Cancellation, grace_s: float = 0.0) -> Iterator[None]:
    """Run a block of async code that ends when the switch is thrown.

    Args:
        cancellation: the switch.
        grace_s: seconds that the block gets to end by itself after the first throw; a second one ends it at once.

    Raises:
        InterruptedToolError: the block was ended by the switch.
    """
    owner, token = threading.get_ident(), anyio.lowlevel.current_token()
    with anyio.CancelScope() as scope:
        stops = 0

        def stop() -> None:
            nonlocal stops
            stops += 1
            if stops == 1 and grace_s:
                scope.deadline = anyio.current_time() + grace_s
            else:
                scope.cancel()

        def on_cancel(_: str) -> None:
            if threading.get_ident() == owner:
                stop()
            else:
                anyio.from_thread.run_sync(stop, token=token)

        undo = cancellation.add_callback(on_cancel)
        try:
            yield
        finally:
            undo()
    if scope.cancelled_caught:
        raise InterruptedToolError(f"stopped: {cancellation.reason}")
