"""Commands that tests have run, and what such commands left alive."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from jupyter_agenttools.shell import OutputLog, ShellExit


@dataclass
class Ran:
    """A command that is over, with its two outputs."""

    exit: ShellExit
    out: str
    err: str
    log: OutputLog


class Mark:
    """A word in the environment of everything that a command starts, by which it can be found again."""

    def __init__(self) -> None:
        self.value = f"mark{uuid.uuid4().hex}"
        self.env = {"SHELL_TEST_MARK": self.value}

    def alive(self) -> list[int]:
        """Processes that carry the mark in their environment or their arguments."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                seen = Path("/proc", name, "environ").read_bytes() + Path("/proc", name, "cmdline").read_bytes()
            except OSError:
                continue
            if self.value.encode() in seen and int(name) != os.getpid():
                found.append(int(name))
        return found

    def wait_until(self, some_alive: bool, within_s: float = 60.0) -> bool:
        """Whether, before the time is over, something (or nothing) with the mark is alive."""
        deadline = time.monotonic() + within_s
        while bool(self.alive()) != some_alive:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True


def contents(path: Path | str | None) -> bytes | None:
    """The bytes of a file; ``None`` when there is no such file."""
    try:
        return None if path is None else Path(path).read_bytes()
    except FileNotFoundError:
        return None


def wait_for_text(path: Path, text: bytes, within_s: float = 60.0) -> bool:
    """Whether, before the time is over, a file holds the text."""
    deadline = time.monotonic() + within_s
    while text not in (contents(path) or b""):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


async def until(condition: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait until something is so.

    Raises:
        AssertionError: it is not, when the time is over.
    """
    await anyio.to_thread.run_sync(until_now, condition, within_s)


def until_now(condition: Callable[[], object], within_s: float = 60.0) -> None:
    """The same without an event loop."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() <= deadline, "it did not come to that"
        time.sleep(0.005)


Runner = Callable[..., Awaitable[Ran]]
