"""The filter of system calls: which calls fail in the sandbox, and what goes on."""

from __future__ import annotations

import errno
import socket
import struct
from pathlib import Path

import pytest

from jupyter_agenttools.shell import SandboxProfile, ShellCommand, ShellRun, hardened_environment, sandbox_support
from jupyter_agenttools.shell.sandbox_calls import call_filter
from tests.support.sandbox import needs_sandbox

ALLOWED = 0x7FFF0000
NAMES = ("machine", "socket", "socketpair", "keyctl", "io_uring_setup", "read")
NUMBERS = {
    "x86_64": dict(zip(NAMES, (0xC000003E, 41, 53, 250, 425, 0), strict=True)),
    "aarch64": dict(zip(NAMES, (0xC00000B7, 198, 199, 219, 425, 63), strict=True)),
}


def answer(machine: str, call: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says of a call, as the kernel would run it."""
    seen = struct.pack("<IIQ6Q", call, architecture or NUMBERS[machine]["machine"], 0, *(*arguments, *[0] * 6)[:6])
    program = list(struct.iter_unpack("<HBBI", call_filter(machine) or b""))
    at, value = 0, 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("<I", seen, operand)
            case 0x54:
                value &= operand
            case 0x15:
                at += if_true if value == operand else if_false
            case 0x35:
                at += if_true if value >= operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"no such instruction: {code:#x}")


def fails(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", NUMBERS)
def test_what_fails_and_what_goes_on(machine: str) -> None:
    calls = NUMBERS[machine]
    unix, inet, stream, dgram, raw, seqpacket, close_on_exec = 1, 2, 1, 2, 3, 5, 0o2000000
    for kind in (stream, dgram, raw, seqpacket, stream | close_on_exec):
        assert answer(machine, calls["socket"], unix, kind) == fails(errno.EACCES)
        assert answer(machine, calls["socket"], inet, kind) == ALLOWED
    for kind in (stream, seqpacket, stream | close_on_exec):
        assert answer(machine, calls["socketpair"], unix, kind) == ALLOWED
    for kind in (dgram, raw, dgram | close_on_exec):
        assert answer(machine, calls["socketpair"], unix, kind) == fails(errno.EACCES)
    for name in ("keyctl", "io_uring_setup"):
        assert answer(machine, calls[name]) == fails(errno.EPERM)
    assert answer(machine, calls["read"], unix) == ALLOWED
    assert answer(machine, calls["read"], architecture=0x40000003) == fails(errno.ENOSYS)


def test_the_second_set_of_numbers_is_no_way_around() -> None:
    assert answer("x86_64", 0x40000000 + 41, 1, 1) == fails(errno.ENOSYS)


def test_an_unknown_machine_has_no_filter() -> None:
    assert call_filter("vax") is None


def run_in_sandbox(folder: Path, command: str) -> str:
    out: list[bytes] = []
    profile = SandboxProfile((str(folder),))
    env = hardened_environment({"HOME": str(folder)}, str(folder), command)
    shell = ShellCommand(command, str(folder), env, timeout_s=30.0, sandbox=profile)
    ShellRun(shell, {"stdout": out.append, "stderr": out.append}).run_here()
    return b"".join(out).decode()


needs_filter = pytest.mark.skipif(
    call_filter() is None or not sandbox_support().filters, reason="no filter of system calls on this machine"
)


@needs_sandbox
@needs_filter
def test_a_socket_in_a_folder_cannot_be_reached(tmp_path: Path) -> None:
    connect = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('door'); print('in')"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "door"))
        server.listen()
        assert "PermissionError" in run_in_sandbox(tmp_path, f'/usr/bin/env python3 -c "{connect}"')


@needs_sandbox
@needs_filter
def test_everyday_programs_do_not_notice(tmp_path: Path) -> None:
    pool = "import multiprocessing, socket, asyncio; socket.socketpair(); asyncio.run(asyncio.sleep(0)); print('pool')"
    said = run_in_sandbox(
        tmp_path, f'python3 -c "{pool}"; git init -q r && git -C r status -sb; seq 3 | sort -r | head -1'
    )
    assert [line for line in said.split("\n") if line in ("pool", "3")] == ["pool", "3"]
    assert "No commits yet" in said


@needs_sandbox
@needs_filter
def test_nothing_of_the_filter_is_left_open(tmp_path: Path) -> None:
    assert "196" not in run_in_sandbox(tmp_path, "ls /proc/self/fd").split()
