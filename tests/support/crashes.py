"""Ending a child process in the middle of what it does."""

from __future__ import annotations

import os
import random
import select
import signal
from collections.abc import Callable
from typing import Any, NamedTuple

STEPS = (
    "open",
    "write",
    "pwrite",
    "fsync",
    "ftruncate",
    "posix_fallocate",
    "link",
    "unlink",
    "rename",
    "replace",
    "chmod",
    "mkdir",
)
"""The system calls that change something on a disk, or prepare it."""


class Progress(NamedTuple):
    """How far a child came.

    Attributes:
        reported: the last number that it wrote to its pipe, -1 for none.
        killed: whether it was still running at the end.
    """

    reported: int
    killed: bool


def kill_at_step(work: Callable[[], object], step: int, *, torn: bool) -> bool:
    """Run ``work`` in a forked child that is killed at its ``step``-th changing system call (from 1).

    Args:
        torn: let that call do half of its work before, where it is one that writes.

    Returns:
        whether there was such a step; if not the child ended by itself.
    """
    child = os.fork()
    if child == 0:
        _die_at(step, torn)
        try:
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _die_at(step: int, torn: bool) -> None:
    left = [step]

    def wrap(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **keywords: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                if torn and name in ("write", "pwrite"):
                    real(args[0], args[1][: len(args[1]) // 2], *args[2:])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **keywords)

        return wrapped

    for name in STEPS:
        setattr(os, name, wrap(name, getattr(os, name)))


def kill_after(work: Callable[[Callable[[int], None]], object], seconds: float) -> Progress:
    """Run ``work`` in a forked child, which is given a function to report numbers, and kill it after ``seconds``."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(lambda number: os.write(writer, number.to_bytes(4)))
        finally:
            os._exit(0)
    os.close(writer)
    select.select([], [], [], seconds)
    os.kill(child, signal.SIGKILL)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    with open(reader, "rb") as answers:
        numbers = answers.read()
    return Progress(int.from_bytes(numbers[-4:]) if numbers else -1, killed)


def some_bytes(number: int) -> bytes:
    """The bytes that go with ``number``: always the same, of very different lengths, alike at the beginning."""
    chance = random.Random(number)
    size = chance.choice((0, 1, 100, 4_096, 5_000, 70_000))
    return b"# the same line in every one of them\n"[: chance.randrange(60)] + chance.randbytes(size)
