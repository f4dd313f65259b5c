"""What somebody else's code may raise: whatever class it is of, it is an error of that code and ends nothing else."""

from __future__ import annotations

import sys
import threading


def faults() -> tuple[type[BaseException], ...]:
    """For ``except faults() as fault`` around somebody else's code: what that raised by itself is caught, also where
    it is no ``Exception``, as ``sys.exit``, pytest's ``fail`` and a panic in Rust are not.

    A cancellation passes, and so does the closing of a coroutine. In the main thread a ``KeyboardInterrupt`` and a
    ``SystemExit`` pass as well: a person's Ctrl-C, and a program that is told to end by a signal. In other threads no
    signal is ever raised, so there the code made them by itself; but for those of :func:`let_interrupts_pass`.
    """
    raised = sys.exc_info()[1]
    return () if raised is None or _passes(raised) else (type(raised),)


def let_interrupts_pass() -> None:
    """The thread that calls this is one in which whoever stops its code raises ``KeyboardInterrupt``."""
    _thread.is_interrupted = True


def as_exception(fault: BaseException) -> Exception:
    """The fault itself, or an error that tells of it: what is no ``Exception`` tears down the thread that it is handed
    on in."""
    if isinstance(fault, Exception):
        return fault
    told = RuntimeError(f"{type(fault).__name__} was raised: {words_of(fault)}".removesuffix(": "))
    told.__cause__ = fault
    return told


def words_of(error: BaseException) -> str:
    """What an exception says; it may come from anybody's code, so even saying it can fail."""
    try:
        return str(error)
    except faults() as fault:
        return f"(its message cannot be read: {type(fault).__name__})"


def _passes(raised: BaseException) -> bool:
    if isinstance(raised, BaseExceptionGroup):
        return any(map(_passes, raised.exceptions))
    is_main = threading.current_thread() is threading.main_thread()
    if isinstance(raised, KeyboardInterrupt):
        return is_main or getattr(_thread, "is_interrupted", False)
    if isinstance(raised, SystemExit):
        return is_main
    return isinstance(raised, (GeneratorExit, _cancelled_class()))


def _cancelled_class() -> type[BaseException]:
    import anyio

    try:
        return anyio.get_cancelled_exc_class()
    except RuntimeError:  # no loop runs in this thread, but it may work for one
        import asyncio

        return asyncio.CancelledError


_thread = threading.local()
