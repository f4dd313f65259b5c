"""The turns whose model is at work, so that a person sees them also while no call runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .listeners import Listeners


@dataclass(frozen=True, eq=False)
class OpenTurn:
    """One turn.

    Attributes:
        prompt: what was asked. cell: the cell that shows it, ``""`` when that is not known.
        client: the front end's session that ran the cell. since: when it began, seconds since 1970.
    """

    prompt: str
    cell: str
    client: str
    since: float


class OpenTurns:
    """Every turn that runs in the kernel, in the order in which they began. Thread-safe.

    Attributes:
        listen: calls a function whenever one comes or goes, see :meth:`.Listeners.add`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[OpenTurn] = []
        self._listeners = Listeners()
        self.listen = self._listeners.add

    @contextmanager
    def during(self, prompt: str, cell: str, client: str) -> Iterator[None]:
        """While this lasts, the turn runs."""
        turn = OpenTurn(prompt, cell, client, time.time())
        with self._lock:
            self._open.append(turn)
        self._listeners.tell()
        try:
            yield
        finally:
            with self._lock:
                self._open.remove(turn)
            self._listeners.tell()

    def all(self) -> tuple[OpenTurn, ...]:
        with self._lock:
            return tuple(self._open)
