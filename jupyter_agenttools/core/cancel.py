"""Stopping a call, also where a cancel scope cannot reach: in worker threads."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .errors import InterruptedToolError


class Cancellation:
    """A one-way switch that says whether a call has been stopped, and why (the field's ``AbortController``).

    Thread-safe. A tool that works in a thread calls :meth:`check` directly before every lasting effect.
    Cancelling a parent cancels its children, never the other way round.
    """

    def __init__(self, parent: Cancellation | None = None) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._callbacks: list[Callable[[str], object]] = []
        if parent is not None:
            parent.add_callback(self.cancel)

    @property
    def cancelled(self) -> bool:
        return self._reason is not None

    @property
    def reason(self) -> str:
        return self._reason or ""

    def cancel(self, reason: str = "interrupted") -> None:
        """Throw the switch. Only the first reason counts."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(reason)

    def check(self) -> None:
        """Do nothing, or stop the calling code.

        Raises:
            InterruptedToolError: the switch has been thrown.
        """
        if self._reason is not None:
            raise InterruptedToolError(f"stopped: {self._reason}")

    def add_callback(self, callback: Callable[[str], object]) -> Callable[[], None]:
        """Call back with the reason when cancelled (at once if it already is). Returns the undo."""
        with self._lock:
            if self._reason is None:
                self._callbacks.append(callback)
                return lambda: self._discard(callback)
        callback(self._reason)
        return lambda: None

    def _discard(self, callback: Callable[[str], object]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
