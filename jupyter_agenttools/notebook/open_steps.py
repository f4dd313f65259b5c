"""The calls that stop between two stages, each with the choice how to go on, made once by whoever is first."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass

from ..core.errors import UsageError
from ..core.events import StageEvent
from ..core.stepping import StepChoice
from .listeners import Listeners


@dataclass(frozen=True, eq=False)
class OpenStep:
    """One stop.

    Attributes:
        walked: what every stage of the call did so far; the last one is where it stops.
        next_stage: what would run next. may_edit: whether the input can still be changed.
        cell: the cell in which its card is, ``""`` when that is not known.
        choice: thread-safe; resolved once.
        key: of this walk alone, the same at each stop of it; another call may have the same id.
        client: the front end's session that ran the cell.
    """

    walked: tuple[StageEvent, ...]
    next_stage: str
    may_edit: bool
    cell: str
    choice: Future[StepChoice]
    key: str
    client: str = ""

    @property
    def event(self) -> StageEvent:
        return self.walked[-1]

    def choose(self, choice: StepChoice) -> bool:
        """Say how to go on; says whether it was what counts."""
        try:
            self.choice.set_result(choice)
        except InvalidStateError:
            return False
        return True


class OpenSteps:
    """Every stop of the kernel, in the order in which they came. Thread-safe.

    Attributes:
        listen: calls a function whenever a stop comes or goes, see :meth:`.Listeners.add`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, OpenStep] = {}
        self._listeners = Listeners()
        self.listen = self._listeners.add

    def open(self, step: OpenStep) -> None:
        with self._lock:
            self._open[step.key] = step
        self._listeners.tell()

    def close(self, step: OpenStep) -> None:
        with self._lock:
            self._open.pop(step.key, None)
        self._listeners.tell()

    def all(self) -> tuple[OpenStep, ...]:
        with self._lock:
            return tuple(step for step in self._open.values() if not step.choice.done())

    def of_key(self, key: str) -> OpenStep:
        """The stop of the walk with this very key.

        Raises:
            UsageError: it does not stop any more.
        """
        found = next((step for step in self.all() if step.key == key), None)
        if found is None:
            raise UsageError("this call does not wait between stages any more")
        return found
