"""How a command's output reaches the kernel: over two pipes, or over a terminal.

Pipes keep stdout and stderr apart, and no program thinks that somebody watches. On a terminal programs write line by
line, as for a person; both streams are one there. Neither changes a byte. With a person at the keyboard the terminal
is also where the command reads from.
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .keyboard import Keyboard

if TYPE_CHECKING:
    from pexpect.fdpexpect import fdspawn

TransportName = Literal["pipes", "pty"]
StreamName = Literal["stdout", "stderr"]

BLOCK_BYTES = 256 * 1024
PIPE_BYTES = BLOCK_BYTES
ROWS, COLUMNS = 50, 200


@dataclass(frozen=True)
class Stream:
    """One output of a command, to be read.

    Args:
        name: which.
        fileno: a descriptor to wait on.
        read: the next block, empty at the end. Does not block after the descriptor was readable.
        close: give the descriptor back.
    """

    name: StreamName
    fileno: int
    read: Callable[[], bytes]
    close: Callable[[], None]


@dataclass(frozen=True)
class Channel:
    """Both sides of a command's output: streams for the kernel, and descriptors (by number) for the command.

    ``keyboard`` types into the terminal, where there is one that the command reads from.
    """

    streams: tuple[Stream, ...]
    descriptors: Mapping[int, int]
    keyboard: Keyboard | None = None

    def close_command_side(self) -> None:
        """Call this once the command has its descriptors, or an end of the output is never seen."""
        for descriptor in set(self.descriptors.values()):
            os.close(descriptor)

    def close(self) -> None:
        if self.keyboard is not None:
            self.keyboard.close()
        for stream in self.streams:
            stream.close()


def open_channel(transport: TransportName, *, typing: bool = False) -> Channel:
    """Make the two sides of a transport.

    Args:
        typing: a person can type to the command; over a terminal only.

    Raises:
        OSError: no pipe or terminal can be had.
    """
    return _open_pipes() if transport == "pipes" else _open_terminal(typing)


def _open_pipes() -> Channel:
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    for descriptor in (out_write, err_write):
        with suppress(AttributeError, OSError):  # Linux only; above a user's limit it is refused
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return Channel((_pipe_stream("stdout", out_read), _pipe_stream("stderr", err_read)), {1: out_write, 2: err_write})


def _pipe_stream(name: StreamName, descriptor: int) -> Stream:
    return Stream(name, descriptor, lambda: os.read(descriptor, BLOCK_BYTES), lambda: os.close(descriptor))


def _open_terminal(typing: bool) -> Channel:
    from pexpect.fdpexpect import fdspawn

    ours, theirs = pty.openpty()
    device = os.fstat(theirs).st_rdev
    try:
        for_command = _command_side(theirs, typing)
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    os.set_blocking(ours, False)
    terminal = fdspawn(ours)
    terminal.delaybeforesend = None
    stream = Stream("stdout", ours, lambda: _read_terminal(terminal), lambda: os.close(ours))
    return Channel((stream,), for_command, Keyboard(ours, device) if typing else None)


def _command_side(terminal: int, typing: bool) -> dict[int, int]:
    """The descriptors of a command on this terminal.

    Its outputs are write-only: a pager that wants keys from its error output gets an error instead of waiting for ever.
    """
    _make_transparent(terminal, typing)
    name = os.ttyname(terminal)
    outputs = os.open(name, os.O_WRONLY | os.O_NOCTTY)
    if not typing:
        return {1: outputs, 2: outputs}
    try:
        return {0: os.open(name, os.O_RDONLY | os.O_NOCTTY), 1: outputs, 2: outputs}
    except OSError:
        os.close(outputs)
        raise


def _read_terminal(terminal: fdspawn) -> bytes:
    """What the terminal holds by now, up to a block; it hands over a page at a time."""
    from pexpect import EOF
    from pexpect.spawnbase import SpawnBase

    found = bytearray()
    try:
        while len(found) < BLOCK_BYTES:
            # fdspawn's own method would wait first, which has been done, for every page.
            found += SpawnBase.read_nonblocking(terminal, BLOCK_BYTES)
    except (BlockingIOError, EOF):
        pass  # at the end there is nothing found, now or at the next call
    return bytes(found)


def _make_transparent(terminal: int, typing: bool) -> None:
    """Switch off what a terminal does to bytes: no ``\\n`` to ``\\r\\n``.

    Where nobody types, no echo, no lines and no signals from keys either.
    """
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST
    attributes[3] &= ~termios.IEXTEN
    if not typing:
        attributes[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG)
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
