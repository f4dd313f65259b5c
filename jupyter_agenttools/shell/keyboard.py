"""The keys of a command's terminal: what a person types into a program that runs."""

from __future__ import annotations

import os
import select
import termios
import threading
import time
from typing import Literal

from ..core.errors import UsageError
from .waiting import is_read

Key = Literal["interrupt", "end"]
KEYS = {"interrupt": b"\x03", "end": b"\x04"}

MAX_LINE_BYTES = 4094
"""A terminal that gathers lines loses what is longer (the kernel's own limit is 4096 with the line's end)."""

FULL_S = 1.0
"""How long a terminal whose program does not read may be full before what is typed is given up."""


class Keyboard:
    """Types into one terminal, until it is closed. Thread-safe. Nothing that is typed is kept here.

    Args:
        terminal: our end of it, which does not block; the descriptor belongs to whoever made it.
        device: the number of the other end.
    """

    def __init__(self, terminal: int, device: int) -> None:
        self._terminal: int | None = terminal
        self._device = device
        self._lock = threading.Lock()
        self._begin = self._modes()

    def type(self, line: str) -> None:
        """Type a line and press Enter.

        Raises:
            UsageError: it is longer than a terminal takes, the program reads nothing, or it is over.
        """
        data = line.encode(errors="surrogateescape") + b"\n"
        if len(data) > MAX_LINE_BYTES:
            raise UsageError(f"a terminal takes lines of {MAX_LINE_BYTES - 1:,} bytes at most; this has {len(data):,}")
        self._send(data)

    def press(self, key: Key) -> None:
        """Press Ctrl-C (``interrupt``) or Ctrl-D (``end``); raises as :meth:`type`."""
        self._send(KEYS[key])

    @property
    def is_open(self) -> bool:
        """Whether there is still a terminal to type to."""
        return self._terminal is not None

    @property
    def hides(self) -> bool:
        """Whether the program has switched the echo off, as for a password. (An editor of lines echoes by itself.)"""
        lines, echo = self._modes()
        return lines and not echo

    @property
    def was_changed(self) -> bool:
        """Whether the program has set the terminal up for itself: it means to read from it."""
        return self._modes() != self._begin

    @property
    def is_read(self) -> bool | None:
        """Whether a program waits in a read from the terminal; ``None`` where the system does not say."""
        with self._lock:
            return False if self._terminal is None else is_read(self._terminal, self._device)

    def close(self) -> None:
        with self._lock:
            self._terminal = None

    def _modes(self) -> tuple[bool, bool]:
        """Whether the terminal gathers lines, and whether it echoes."""
        with self._lock:
            if self._terminal is None:
                return True, True
            flags = termios.tcgetattr(self._terminal)[3]
        return bool(flags & termios.ICANON), bool(flags & termios.ECHO)

    def _send(self, data: bytes) -> None:
        deadline = time.monotonic() + FULL_S
        with self._lock:
            while data:
                if self._terminal is None:
                    raise UsageError("the command is over: there is nobody to type to")
                try:
                    data = data[os.write(self._terminal, data) :]
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise UsageError("the command does not read what is typed") from None
                    select.select([], [self._terminal], [], max(0.0, deadline - time.monotonic()))
