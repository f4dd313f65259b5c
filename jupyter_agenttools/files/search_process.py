"""Running a program that searches: within a time, and never anything left of it.

A killed kernel ends nobody: the engine in Python then notices and ends itself, and any other has a bound of its own.

Its outputs go to nameless files, not to pipes: a search that says a few words a thousand times would wake its reader as
often, which costs more than the search.
"""

from __future__ import annotations

import fcntl
import math
import os
import resource
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from subprocess import DEVNULL
from typing import NamedTuple

import anyio
from anyio.abc import Process

from ..core.errors import ToolError

READ_BYTES = 1 << 20
MAX_OUTPUT_BYTES = 64 << 20
"""What a search may say. One that says more is stopped: nobody could use it."""

MAX_ERROR_BYTES = 1 << 20
SIZE_CHECK_S = 0.05


class Command(NamedTuple):
    """A program to run.

    Attributes:
        argv: the program and its arguments, which no shell sees.
        cwd: where it runs. env: its whole environment. stdin: what it is told.
    """

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    stdin: bytes | None = None


class Said(NamedTuple):
    """What a program said.

    Attributes:
        output, errors: of both outputs, as much as was read.
        status: its exit code; ``None`` when it was stopped.
        stopped: why it was: ``time``, or that it said too much.
    """

    output: bytes
    errors: bytes
    status: int | None
    stopped: str = ""


class Progress:
    """How much a running search has found.

    Args:
        mark: what stands once in each record of its output.
    """

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._counted = self._at = 0
        self._descriptor: int | None = None

    def watch(self, descriptor: int | None) -> None:
        """Look at this output from now on; ``None``: it is gone."""
        self.found()
        self._descriptor, self._at = descriptor, 0

    def found(self) -> int:
        """Records up to now."""
        while self._descriptor is not None and (block := os.pread(self._descriptor, READ_BYTES, self._at)):
            self._counted += block.count(self._mark)
            self._at += len(block)
        return self._counted


async def run(command: Command, *, time_limit_s: float, progress: Progress | None = None) -> Said:
    """Run a program to its end, or to its time limit; what it had said by then is returned.

    When the caller is cancelled, the process and all that it has started is killed before the cancellation goes on.

    Raises:
        ToolError: it cannot be started.
    """
    with _nameless_file() as output, _nameless_file() as errors, _nameless_file(command.stdin or b"") as told:
        stdin = DEVNULL if command.stdin is None else told
        process = await _start(command, stdin, output, errors, time_limit_s)
        if progress is not None:
            progress.watch(output)
        try:
            with anyio.move_on_after(time_limit_s):
                await _wait(process, output)
            status = process.returncode
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
            if progress is not None:
                progress.watch(None)
        stopped = "" if status is not None else "too much output" if _is_too_much(output) else "time"
        return Said(_content(output, MAX_OUTPUT_BYTES), _content(errors, MAX_ERROR_BYTES), status, stopped)


async def _start(command: Command, stdin: int, output: int, errors: int, time_limit_s: float) -> Process:
    try:
        process = await anyio.open_process(
            command.argv,
            stdin=stdin,
            stdout=output,
            stderr=errors,
            cwd=command.cwd,
            env=command.env,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(
            f"the search could not be started: {error.strerror or error} ({error.filename})", check_id="search-start"
        ) from error
    _bound(process.pid, time_limit_s)
    return process


def _bound(pid: int, time_limit_s: float) -> None:
    """Give a search a bound of its own, for when nobody is left to end it: as much processor time as it could have used
    within its time limit. Only Linux can do that from outside."""
    bound = math.ceil((time_limit_s + 1) * (os.cpu_count() or 1))
    with suppress(AttributeError, OSError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_CPU, (bound, bound))


async def _wait(process: Process, output: int) -> None:
    """Return when the process has ended, or has said too much."""

    async def watch_size() -> None:
        while True:
            await anyio.sleep(SIZE_CHECK_S)
            if _is_too_much(output):
                tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch_size)
        await process.wait()
        tasks.cancel_scope.cancel()


async def _end(process: Process) -> None:
    """Kill what is left of the process and of its children, and let go of it."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    await process.aclose()


@contextmanager
def _nameless_file(data: bytes = b"") -> Iterator[int]:
    """A descriptor of a file that nobody else can open, at its start."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("agenttools-search")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        # Several processes write: without this they would write to the same place of a file in memory.
        fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
        yield descriptor
    finally:
        os.close(descriptor)


def _is_too_much(output: int) -> bool:
    return os.fstat(output).st_size > MAX_OUTPUT_BYTES


def _content(descriptor: int, most: int) -> bytes:
    size = min(os.fstat(descriptor).st_size, most)
    return os.pread(descriptor, size, 0)
