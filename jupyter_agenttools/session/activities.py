"""What runs in a session at the moment, and the switches that stop it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from ..core.cancel import Cancellation
from ..core.errors import UsageError

activity_group: ContextVar[str] = ContextVar("jupyter_agenttools_activity_group", default="")
"""The name of the group that what is begun in this context belongs to: it can be stopped alone, and is left alone when
another group is stopped. ``""`` is the group of all that nobody put into one."""


SOMETHING_RUNS = "something runs in this session, and may change files: wait for its end, or stop it"


class Activity(NamedTuple):
    """Something that runs: its group, and its switch."""

    group: str
    cancellation: Cancellation


class Activities:
    """The runs, queries and undos of one session, each with a stop switch. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: list[Activity] = []

    @contextmanager
    def begin(self) -> Iterator[Cancellation]:
        """A stop switch for something that runs, known to :meth:`interrupt` while it lasts."""
        with self._begun(alone=False) as cancellation:
            yield cancellation

    @contextmanager
    def alone(self) -> Iterator[Cancellation]:
        """The same for something that may only begin while nothing else runs.

        Raises:
            UsageError: something does.
        """
        with self._begun(alone=True) as cancellation:
            yield cancellation

    @contextmanager
    def _begun(self, *, alone: bool) -> Iterator[Cancellation]:
        activity = Activity(activity_group.get(), Cancellation())
        with self._lock:
            self._active = [each for each in self._active if not each.cancellation.loop_is_closed]
            if alone and self._active:
                raise UsageError(SOMETHING_RUNS)
            self._active.append(activity)
        try:
            yield activity.cancellation
        finally:
            with self._lock:
                self._active = [each for each in self._active if each is not activity]

    def require_alone(self, cancellation: Cancellation) -> None:
        """Do nothing when nothing runs but what has this switch.

        Raises:
            UsageError: something else does.
        """
        with self._lock:
            if any(each.cancellation is not cancellation for each in self._active):
                raise UsageError(SOMETHING_RUNS)

    def interrupt(self, reason: str, group: str | None = None) -> None:
        """Stop everything, or one group. A second time: at once, without any grace.

        All are told before what one of them raises gets out.
        """
        with ExitStack() as stack:
            for activity in reversed(self._active):
                if group is None or activity.group == group:
                    stack.callback(activity.cancellation.cancel, reason)
