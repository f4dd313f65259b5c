"""Who wants to hear of a change."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Listeners:
    """Functions that are called whenever something has changed, on whatever thread. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: tuple[Callable[[], None], ...] = ()

    def add(self, listener: Callable[[], None]) -> Callable[[], None]:
        """From now on call ``listener`` too. Returns the undo."""
        with self._lock:
            self._all = (*self._all, listener)
        return lambda: self._remove(listener)

    def _remove(self, listener: Callable[[], None]) -> None:
        with self._lock:
            self._all = tuple(known for known in self._all if known is not listener)

    def tell(self) -> None:
        for listener in self._all:
            listener()
