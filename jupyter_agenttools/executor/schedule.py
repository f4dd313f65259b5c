"""Which call may begin now, which result may leave, and for what does each wait? Pure data: no clock, no task, no tool.

Calls begin in the order in which they came. One that may not overlap others is alone while it runs: it waits for all
before it, and all after it wait for it. So consecutive safe calls form a batch, and every other call is its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.events import ScheduleStatus


@dataclass
class _Place:
    """One call: whether it may overlap others, its batch, and where it is."""

    safe: bool
    batch: int
    status: ScheduleStatus = "queued"


class Schedule:
    """The calls of one message, known by their position from 0.

    Args:
        cap: how many run at the same time.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._places: list[_Place] = []
        self._batches: list[list[int]] = []
        self._open: list[int] = []  # how many calls of each batch are not completed
        self._running: set[int] = set()
        self._next = 0
        self._leaving = 0

    def __len__(self) -> int:
        return len(self._places)

    @property
    def batches(self) -> tuple[tuple[int, ...], ...]:
        """The positions of the calls, batch by batch."""
        return tuple(map(tuple, self._batches))

    @property
    def running(self) -> tuple[int, ...]:
        """The calls that run, in their order."""
        return tuple(sorted(self._running))

    @property
    def done(self) -> bool:
        """Whether every call is completed."""
        return self.first_queued() is None and not self._running

    def status(self, index: int) -> ScheduleStatus:
        return self._places[index].status

    def is_safe(self, index: int) -> bool:
        return self._places[index].safe

    def add(self, safe: bool) -> int:
        """One more call; returns its position."""
        index = len(self._places)
        if not self._batches or not (safe and self._places[-1].safe):
            self._batches.append([])
            self._open.append(0)
        self._batches[-1].append(index)
        self._open[-1] += 1
        self._places.append(_Place(safe, len(self._batches) - 1))
        return index

    def first_queued(self) -> int | None:
        """The one call that is to begin next, ``None`` when none waits."""
        while self._next < len(self._places) and self._places[self._next].status != "queued":
            self._next += 1
        return self._next if self._next < len(self._places) else None

    def may_start(self, index: int) -> bool:
        """Whether the first queued call can begin now: nothing runs, or everything that runs is safe, and so is this,
        and there is a slot."""
        return self._fits(self._places[index].safe)

    def _fits(self, safe: bool) -> bool:
        if not self._running:
            return True
        return safe and self._places[min(self._running)].safe and len(self._running) < self._cap

    def start(self, index: int) -> None:
        self._places[index].status = "executing"
        self._running.add(index)

    def complete(self, index: int) -> None:
        """The result is there: of a call that ran, or of one that never will."""
        place = self._places[index]
        place.status = "completed"
        self._running.discard(index)
        self._open[place.batch] -= 1

    def batch_ending_with(self, index: int) -> tuple[int, ...]:
        """The batch of this running call when it is the last of it that is not completed, else nothing."""
        batch = self._places[index].batch
        return tuple(self._batches[batch]) if self._open[batch] == 1 else ()

    def leave(self, *, whole_batches: bool = False) -> tuple[int, ...]:
        """The calls whose results leave now, in order: those before them have left or leave too.

        Args:
            whole_batches: none leaves before its batch is completed.
        """
        first = self._leaving
        while self._leaving < len(self._places) and self._can_leave(self._places[self._leaving], whole_batches):
            self._places[self._leaving].status = "yielded"
            self._leaving += 1
        return tuple(range(first, self._leaving))

    def _can_leave(self, place: _Place, whole_batches: bool) -> bool:
        return place.status == "completed" and not (whole_batches and self._open[place.batch])

    def waits_for(self, index: int) -> tuple[int, ...]:
        """The calls for which this one waits at the moment.

        A queued one: those of the batch before its own that are not completed, or those that hold the slots. A
        completed one: the first that keeps its result from leaving.
        """
        place = self._places[index]
        if place.status == "completed":
            return (self._leaving,) if self._places[self._leaving].status != "completed" else ()
        if place.status != "queued":
            return ()
        if place.batch and (before := self._unfinished(place.batch - 1)):
            return before
        return self.running if not self._fits(place.safe) else ()

    def _unfinished(self, batch: int) -> tuple[int, ...]:
        if not self._open[batch]:
            return ()
        return tuple(i for i in self._batches[batch] if self._places[i].status in ("queued", "executing"))
