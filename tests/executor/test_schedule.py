"""Which call may begin, which result may leave, and for what each waits: by data alone."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jupyter_agenttools.executor import Schedule


def begun(schedule: Schedule) -> list[int]:
    """Start everything that may begin now."""
    started = []
    while (index := schedule.first_queued()) is not None and schedule.may_start(index):
        schedule.start(index)
        started.append(index)
    return started


def test_safe_calls_overlap_up_to_the_cap_and_the_rest_waits_for_those_that_hold_the_slots() -> None:
    schedule = Schedule(cap=2)
    for _ in range(4):
        schedule.add(safe=True)
    assert begun(schedule) == [0, 1]
    assert schedule.waits_for(2) == schedule.waits_for(3) == (0, 1)
    schedule.complete(1)
    assert begun(schedule) == [2]
    assert schedule.leave() == () and schedule.waits_for(1) == (0,)
    schedule.complete(0)
    assert schedule.leave() == (0, 1) and schedule.leave() == ()
    assert begun(schedule) == [3]
    assert [schedule.status(i) for i in range(4)] == ["yielded", "yielded", "executing", "executing"]


def test_an_unsafe_call_waits_for_all_before_it_and_all_after_wait_for_it() -> None:
    schedule = Schedule(cap=10)
    for safe in (True, True, False, True):
        schedule.add(safe)
    assert begun(schedule) == [0, 1]
    assert schedule.waits_for(2) == (0, 1) and schedule.waits_for(3) == (2,)
    schedule.complete(0)
    assert begun(schedule) == [] and schedule.waits_for(2) == (1,)
    schedule.complete(1)
    assert begun(schedule) == [2] and schedule.waits_for(3) == (2,)
    schedule.complete(2)
    assert begun(schedule) == [3] and schedule.waits_for(3) == ()


def test_results_of_whole_batches_leave_together() -> None:
    schedule = Schedule(cap=10)
    for safe in (True, True, False):
        schedule.add(safe)
    begun(schedule)
    schedule.complete(0)
    assert schedule.leave(whole_batches=True) == ()
    schedule.complete(1)
    assert schedule.leave(whole_batches=True) == (0, 1)


@given(st.lists(st.booleans(), max_size=40))
def test_batches_are_runs_of_safe_calls(flags: list[bool]) -> None:
    schedule = Schedule(cap=3)
    for safe in flags:
        schedule.add(safe)
    assert [i for batch in schedule.batches for i in batch] == list(range(len(flags)))
    for batch in schedule.batches:
        assert len({flags[i] for i in batch}) == 1 and (flags[batch[0]] or len(batch) == 1)


class AnySchedule(RuleBasedStateMachine):
    """Calls come, begin, end, are given up and leave in any order that may happen."""

    def __init__(self) -> None:
        super().__init__()
        self.cap = 3
        self.schedule = Schedule(self.cap)
        self.flags: list[bool] = []
        self.running: set[int] = set()
        self.completed: set[int] = set()
        self.begun: list[int] = []
        self.left: list[int] = []

    @rule(safe=st.booleans())
    def add(self, safe: bool) -> None:
        assert self.schedule.add(safe) == len(self.flags)
        self.flags.append(safe)

    @rule()
    def start(self) -> None:
        for index in begun(self.schedule):
            before = set(range(index))
            if self.flags[index]:
                assert all(self.flags[i] for i in before - self.completed), "an unsafe one before it is not over"
            else:
                assert before <= self.completed and not self.running
            self.running.add(index)
            self.begun.append(index)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def complete(self, data: Any) -> None:
        index = data.draw(st.sampled_from(sorted(self.running)))
        self.schedule.complete(index)
        self.running.remove(index)
        self.completed.add(index)

    @precondition(lambda self: self.schedule.first_queued() is not None)
    @rule()
    def give_up_the_next(self) -> None:
        index = self.schedule.first_queued()
        assert index is not None
        self.schedule.complete(index)
        self.completed.add(index)

    @rule()
    def leave(self) -> None:
        self.left += self.schedule.leave()

    @invariant()
    def holds(self) -> None:
        assert len(self.running) <= self.cap
        assert len(self.running) <= 1 or all(self.flags[i] for i in self.running)
        assert self.begun == sorted(self.begun)
        assert self.left == list(range(len(self.left))) and set(self.left) <= self.completed
        assert self.schedule.running == tuple(sorted(self.running))
        assert self.schedule.done == (len(self.completed) == len(self.flags))
        for index in range(len(self.flags)):
            waits_for = self.schedule.waits_for(index)
            assert index not in waits_for and not self.completed.intersection(waits_for)
            if self.schedule.status(index) == "queued" and self.running:
                blocked = not self.schedule.may_start(index)
                assert waits_for or not blocked, "what cannot begin says why"


TestAnySchedule = AnySchedule.TestCase
