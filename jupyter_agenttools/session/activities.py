"""What runs in a session at the moment, and the one switch that stops all of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.cancel import Cancellation
from ..core.errors import UsageError


class Activities:
    """The runs, queries and undos of one session, each with a stop switch. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: list[Cancellation] = []

    @contextmanager
    def begin(self) -> Iterator[Cancellation]:
        """A stop switch for something that runs, known to :meth:`interrupt` while it lasts."""
        with self._begun(alone=False) as cancellation:
            yield cancellation

    @contextmanager
    def alone(self) -> Iterator[Cancellation]:
        """The same for something that may only begin while nothing else runs.

        Raises:
            UsageError: something does.
        """
        with self._begun(alone=True) as cancellation:
            yield cancellation

    @contextmanager
    def _begun(self, *, alone: bool) -> Iterator[Cancellation]:
        cancellation = Cancellation()
        with self._lock:
            if alone and self._active:
                raise UsageError("something runs in this session, and may change files: wait for its end, or stop it")
            self._active.append(cancellation)
        try:
            yield cancellation
        finally:
            with self._lock:
                self._active.remove(cancellation)

    def interrupt(self, reason: str) -> None:
        """Stop everything. A second time: at once, without any grace."""
        for cancellation in tuple(self._active):
            cancellation.cancel(reason)
