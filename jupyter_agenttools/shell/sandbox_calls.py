"""Which system calls fail in the sandbox: those by which a command would reach something outside that no mount hides.

A read-only file system does not keep anybody from talking to a socket that lies in it (a database, an agent with keys,
a container engine), and keyrings belong to a user and not to a file system. The filter is a program for the kernel's
packet filter machine, as seccomp takes it, written out here by hand.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

_LOAD_WORD, _AND, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_CALL_AT, _ARCHITECTURE_AT, _FAMILY_AT, _TYPE_AT = 0, 4, 16, 24
"""Where the machine finds them in what it looks at (of an argument the low half: both machines are little-endian)."""

_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_AF_UNIX, _SOCK_STREAM, _SOCK_SEQPACKET, _TYPE_BITS = 1, 1, 5, 0xF
_X32_CALLS = 0x40000000
"""On x86-64 the same calls have a second set of numbers from here on, for a kind of program that nobody runs."""


class _Machine(NamedTuple):
    """The numbers of the architecture, of ``socket`` and ``socketpair``, and of the calls that always fail."""

    architecture: int
    socket: int
    socketpair: int
    refused: tuple[int, ...]


_MACHINES = {
    # In this order: io_uring_setup (opens sockets past this filter), add_key, request_key, keyctl.
    "x86_64": _Machine(0xC000003E, 41, 53, (425, 248, 249, 250)),
    "aarch64": _Machine(0xC00000B7, 198, 199, (425, 217, 218, 219)),
}


def call_filter(machine: str = "") -> bytes | None:
    """The filter for this machine, or another one by its name; ``None`` where its numbers are not known.

    Pairs of connected sockets can be made (programs talk to their own children by them), sockets with an address in the
    file system cannot, nor pairs of the kind that can be given another address later. Programs for another machine (32
    bit) fail at their first call.
    """
    known = _MACHINES.get(machine or os.uname().machine)
    return None if known is None else b"".join(_program(known))


def _program(machine: _Machine) -> Iterator[bytes]:
    yield _step(_LOAD_WORD, _ARCHITECTURE_AT)
    yield _step(_JUMP_EQUAL, machine.architecture, 1, 0)
    yield _step(_RETURN, _FAIL | errno.ENOSYS)
    yield _step(_LOAD_WORD, _CALL_AT)
    yield _step(_JUMP_AT_LEAST, _X32_CALLS, 0, 1)
    yield _step(_RETURN, _FAIL | errno.ENOSYS)
    for number in machine.refused:
        yield _step(_JUMP_EQUAL, number, 0, 1)
        yield _step(_RETURN, _FAIL | errno.EPERM)
    yield _step(_JUMP_EQUAL, machine.socket, 6, 0)
    yield _step(_JUMP_EQUAL, machine.socketpair, 1, 0)
    yield _step(_RETURN, _ALLOW)
    yield _step(_LOAD_WORD, _TYPE_AT)
    yield _step(_AND, _TYPE_BITS)
    yield _step(_JUMP_EQUAL, _SOCK_STREAM, 3, 0)
    yield _step(_JUMP_EQUAL, _SOCK_SEQPACKET, 2, 0)
    yield _step(_LOAD_WORD, _FAMILY_AT)
    yield _step(_JUMP_EQUAL, _AF_UNIX, 1, 0)
    yield _step(_RETURN, _ALLOW)
    yield _step(_RETURN, _FAIL | errno.EACCES)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction; the jumps are numbers of instructions to skip."""
    return struct.pack("<HBBI", code, if_true, if_false, value)
