"""Noticing every Interrupt while a cell waits."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_watchers: list[Callable[[], None]] = []
_before: Any = None


@contextmanager
def watch_sigint(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """Call ``on_interrupt`` for each SIGINT while the block runs, in the main thread; it may raise.

    ipykernel's own handler reports only the first one of a cell, and a terminal's would tear the event loop down.
    Blocks of several tasks may overlap in any order: the handler of before comes back with the end of the last.
    Outside of the main thread (a subshell) no signal arrives, and this does nothing.
    """
    global _before
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not _watchers:
        _before = signal.signal(signal.SIGINT, _tell_all)
    _watchers.append(on_interrupt)
    try:
        yield
    finally:
        _watchers.remove(on_interrupt)
        if not _watchers:
            signal.signal(signal.SIGINT, signal.SIG_DFL if _before is None else _before)


def _tell_all(signum: int, frame: Any) -> None:
    """The handler: every watcher hears of it before one of them may raise."""
    raised: KeyboardInterrupt | None = None
    for watcher in tuple(_watchers):
        try:
            watcher()
        except KeyboardInterrupt as interrupt:
            raised = interrupt
    if raised is not None:
        raise raised
