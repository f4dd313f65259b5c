"""Running the programs of hooks: under the same supervisor as commands, so that nothing of them stays alive."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field

import anyio
import anyio.from_thread
import anyio.lowlevel

from ..hooks import ProcessEnd, ProcessOrder
from ..shell.starter import Child, Job, memory_file, starter
from ..shell.transports import Channel, Stream, open_channel

MAX_STDOUT_BYTES = 1_000_000
"""Of the output so much is kept; the rest is read and thrown away. No answer of a hook is longer."""

MAX_STDERR_BYTES = 100_000
MAX_FIRST_LINE_BYTES = 4_096

STOP_GRACE_S = 0.25
"""What a program gets to end by itself when its time is up or somebody stopped it."""

LOST_S = 5.0
"""A supervisor that does not answer this long after it was told to kill is given up."""

CLOSE_PATIENCE_S = 2.0


@dataclass
class _Kept:
    """An output, up to its limit."""

    limit: int
    data: bytearray = field(default_factory=bytearray)
    cut: bool = False

    def take(self, block: bytes) -> None:
        room = self.limit - len(self.data)
        self.data += block[:room]
        self.cut = self.cut or len(block) > room


class HookProcesses:
    """The programs of a session's hooks, while they run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[HookProcess] = set()
        self._closed = False

    async def run(
        self,
        order: ProcessOrder,
        detach: Callable[[bytes], float | None],
        on_late_end: Callable[[ProcessEnd], None],
    ) -> ProcessEnd:
        """See ``HookServices.run_process``."""
        process = HookProcess(order, detach, on_late_end, self._over)
        with self._lock:
            if self._closed:
                raise OSError(f"the session is closed: {order.argv[0]} was not started")
            self._running.add(process)
        return await process.run()

    def _over(self, process: HookProcess) -> None:
        with self._lock:
            self._running.discard(process)

    def close(self) -> None:
        """End them all, and wait for that a little. Nothing is started afterwards."""
        with self._lock:
            self._closed, running = True, tuple(self._running)
        for process in running:
            process.stop(0.0)
        until = time.monotonic() + CLOSE_PATIENCE_S
        for process in running:
            process.wait(max(0.0, until - time.monotonic()))


class HookProcess:
    """One program while it runs, followed by a thread of its own."""

    def __init__(
        self,
        order: ProcessOrder,
        detach: Callable[[bytes], float | None],
        on_late_end: Callable[[ProcessEnd], None],
        on_over: Callable[[HookProcess], None],
    ) -> None:
        self._order, self._detach, self._on_late_end, self._on_over = order, detach, on_late_end, on_over
        self._stdout, self._stderr = _Kept(MAX_STDOUT_BYTES), _Kept(MAX_STDERR_BYTES)
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._stopping = self._timed_out = self._detached = self._first_line_seen = False
        self._grace_s = STOP_GRACE_S
        self._status: int | None = None
        self._failure: OSError | None = None
        self._is_over = False
        self._lost_at: float | None = None
        self._started = time.monotonic()
        self._deadline = self._started + order.timeout_s
        self._end: ProcessEnd | OSError | None = None
        self._finished = threading.Event()
        self._ready = anyio.Event()
        self._token = anyio.lowlevel.current_token()

    async def run(self) -> ProcessEnd:
        """Its end, or that it goes on in the background.

        Raises:
            OSError: it could not be started.
        """
        threading.Thread(target=copy_context().run, args=(self._work,), name="agenttools-hook", daemon=True).start()
        try:
            await self._ready.wait()
        except anyio.get_cancelled_exc_class():
            self.stop(STOP_GRACE_S)
            with anyio.CancelScope(shield=True):
                await self._ready.wait()
            raise
        if self._end is None:
            return ProcessEnd(0, bytes(self._stdout.data), detached=True, duration_ms=self._elapsed_ms())
        if isinstance(self._end, OSError):
            raise self._end
        return self._end

    def stop(self, grace_s: float) -> None:
        """End it, with everything that it started."""
        with self._lock:
            self._stopping, self._grace_s = True, grace_s
            self._lost_at = self._lost_at or time.monotonic() + grace_s + LOST_S
            if self._child is not None:
                self._child.stop(grace_s)

    def wait(self, seconds: float) -> None:
        """Wait for its end in the calling thread."""
        self._finished.wait(seconds)

    def _elapsed_ms(self) -> float:
        return (time.monotonic() - self._started) * 1000

    def _wake(self) -> None:
        with suppress(RuntimeError, anyio.RunFinishedError):  # the loop that waited is gone
            anyio.from_thread.run_sync(self._ready.set, token=self._token)

    # ---- the thread

    def _work(self) -> None:
        end: ProcessEnd | OSError
        try:
            self._run()
            end = self._failure or self._process_end()
        except OSError as problem:
            end = problem
        except Exception as fault:  # whoever waits has to hear of it
            end = OSError(f"{type(fault).__name__}: {fault}")
        self._end = end
        self._on_over(self)
        self._finished.set()
        if not self._detached:
            self._wake()
        elif isinstance(end, ProcessEnd):
            self._on_late_end(end)

    def _process_end(self) -> ProcessEnd:
        status = self._status if self._status is not None else -signal.SIGKILL
        out, err = bytes(self._stdout.data), bytes(self._stderr.data)
        return ProcessEnd(status, out, err, self._stdout.cut, self._timed_out, self._elapsed_ms())

    def _run(self) -> None:
        order, stdin = self._order, memory_file(self._order.stdin)
        try:
            channel = open_channel("pipes")
        except OSError:
            os.close(stdin)
            raise
        try:
            try:
                job = Job(order.program, order.argv, order.env, order.cwd, {0: stdin, **channel.descriptors})
                child = starter.start(job)
            finally:
                os.close(stdin)
                channel.close_command_side()
            try:
                with self._lock:
                    self._child = child
                    if self._stopping:
                        child.stop(self._grace_s)
                self._follow(child, channel)
            finally:
                child.close()
        finally:
            channel.close()

    def _follow(self, child: Child, channel: Channel) -> None:
        """Take its output and its news until nothing of it is alive."""
        streams = {stream.fileno: stream for stream in channel.streams}
        poller = select.poll()
        for descriptor in (child.fileno(), *streams):
            poller.register(descriptor, select.POLLIN)
        while not self._is_over:
            now = time.monotonic()
            if now >= self._deadline and not self._stopping:
                self._timed_out = self._status is None
                self.stop(STOP_GRACE_S)
            if self._lost_at is not None and now >= self._lost_at:
                child.abandon()
                return
            due = self._deadline if self._lost_at is None else self._lost_at
            self._take(poller, streams, child, min(max(0.0, due - now), 60.0))
        poller.unregister(child.fileno())
        while streams and self._take(poller, streams, None, 0.0):
            pass

    def _take(self, poller: select.poll, streams: dict[int, Stream], child: Child | None, pause_s: float) -> bool:
        ready = poller.poll(pause_s * 1000)
        for descriptor, _ in ready:
            if child is not None and descriptor == child.fileno():
                self._hear(child.receive())
                continue
            stream = streams[descriptor]
            if block := stream.read():
                (self._stdout if stream.name == "stdout" else self._stderr).take(block)
            else:
                poller.unregister(descriptor)
                del streams[descriptor]
        self._look_at_first_line()
        return bool(ready)

    def _hear(self, news: list[list[str]] | None) -> None:
        if news is None:
            self._is_over = True
        for word, *rest in news or ():
            if word == "exit":
                self._status = os.waitstatus_to_exitcode(int(rest[0]))
            elif word == "failed":
                where = self._order.cwd if rest[0] == "chdir" else self._order.program
                self._failure = OSError(int(rest[1]), os.strerror(int(rest[1])), where)
            else:
                self._is_over = True

    def _look_at_first_line(self) -> None:
        """Let a program go that says on its first line that nobody has to wait for it."""
        if self._first_line_seen or not self._stdout.data:
            return
        line, newline, _ = bytes(self._stdout.data[:MAX_FIRST_LINE_BYTES]).partition(b"\n")
        seconds = self._detach(line)
        self._first_line_seen = bool(newline) or seconds is not None or len(line) == MAX_FIRST_LINE_BYTES
        if seconds is not None and self._status is None and not self._stopping:
            self._detached, self._deadline = True, time.monotonic() + seconds
            self._wake()
