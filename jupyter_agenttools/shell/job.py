"""A command as a job: somebody waits for it in front, or it goes on in the background and is asked about later."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import anyio
import anyio.from_thread
import anyio.lowlevel

from ..core.errors import ToolError
from .input_watch import InputWatch
from .keyboard import Key, Keyboard
from .run import TIMEOUT_GRACE_S, ShellCommand, ShellExit, ShellRun
from .threads import threads
from .transports import StreamName

JobState = Literal["running", "completed", "failed", "killed", "timed out"]
Mover = Literal["model", "person", "limit"]
"""Who put a job into the background: the call itself, a person, or its time limit."""

STOP_PATIENCE_S = 5.0
"""How long somebody who stops a job waits for its end; the supervisor kills it much sooner."""


class JobOutput(Protocol):
    """What takes the output of a job as it comes. Thread-safe."""

    path: Path

    @property
    def sinks(self) -> Mapping[StreamName, Callable[[bytes], None]]: ...
    @property
    def total_lines(self) -> int: ...
    @property
    def total_bytes(self) -> int: ...
    def keep_file(self) -> None:
        """From now on there is a file, even for no output, and it stays."""

    def tail(self) -> str:
        """The last lines as they look now."""

    def so_far(self, limit: int) -> str:
        """What there is, its beginning and its end when it is longer than ``limit`` characters."""

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the file does not hold, in sentences."""

    def close(self) -> None:
        """No more output comes."""


class JobLabel(NamedTuple):
    """What a job is called.

    Attributes:
        command: what it runs, as the model wrote it.
        description: what that does, ``""`` when nobody said.
        tool_use_id: the call that started it.
        kind: the tool's word for it.
        agent_id: the sub-agent that started it, ``None`` for the main one.
    """

    command: str
    description: str = ""
    tool_use_id: str = ""
    kind: Literal["bash", "monitor"] = "bash"
    agent_id: str | None = None


class _Waiter(NamedTuple):
    """An event of a loop, to be set from any thread."""

    event: anyio.Event
    thread: int
    token: object

    def wake(self) -> None:
        if threading.get_ident() == self.thread:
            self.event.set()
            return
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            anyio.from_thread.run_sync(self.event.set, token=self.token)


class Job:
    """One command, from its start to its end. All methods may be called in any thread.

    Attributes:
        label: what it is called.
        output: what it has printed.
        id: by which it is asked about; ``""`` as long as it is in front.
        started: seconds since the epoch.
        moved_by: who put it into the background, ``None`` while it is in front.
        end: how it ended, ``None`` before that and when it never began.
        failure: why it never began.
        stopped_by: who had it stopped, in a few words, ``""`` when nobody did.
        output_is_over: no more output comes.
        told: the model knows how it ended.
        meaning: what its exit code means, where another one than 0 is no failure.
        input: what it waits for, where a person can type to it.
    """

    def __init__(
        self,
        command: ShellCommand,
        output: JobOutput,
        label: JobLabel,
        on_progress: Callable[[int], None],
        interpret: Callable[[int], str | None],
        on_beat: Callable[[], None],
    ) -> None:
        self.label, self.output = label, output
        self.id = ""
        self.started = time.time()
        self.moved_by: Mover | None = None
        self.end: ShellExit | None = None
        self.failure: OSError | None = None
        self.stopped_by = ""
        self.output_is_over = False
        self.told = False
        self.meaning: str | None = None
        self._began = time.monotonic()
        self._took_s: float | None = None
        self._report, self._interpret, self._on_beat = on_progress, interpret, on_beat
        self._run = ShellRun(command, output.sinks, self._on_progress)
        self.input = InputWatch(self._run, output.tail)
        self._lock = threading.Lock()
        self._waiters: list[_Waiter] = []
        self._on_end: Callable[[Job], None] = lambda job: None

    def start(self, on_end: Callable[[Job], None]) -> None:
        """Begin. ``on_end`` is called in the job's thread once all output is on disk, before any waiter wakes."""
        self._on_end = on_end
        threads.run(partial(copy_context().run, self._work))

    def _work(self) -> None:
        end: ShellExit | None = None
        failure: OSError | None = None
        try:
            end = self._run.run_here()
        except OSError as error:
            failure = error
        finally:
            self.output.close()
            self.output_is_over = True
            self._on_beat()
            if end is not None and end.status > 0:
                self.meaning = self._interpret(end.status)
            with self._lock:
                self.end, self.failure, self._took_s = end, failure, time.monotonic() - self._began
        self._on_end(self)
        self.wake()

    def _on_progress(self, elapsed_ms: int) -> None:
        if self.moved_by is None:
            self._report(elapsed_ms)
        self.input.end_vain_input(can_type=self.moved_by is None)
        self._on_beat()

    # ---- how it stands

    @property
    def over(self) -> bool:
        return self._took_s is not None

    @property
    def elapsed_s(self) -> float:
        """From its start to its end, or to now."""
        return time.monotonic() - self._began if self._took_s is None else self._took_s

    @property
    def exit_code(self) -> int | None:
        """Its own, ``None`` while it runs and when a signal ended it."""
        return self.end.status if self.end is not None and self.end.status >= 0 else None

    @property
    def signal(self) -> int | None:
        """The number of the signal that ended it."""
        return -self.end.status if self.end is not None and self.end.status < 0 else None

    @property
    def state(self) -> JobState:
        if not self.over:
            return "running"
        if self.end is None:
            return "failed"
        if self.end.stopped == "timeout":
            return "timed out"
        if self.end.stopped is not None or self.end.status < 0:
            return "killed"
        return "completed" if self.end.status == 0 or self.meaning else "failed"

    @property
    def state_words(self) -> str:
        """The state with what is known of it: ``failed, exit code 7``, ``killed by signal 9 (SIGKILL)``."""
        if self.end is None:
            return "running" if not self.over else f"failed: it could not be started ({self.failure})"
        if self.end.supervisor_lost:
            return "killed, with the process that watched over it"
        if self.end.stopped is not None:
            return f"{self.state}{f' ({self.stopped_by})' if self.stopped_by else ''}"
        if self.signal is not None:
            return f"killed by signal {self.signal}{_signal_name(self.signal)}"
        code = f"{self.state}, exit code {self.exit_code}"
        return f"{code} ({self.meaning})" if self.meaning else code

    # ---- waiting for it

    async def wait(self) -> None:
        """Wait for its end. Whoever stops waiting leaves the job alone."""
        await self._until(lambda: self.over)

    async def wait_in_front(self) -> None:
        """Wait for its end, or until it was put into the background.

        When the awaiting task is cancelled, the command is stopped, and this still returns after its end: the
        cancellation takes effect where the task next waits.
        """
        try:
            await self._until(lambda: not self._in_front)
        except anyio.get_cancelled_exc_class():
            if self._in_front:
                self.stop()
            if anyio.current_effective_deadline() > -math.inf:  # not by a scope, which would cancel once more
                raise
            with anyio.CancelScope(shield=True):
                await self._until(lambda: not self._in_front)

    @property
    def _in_front(self) -> bool:
        return not self.over and self.moved_by is None

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that changes when the job ends or is moved."""
        waiter = _Waiter(anyio.Event(), threading.get_ident(), anyio.lowlevel.current_token())
        with self._lock:
            if condition():
                return
            self._waiters.append(waiter)
        try:
            while not condition():
                await waiter.event.wait()
                waiter = waiter._replace(event=anyio.Event())
                with self._lock:
                    self._waiters.append(waiter)
        finally:
            with self._lock:
                self._waiters = [w for w in self._waiters if w.event is not waiter.event]

    def wake(self) -> None:
        """Have everybody who waits look again."""
        with self._lock:
            waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.wake()

    # ---- what can be done with it

    def stop(self, by: str = "") -> None:
        """End it with everything that it started: gently, then by force; at once, when called again.

        Args:
            by: who wants that, in a few words for the model.
        """
        self.stopped_by = self.stopped_by or by
        self._run.stop()

    def time_out(self) -> None:
        """Stop it because its time is up."""
        self._run.stop("timeout", TIMEOUT_GRACE_S)

    async def stop_and_wait(self, by: str = "") -> bool:
        """Stop it and wait for its end, not for ever. Whether it is over."""
        if not self.over:
            self.stop(by)
        with anyio.move_on_after(STOP_PATIENCE_S):
            await self.wait()
        return self.over

    def to_background(self, id: str, by: Mover) -> bool:
        """Let nobody wait for it any more. Whether that made a difference: not when it is over, or was moved before.

        Its time limit is gone with that. :meth:`wake` tells those who wait.
        """
        with self._lock:
            if self.over or self.moved_by is not None:
                return False
            self.output.keep_file()
            self.id, self.moved_by = id, by
            if by != "model":
                self._run.lift_time_limit()
        return True

    # ---- typing to it

    @property
    def keyboard(self) -> Keyboard | None:
        """Types to the program, where a person can."""
        return None if self.over else self._run.keyboard

    @property
    def hides_typing(self) -> bool:
        """Whether what is typed now does not appear, as for a password."""
        keyboard = self.keyboard
        return keyboard is not None and keyboard.hides

    def type(self, line: str) -> None:
        """Type a line to it.

        Raises:
            UsageError: nobody can type to it, or it does not read.
        """
        self.input.hold()
        self._required_keyboard().type(line)

    def press(self, key: Key) -> None:
        """Press a key; raises as :meth:`type`."""
        self.input.hold()
        self._required_keyboard().press(key)

    def _required_keyboard(self) -> Keyboard:
        keyboard = self.keyboard
        if keyboard is None:
            raise ToolError("nobody can type to this command: it is over, or has no terminal", check_id="job-no-keys")
        return keyboard


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return f" ({signal.Signals(number).name})"
    return ""
