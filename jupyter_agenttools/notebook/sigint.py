"""Noticing every Interrupt from the first line of a cell to its end."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = "interrupted"
ARRIVAL_TRIES = 50
"""Milliseconds; a signal to a thread of one's own arrives at once, unless somebody else handles it."""


class CellInterrupts:
    """The Interrupts of one cell in the main thread, counted by the signal's handler itself: nothing can be earlier.

    Args:
        request: what tells this cell from the next one, ``None`` where nothing does.

    Attributes:
        count: how many there were.
        over: the cell has ended: what it left behind is not stopped by its Interrupts.
        depth: how many cells run, one inside the other (``run_cell``); they share this object.
        listening: whether our handler stands there for the whole of the cell.
    """

    def __init__(self, request: str | None = None) -> None:
        self.request = request
        self.count = 0
        self.over = False
        self.depth = 1
        self.listening = False

    def why_stop(self) -> str:
        """Why nothing more may begin in this cell; ``""`` while it may."""
        return INTERRUPTED if self.count and not self.over else ""


_sent: deque[Callable[[], None]] = deque()
"""What to do about the signals that we sent ourselves and that have not arrived."""

Watcher = tuple[Callable[[], None], CellInterrupts | None]
_watchers: list[Watcher] = []
_before: Any = None
_cell: CellInterrupts | None = None
_open = 0
"""How many parts run in the main thread, one inside the other, that an Interrupt ends at once."""


def begin_cell(request: str | None = None) -> CellInterrupts | None:
    """A cell begins. Returns its Interrupts; ``None`` outside of the main thread, where no signal arrives.

    Where Python's own handler stands, it raises at once in whatever code the cell runs, and stays. ipykernel's handler
    for awaiting cells only cancels the cell where it next waits, and reports one Interrupt: ours goes before it.
    """
    global _cell
    if not _in_main_thread():
        return None
    if _cell is not None and _cell.request == request:
        _cell.depth += 1
        return _cell
    _cell = CellInterrupts(request)
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        _listen()
        _cell.listening = True
    return _cell


def end_cell() -> None:
    """The innermost cell is over."""
    global _cell
    if _cell is None or not _in_main_thread():
        return
    _cell.depth -= 1
    if not _cell.depth:
        _cell.over = True
        _cell = None
        if not _watchers:
            _stop_listening()


def interrupts_of_cell() -> CellInterrupts | None:
    """Those of the cell that runs in the main thread, for a caller in it."""
    return _cell if _in_main_thread() else None


@contextmanager
def watch_sigint(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """Call ``on_interrupt`` for each SIGINT while the block runs, in the main thread; it may raise.

    ipykernel's own handler reports only the first one of a cell, and a terminal's would tear the event loop down.
    Blocks of several tasks may overlap in any order: the handler of before comes back with the end of the last.
    Outside of the main thread (a subshell) no signal arrives, and this does nothing.
    """
    if not _in_main_thread():
        yield
        return
    watcher = (on_interrupt, _cell)
    _watchers.append(watcher)
    _listen()
    try:
        yield
    finally:
        _watchers.remove(watcher)
        if not _watched(_cell) and not (_cell is not None and _cell.listening):
            _stop_listening()


@contextmanager
def held_interrupts() -> Iterator[Callable[[], None]]:
    """A block that an Interrupt does not tear up, but ends at its next check and at the latest where it is left.

    What the block imports is then whole, and what it shows is complete. A second Interrupt does not wait for that.
    Yields the check.

    Raises:
        KeyboardInterrupt: the cell was interrupted: before the block, or in it.
    """
    held = _Held(interrupts_of_cell())
    held.check()
    with watch_sigint(held.on_interrupt):
        try:
            held.check()
            yield held.check
        except BaseException:  # whatever ended it: the person is told what they asked for
            held.check()
            raise
    held.check()


@contextmanager
def open_to_interrupts() -> Iterator[None]:
    """A part of a held block that may take as long as it likes, e.g. a person's code: an Interrupt ends it at once.

    Raises:
        KeyboardInterrupt: there was one before.
    """
    global _open
    if not _in_main_thread():
        yield
        return
    _Held(interrupts_of_cell()).check()
    _open += 1
    try:
        yield
    finally:
        _open -= 1


class _Held:
    def __init__(self, cell: CellInterrupts | None) -> None:
        self._cell = cell
        self._count = 0

    def on_interrupt(self) -> None:
        self._count += 1
        waits = any(watcher != self.on_interrupt for watcher in _watched(self._cell))  # a run, with its own patience
        if _open or (self._count > 1 and not waits):
            raise KeyboardInterrupt

    def check(self) -> None:
        if self._count or (self._cell is not None and self._cell.why_stop()):
            from .errors import KeyboardInterrupt

            raise KeyboardInterrupt(INTERRUPTED) from None


def signal_main(on_arrival: Callable[[], None]) -> None:
    """Have ``on_arrival`` called by the signal's handler in the main thread, also in the middle of a wait there; it may
    raise. It is nobody's Interrupt. Only while something watches; :func:`forget_signal` ends it."""
    _sent.append(on_arrival)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def forget_signal(on_arrival: Callable[[], None]) -> None:
    """In the main thread, once nothing sends it any more: let one that is on its way arrive, and forget it."""
    for _ in range(ARRIVAL_TRIES):
        if on_arrival not in _sent:
            return
        time.sleep(0.001)
    while on_arrival in _sent:
        _sent.remove(on_arrival)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _watched(cell: CellInterrupts | None) -> list[Callable[[], None]]:
    """What a cell itself has waiting; watchers that earlier cells left behind are not its own."""
    return [on_interrupt for on_interrupt, of in _watchers if of is cell]


def _listen() -> None:
    global _before
    before = signal.getsignal(signal.SIGINT)
    if before is not _on_sigint:
        _before = before
        signal.signal(signal.SIGINT, _on_sigint)


def _stop_listening() -> None:
    if signal.getsignal(signal.SIGINT) is _on_sigint:
        signal.signal(signal.SIGINT, signal.SIG_DFL if _before is None else _before)


def _on_sigint(signum: int, frame: Any) -> None:
    """The handler: every watcher hears of it before one of them may raise.

    Where nothing of the cell's own waits, its code is interrupted as it would be without us.
    """
    if _sent:
        _sent.popleft()()
        return
    if _cell is not None:
        _cell.count += 1
    own = _watched(_cell)
    raised: BaseException | None = None
    for on_interrupt, _ in tuple(_watchers):
        try:
            on_interrupt()
        except BaseException as interrupt:
            raised = interrupt
    if raised is not None:
        raise raised
    if not own and callable(_before):
        _before(signum, frame)
