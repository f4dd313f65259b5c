"""Run one command in a fresh bash and follow it to its end: output, time limit, stop, and what it leaves behind."""

from __future__ import annotations

import errno
import os
import select
import shutil
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import anyio
import anyio.to_thread

from .keyboard import Keyboard
from .sandbox import FILTER_FD, SandboxProfile, open_sandbox
from .sandbox_calls import call_filter
from .script import (
    COMMAND_FD,
    REPORT_FD,
    STATE_FD,
    TYPED_WRAPPER,
    WRAPPER,
    ExitState,
    new_nonce,
    read_exit_state,
    report_script,
)
from .starter import Child, Job, memory_file, starter
from .transports import Channel, Stream, StreamName, TransportName, open_channel

STOP_GRACE_S = 0.25
"""What a stopped command gets to end by itself. The pipeline gives a stopped tool 0.4 s, and wants its output."""

TIMEOUT_GRACE_S = 1.0
"""What a command gets when its time is up; nobody waits for it by then."""

DRAIN_S = 0.2
"""How long output may still arrive when nothing of the command is alive (a terminal hands it over late)."""

LOST_S = 5.0
"""A supervisor that does not answer this long after it was told to kill is given up."""

PROGRESS_S = 0.1
QUIET_PROGRESS_S = 1.0
"""Least time between two reports of progress: with new output, and without."""


@dataclass(frozen=True)
class ShellCommand:
    """A command for bash.

    Args:
        text: what to run; any length, no NUL.
        cwd: absolute path of where.
        env: its whole environment.
        transport: how its output comes back.
        timeout_s: when it is stopped; ``None`` never.
        typing: a person can type to it; only on a terminal, else its standard input is at its end.
        sandbox: what it can do in the sandbox; ``None`` for outside of it.
    """

    text: str
    cwd: str
    env: Mapping[str, str]
    transport: TransportName = "pipes"
    timeout_s: float | None = None
    typing: bool = False
    sandbox: SandboxProfile | None = None


@dataclass(frozen=True)
class ShellExit:
    """The end of a command. Nothing of it is alive, but for the processes named in ``left``.

    Args:
        status: its exit code, or minus the number of the signal that ended it.
        stopped: whether, and why, it was ended from here.
        duration_ms: from start to end.
        state: directory and variables at its end, ``None`` when it did not get to tell.
        left: processes that outlived SIGKILL (hanging in the system, or another user's).
        supervisor_lost: the command killed the process that watched over it; what it left was killed nevertheless.
    """

    status: int
    stopped: Literal["timeout", "cancelled"] | None
    duration_ms: int
    state: ExitState | None
    left: tuple[int, ...] = ()
    supervisor_lost: bool = False


@dataclass
class _Heard:
    """What the supervisor has said so far."""

    status: int | None = None
    over: bool = False
    lost: bool = False
    left: tuple[int, ...] = ()
    failure: OSError | None = None


class ShellRun:
    """One command while it runs.

    Args:
        command: what to run.
        sinks: who takes the output, by stream (a terminal has only ``stdout``). Called in a worker thread.
        on_progress: told the elapsed milliseconds, at most ten times a second while output comes and once a second
            otherwise. Called in a worker thread.

    Attributes:
        keyboard: types to the command, once it runs and where it can be typed to.
        last_output: when output came last, by ``time.monotonic()``; the start, when none did.
    """

    def __init__(
        self,
        command: ShellCommand,
        sinks: Mapping[StreamName, Callable[[bytes], None]],
        on_progress: Callable[[int], None] = lambda elapsed_ms: None,
    ) -> None:
        self._command = command
        self._sinks = sinks
        self._on_progress = on_progress
        self._timeout_s = command.timeout_s
        self.keyboard: Keyboard | None = None
        self.last_output = time.monotonic()
        self._heard = _Heard()
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._stops = 0
        self._stopped: Literal["timeout", "cancelled"] | None = None
        self._lost_at: float | None = None
        self._fresh = False

    async def run(self) -> ShellExit:
        """Run it to its end.

        When the awaiting task is cancelled, the command is stopped, and what came of it is still returned: the
        cancellation takes effect where the task next waits.

        Raises:
            FileNotFoundError, NotADirectoryError, PermissionError: the working directory cannot be entered, or there
                is no bash; ``filename`` says which.
            SandboxProblem: the sandbox cannot be had.
            OSError: the system is out of processes or descriptors.
        """
        result: ShellExit | OSError | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._stop_when_cancelled)
            result = await anyio.to_thread.run_sync(self._run, limiter=anyio.CapacityLimiter(1))
            group.cancel_scope.cancel()
        assert result is not None
        if isinstance(result, OSError):
            raise result
        return result

    def stop(self, reason: Literal["timeout", "cancelled"] = "cancelled", grace_s: float = STOP_GRACE_S) -> None:
        """End the command: at first gently, killing what is left after the grace; when called again, at once."""
        with self._lock:
            self._stops += 1
            if self._heard.status is None:  # else it has ended by itself, and only what it left is stopped
                self._stopped = self._stopped or reason
            self._lost_at = self._lost_at or time.monotonic() + grace_s + LOST_S
            if self._child is not None:
                self._order_stop(self._child, grace_s)

    def lift_time_limit(self) -> None:
        """From now on it may take as long as it likes."""
        self._timeout_s = None

    def run_here(self) -> ShellExit:
        """Run it to its end in the calling thread; raises as :meth:`run`."""
        result = self._run()
        if isinstance(result, OSError):
            raise result
        return result

    def _order_stop(self, child: Child, grace_s: float) -> None:
        if self._stops > 1:
            child.kill()
        else:
            child.stop(grace_s)

    async def _stop_when_cancelled(self) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            if not self._heard.over:
                self.stop()

    def _run(self) -> ShellExit | OSError:
        """The worker thread's whole work. An ``OSError`` is returned: raised in a task group it would be wrapped."""
        started = time.monotonic()
        try:
            with ExitStack() as cleanup:
                return self._run_with(cleanup, started)
        except OSError as error:
            return error

    def _run_with(self, cleanup: ExitStack, started: float) -> ShellExit:
        nonce = new_nonce()
        files = {
            COMMAND_FD: memory_file(os.fsencode(self._command.text)),
            REPORT_FD: memory_file(report_script(nonce)),
            STATE_FD: memory_file(),
        }
        for descriptor in files.values():
            cleanup.callback(os.close, descriptor)
        channel = open_channel(self._command.transport, typing=self._command.typing)
        cleanup.callback(channel.close)
        try:
            if self._stops:
                return ShellExit(-signal.SIGTERM, self._stopped, 0, None)
            prefix = self._enter_sandbox(cleanup)
            if str(FILTER_FD) in prefix:
                files[FILTER_FD] = memory_file(call_filter() or b"")
                cleanup.callback(os.close, files[FILTER_FD])
            child = self._start(prefix, {**channel.descriptors, **files})
        finally:
            channel.close_command_side()
        cleanup.callback(child.close)
        self.keyboard = channel.keyboard
        self._follow(child, channel, started)
        elapsed_ms = round((time.monotonic() - started) * 1000)
        if self._heard.failure is not None:
            raise self._heard.failure
        state = read_exit_state(_contents(files[STATE_FD]), nonce)
        return self._exit(state, elapsed_ms)

    def _enter_sandbox(self, cleanup: ExitStack) -> tuple[str, ...]:
        profile = self._command.sandbox
        return () if profile is None else cleanup.enter_context(open_sandbox(profile, self._command.cwd))

    def _start(self, prefix: tuple[str, ...], descriptors: Mapping[int, int]) -> Child:
        bash = find_bash(self._command.env)
        argv = (
            *prefix,
            bash if prefix else "bash",
            "--noprofile",
            "--norc",
            "-c",
            TYPED_WRAPPER if 0 in descriptors else WRAPPER,
        )
        program = prefix[0] if prefix else bash
        child = starter.start(
            Job(program, argv, self._command.env, self._command.cwd, descriptors, is_boxed=bool(prefix))
        )
        with self._lock:
            self._child = child
            if self._stops:  # stopped while it was being started
                self._order_stop(child, 0.0)
        return child

    def _follow(self, child: Child, channel: Channel, started: float) -> None:
        """Take output and news until nothing of the command is alive, then what output is still on its way."""
        streams = {stream.fileno: stream for stream in channel.streams}
        poller = select.poll()
        for descriptor in (child.fileno(), *streams):
            poller.register(descriptor, select.POLLIN)
        report_at = started + PROGRESS_S
        while not self._heard.over:
            now = time.monotonic()
            deadline = None if self._timeout_s is None else started + self._timeout_s
            if deadline is not None and now >= deadline and self._runs_freely:
                self.stop("timeout", TIMEOUT_GRACE_S)
            if self._lost_at is not None and now >= self._lost_at:
                self._heard.over = self._heard.lost = True
                child.abandon()
            if now >= report_at + (0 if self._fresh else QUIET_PROGRESS_S - PROGRESS_S):
                self._on_progress(round((now - started) * 1000))
                self._fresh, report_at = False, now + PROGRESS_S
            self._take(poller, streams, child, self._pause(now, deadline, report_at))
        poller.unregister(child.fileno())
        drained_at = time.monotonic() + DRAIN_S
        while streams and self._take(poller, streams, None, max(0.0, drained_at - time.monotonic())):
            pass

    @property
    def _runs_freely(self) -> bool:
        """Whether it has not ended, and nobody stops it."""
        return self._stopped is None and self._heard.status is None

    def _pause(self, now: float, deadline: float | None, report_at: float) -> float:
        """Seconds until something is due."""
        due = [report_at if self._fresh else report_at + QUIET_PROGRESS_S - PROGRESS_S]
        if deadline is not None and self._runs_freely:
            due.append(deadline)
        if self._lost_at is not None:
            due.append(self._lost_at)
        return max(0.0, min(due) - now)

    def _take(self, poller: select.poll, streams: dict[int, Stream], child: Child | None, pause_s: float) -> bool:
        """Wait for whatever comes, and take it. Whether anything came."""
        ready = poller.poll(pause_s * 1000)
        for descriptor, _ in ready:
            if child is not None and descriptor == child.fileno():
                self._hear(child.receive())
                continue
            stream = streams[descriptor]
            if data := stream.read():
                self._sinks[stream.name](data)
                self._fresh, self.last_output = True, time.monotonic()
            else:
                poller.unregister(descriptor)
                del streams[descriptor]
        return bool(ready)

    def _hear(self, news: list[list[str]] | None) -> None:
        if news is None:
            self._heard.over = self._heard.lost = True
        for word, *rest in news or ():
            if word == "exit":
                self._heard.status = os.waitstatus_to_exitcode(int(rest[0]))
            elif word == "failed":
                where = self._command.cwd if rest[0] == "chdir" else find_bash(self._command.env)
                self._heard.failure = OSError(int(rest[1]), os.strerror(int(rest[1])), where)
            else:
                self._heard.over = True
                self._heard.left = tuple(map(int, rest))

    def _exit(self, state: ExitState | None, duration_ms: int) -> ShellExit:
        heard = self._heard
        status = heard.status if heard.status is not None else -signal.SIGKILL
        return ShellExit(status, self._stopped, duration_ms, state, heard.left, heard.lost)


def find_bash(env: Mapping[str, str]) -> str:
    """The absolute path of the bash that ``env`` leads to.

    Raises:
        FileNotFoundError: there is none.
    """
    path = env.get("PATH", os.defpath)
    found = _search_bash(path)
    if found is None or not os.access(found, os.X_OK):
        _search_bash.cache_clear()
        found = _search_bash(path)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "bash")
    return os.path.abspath(found)


@lru_cache(maxsize=8)  # the search takes a twentieth of the time that the shortest command does
def _search_bash(path: str) -> str | None:
    return shutil.which("bash", path=path) or shutil.which("bash", path=os.defpath)


def _contents(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0)
