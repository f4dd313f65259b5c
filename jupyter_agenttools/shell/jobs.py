"""The commands of one session: what runs in front, and what goes on in the background."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import anyio

from ..core.errors import ToolError
from .job import STOP_PATIENCE_S, Job, JobLabel, JobOutput, Mover
from .run import ShellCommand

MAX_RUNNING = 32
"""Jobs that run in the background at the same time. Each has a thread, and a supervisor of its own."""

KEPT_ENDED = 100
"""Ended jobs that can still be asked about. Their output files stay longer."""


class Jobs:
    """The commands of one session. Thread-safe.

    Args:
        on_moved, on_ended: told of a job that is in the background now, and of the end of such a job; the second is
            called in the job's thread.

    Attributes:
        can_type: whether a person can type to a command that starts now.
    """

    def __init__(
        self, on_moved: Callable[[Job], None] = lambda job: None, on_ended: Callable[[Job], None] = lambda job: None
    ) -> None:
        self.can_type: Callable[[], bool] = lambda: False
        self._on_moved, self._on_ended = on_moved, on_ended
        self._lock = threading.Lock()
        self._telling = threading.RLock()  # the end of a job is not told before its beginning
        self._numbers = itertools.count(1)
        self._jobs: list[Job] = []
        self._closed = False

    def start(
        self,
        command: ShellCommand,
        output: JobOutput,
        label: JobLabel,
        *,
        background: bool = False,
        on_progress: Callable[[int], None] = lambda elapsed_ms: None,
        interpret: Callable[[int], str | None] = lambda code: None,
        on_beat: Callable[[], None] = lambda: None,
        on_created: Callable[[Job], object] = lambda job: None,
    ) -> Job:
        """Begin a command, in front or in the ``background``.

        Args:
            on_progress: told the elapsed milliseconds while the command is in front, see :class:`.run.ShellRun`.
            interpret: what an exit code other than 0 means, where it is no failure.
            on_beat: called as often as ``on_progress``, also in the background, and when its output is over; in the
                job's thread.
            on_created: given the job before it begins.

        Raises:
            ToolError: too many run already, or the session is closed.
        """
        if background and len(self.running_in_background()) >= MAX_RUNNING:
            raise ToolError(
                f"{MAX_RUNNING} tasks run in the background already; stop one (TaskStop) or wait for one (TaskOutput)",
                check_id="too-many-jobs",
            )
        job = Job(command, output, label, on_progress, interpret, on_beat)
        with self._lock:
            if self._closed:
                raise ToolError("the session is closed: nothing can be started in it", check_id="session-closed")
            self._jobs.append(job)
        if background:
            self._move(job, "model")
        on_created(job)
        job.start(self._ended)
        return job

    def move(self, job: Job, by: Mover) -> bool:
        """Put a running job into the background; see :meth:`Job.to_background`."""
        moved = self._move(job, by)
        job.wake()
        return moved

    def _move(self, job: Job, by: Mover) -> bool:
        with self._telling:
            moved = job.to_background(f"{job.label.kind}_{next(self._numbers)}", by)
            if moved:
                self._on_moved(job)
        return moved

    def _ended(self, job: Job) -> None:
        with self._lock:
            ended = [j for j in self._jobs if j.over and j.id]
            forgotten = ended[: max(0, len(ended) - KEPT_ENDED)]
            self._jobs = [j for j in self._jobs if j not in forgotten and (j.id or not j.over)]
        with self._telling:
            if job.moved_by is not None:
                self._on_ended(job)

    # ---- finding them

    def all(self) -> tuple[Job, ...]:
        """What runs, and what has run in the background; the oldest first."""
        with self._lock:
            return tuple(self._jobs)

    def running_in_background(self) -> tuple[Job, ...]:
        return tuple(job for job in self.all() if job.moved_by is not None and not job.over)

    def find(self, id: str) -> Job | None:
        """The job of that id in the background."""
        return next((job for job in self.all() if job.id and job.id == id), None)

    def of_call(self, tool_use_id: str) -> Job | None:
        """What a call that runs waits for."""
        return next((j for j in self.all() if j.label.tool_use_id == tool_use_id and j.moved_by is None), None)

    def move_to_background(self, tool_use_id: str) -> bool:
        """What a person's click does: the call ends now, and its command goes on. Whether it made a difference."""
        job = self.of_call(tool_use_id)
        return job is not None and self.move(job, "person")

    # ---- the end

    async def aclose(self) -> None:
        """Stop every job, and wait for their ends. Nothing can be started afterwards."""
        with self._lock:
            self._closed = True
        jobs = [job for job in self.all() if not job.over]
        for job in jobs:
            job.stop("the session was closed")
        with anyio.move_on_after(STOP_PATIENCE_S, shield=True):
            for job in jobs:
                await job.wait()
