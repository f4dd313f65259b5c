"""Noticing every Interrupt while a cell waits."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watch_sigint(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """Call ``on_interrupt`` for each SIGINT while the block runs, in the main thread; it may raise.

    ipykernel's own handler reports only the first one of a cell, and a terminal's would tear the event loop down.
    Outside of the main thread (a subshell) no signal arrives, and this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda signum, frame: on_interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
