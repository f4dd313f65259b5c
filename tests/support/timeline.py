"""A small event loop with a clock of its own: what happens when is decided by the test, and nothing really waits."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from typing import Any


class Wake:
    """Awaited until somebody sets it."""

    def __init__(self) -> None:
        self.is_set = False
        self.then: list[Callable[[], object]] = []

    def set(self, *_: object) -> None:
        if not self.is_set:
            self.is_set = True
            for each in self.then:
                each()

    def __await__(self) -> Generator[Wake, None, None]:
        if not self.is_set:
            yield self


class Timeline:
    """Runs coroutines that wait for nothing but :class:`Wake`.

    Attributes:
        now: seconds since the beginning.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self._ready: deque[Coroutine[Any, Any, Any]] = deque()
        self._later: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()

    def start_soon(self, function: Callable[..., Coroutine[Any, Any, Any]], *given: Any) -> None:
        self._ready.append(function(*given))

    def at(self, time: float, action: Callable[[], object]) -> None:
        """Do something at a time; of several at the same time the one that was said first comes first."""
        heapq.heappush(self._later, (time, next(self._numbers), action))

    def run(self, each_moment: Callable[[], object] = lambda: None) -> None:
        """Go through time until nothing is left to do; ``each_moment``: called whenever nothing can go on at once."""
        while True:
            while self._ready:
                self._step(self._ready.popleft())
            each_moment()
            if not self._later:
                return
            self.now, _, action = heapq.heappop(self._later)
            action()

    def _step(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        try:
            wake = coroutine.send(None)
        except StopIteration:
            return
        wake.then.append(lambda: self._ready.append(coroutine))
