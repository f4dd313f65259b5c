"""What it costs to run a command, beside ``subprocess.run``, and how quick much output comes in."""

from __future__ import annotations

import os
import pty
import resource
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from jupyter_agenttools.core import Cancellation, ContextState, ToolOptions, ToolPermissionContext, ToolUseContext
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.tools.bash import bash_tool

from .measure import Figure, median

ROUNDS, PER_ROUND = 15, 10
MB = 200
BLOCK = 256 * 1024
LINE = "a line of output such as programs print, about a hundred characters of it, one after another ...."
MUCH = f"yes '{LINE}' | head -c {MB}000000"


def _context(folder: Path, number: int, *, hardened: bool) -> ToolUseContext:
    state = ContextState(ToolPermissionContext(), str(folder))
    return ToolUseContext(f"call_{number}", state, ToolOptions(), folder / "session", Cancellation(), hardened=hardened)


async def _tool(folder: Path, command: str, *, hardened: bool) -> Any:
    number = time.monotonic_ns()
    result = await bash_tool.call(
        parse_input(bash_tool, {"command": command}), _context(folder, number, hardened=hardened)
    )
    assert result.data.exit_code == 0
    return result.data


def _subprocess(folder: Path, command: str) -> None:
    subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)


async def _starts(folder: Path, *, hardened: bool) -> tuple[float, float]:
    """Milliseconds for ``true`` through the tool, and through ``subprocess.run``; in turns, the median of each."""
    ours, floors = [], []
    await _tool(folder, "true", hardened=hardened)
    for _ in range(ROUNDS):
        for _ in range(PER_ROUND):
            began = time.perf_counter()
            await _tool(folder, "true", hardened=hardened)
            ours.append((time.perf_counter() - began) * 1e3)
            began = time.perf_counter()
            _subprocess(folder, "true")
            floors.append((time.perf_counter() - began) * 1e3)
    return median(ours), median(floors)


def _read_pipe(command: str) -> None:
    """The floor: read blocks until the end."""
    with subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        while os.read(process.stdout.fileno(), BLOCK):
            pass


def _read_terminal(command: str) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(["bash", "-c", f"stty raw; {command}"], stdin=theirs, stdout=theirs)
    os.close(theirs)
    try:
        while os.read(ours, BLOCK):
            pass
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    finally:
        os.close(ours)
        process.wait()


async def _much(folder: Path, *, hardened: bool) -> tuple[float, float, float]:
    """Seconds for much output through the tool and through a bare loop, and the growth of memory in MB."""
    read = _read_pipe if hardened else _read_terminal
    floors, ours = [], []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3):
        began = time.perf_counter()
        await anyio.to_thread.run_sync(read, MUCH)
        floors.append(time.perf_counter() - began)
        began = time.perf_counter()
        output = await _tool(folder, MUCH, hardened=hardened)
        ours.append(time.perf_counter() - began)
        assert output.total_bytes == MB * 1_000_000
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return min(ours), min(floors), grown


def figures() -> Iterator[Figure]:
    """The figures of this module, one after the other."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for hardened, kind, starts, much in ((True, "pipes", 1.5, 1 / 0.6), (False, "a terminal", 8, 1 / 0.6)):
            value, floor = anyio.run(partial(_starts, folder, hardened=hardened))
            yield Figure(f"true over {kind}", value, floor, "ms", starts, {"floor is": "subprocess.run of bash"})
            value, floor, grown = anyio.run(partial(_much, folder, hardened=hardened))
            detail = {
                "floor is": "a loop of os.read on the same transport",
                "MB": MB,
                "memory grew by MB": round(grown),
            }
            yield Figure(f"{MB} MB of output over {kind}", value, floor, "s", much, detail)
            yield Figure(f"memory for {MB} MB over {kind}", grown, None, "MB", 24)
