"""Threads for jobs that are used again: starting one takes a tenth of the time that the shortest command does."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

MAX_IDLE = 4
"""So many threads wait for a next job."""

Work = Callable[[], object]


class Threads:
    """Runs functions in threads of their own. Thread-safe.

    The threads are daemons: a kernel that ends does not wait for a job, and its death ends the job's command.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[queue.SimpleQueue[Work]] = []

    def run(self, work: Work) -> None:
        """Run ``work`` in a thread; what it raises is reported as of any thread.

        Raises:
            RuntimeError: no thread can be had.
        """
        with self._lock:
            waiting = self._idle.pop() if self._idle else None
        if waiting is None:
            waiting = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(waiting,), name="agenttools-job", daemon=True).start()
        waiting.put(work)

    @property
    def idle(self) -> int:
        """How many threads wait for a next job."""
        return len(self._idle)

    def _serve(self, mine: queue.SimpleQueue[Work]) -> None:
        while True:
            work = mine.get()
            work()
            del work  # nothing of a job is kept alive by the thread that ran it
            with self._lock:
                if len(self._idle) >= MAX_IDLE:
                    return
                self._idle.append(mine)

    def forget(self) -> None:
        """In a forked copy of the kernel, which has no threads but one."""
        self.__init__()  # type: ignore[misc]


threads = Threads()
"""Those of this kernel."""

os.register_at_fork(after_in_child=threads.forget)
