"""Waiting for code that can be stopped, and not for ever for code that does not heed it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio

from ..core.cancel import Cancellation

HEED_S = 0.3
"""How long stopped code gets to end; then it is left alone. Inside the grace that a stopped call has."""
GOES_ON = "the code does not heed being stopped and goes on; what it prints from now on is not kept"


@contextmanager
def heeding(stop: Cancellation, interrupt: Callable[[], None]) -> Iterator[None]:
    """Wait for code in this block. Once ``stop`` is thrown, ``interrupt`` is called (on whatever thread that was done),
    again each time it is thrown again, and the block is left :data:`HEED_S` after the first time."""
    stop.bind_loop()
    with anyio.CancelScope() as scope:

        def limit() -> None:
            if scope.deadline == math.inf:
                scope.deadline = stop.now() + HEED_S

        def on_stop(_: str) -> None:
            interrupt()
            stop.run_in_loop(limit)

        stop.add_callback(on_stop)
        try:
            yield
        finally:
            stop.remove_callback(on_stop)
