"""Calls that come while others run, take any time, fail and are stopped: order, pairing, cap and exclusivity hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.core import Cancellation, Decision, Outcome, ToolResultBlock, ToolUse
from jupyter_agenttools.core.events import Observers, ScheduleEvent
from jupyter_agenttools.executor import StreamingToolExecutor, interrupted_outcome
from tests.support.timeline import Timeline, Wake
from tests.support.tools import echo_tool, reader, writer

TOOLS = {
    "Reader": reader(),
    "Writer": writer(),
    "Look": echo_tool("Look", rule_family="command", is_read_only=True, is_concurrency_safe=True),
    "Change": echo_tool("Change", rule_family="command"),
}
SAFE = ("Reader", "Look", "Broken")
ALLOWED = Decision("allow")


@dataclass(frozen=True)
class Planned:
    """One call of a plan: how long after the one before it comes, how long it takes, and how it ends."""

    name: str
    after: float
    takes: float
    fails: bool = False
    stopped_at: float | None = None


TIMES = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])
PLANS = st.lists(
    st.builds(
        Planned,
        st.sampled_from([*TOOLS, "Missing", "Broken"]),
        TIMES,
        TIMES,
        st.booleans(),
        st.none() | st.sampled_from([0.05, 0.3, 1.1]),
    ),
    max_size=14,
)


@dataclass
class Stage:
    """Plays a plan: the host of the executor, and the one who watches it."""

    plan: list[Planned]
    cap: int
    timeline: Timeline = field(default_factory=Timeline)
    cancellation: Cancellation = field(default_factory=Cancellation)
    observers: Observers = field(default_factory=Observers)
    running: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    left: list[Outcome] = field(default_factory=list)
    events: list[ScheduleEvent] = field(default_factory=list)
    failed_at: int | None = None

    @property
    def tools(self) -> tuple[Any, ...]:
        return tuple(TOOLS.values())

    def on_schedule(self, event: ScheduleEvent) -> None:
        assert event.time == self.timeline.now
        self.events.append(event)

    def is_safe(self, index: int) -> bool:
        return self.plan[index].name in SAFE

    async def run_one(self, use: ToolUse, cancellation: Cancellation, problem: str) -> Outcome:
        index, wake = int(use.id), Wake()
        planned = self.plan[index]
        assert bool(problem) == (planned.name == "Broken")
        self.begun.append(index)
        self.running.append(index)
        self.check_running(index)
        self.timeline.at(self.timeline.now + planned.takes, wake.set)
        cancellation.add_callback(wake.set)
        await wake
        self.running.remove(index)
        self.ended.append(index)
        cancellation.close()
        if cancellation.cancelled:
            return interrupted_outcome(use, f"stopped: {cancellation.reason}")
        tool, status = TOOLS.get(planned.name), "error" if planned.fails else "ok"
        if planned.fails and planned.name == "Change" and self.failed_at is None:
            self.failed_at = index
        block = ToolResultBlock(use.id, "done", is_error=planned.fails)
        return Outcome(use, status, block, decision=ALLOWED, tool=tool, input=object())  # type: ignore[arg-type]

    async def modify(self, modifier: Any) -> None:
        raise AssertionError("nothing here changes the session")

    def check_running(self, index: int) -> None:
        assert len(self.running) <= self.cap
        assert len(self.running) == 1 or all(map(self.is_safe, self.running))
        earlier_and_open = set(range(index)) - set(self.ended) - set(self.running) - self.never_begun
        assert not earlier_and_open, "it overtook one that came before it"

    @property
    def never_begun(self) -> set[int]:
        done = {int(event.tool_use_id) for event in self.events if event.status == "completed"}
        return done - set(self.begun)

    def play(self, *, abort_siblings: bool = True, abort_at: float | None = None) -> StreamingToolExecutor:
        self.observers.attach(self)
        executor = StreamingToolExecutor(
            self,
            self.timeline.start_soon,
            cap=self.cap,
            abort_siblings=abort_siblings,
            clock=lambda: self.timeline.now,
        )
        time = 0.0
        for index, planned in enumerate(self.plan):
            time += planned.after
            use = ToolUse(planned.name if planned.name != "Broken" else "Writer", {"text": "x"}, str(index))
            problem = "not JSON" if planned.name == "Broken" else ""
            self.timeline.at(time, lambda use=use, problem=problem: executor.add_tool(use, problem))
            if planned.stopped_at is not None:
                self.timeline.at(time + planned.stopped_at, lambda use=use: executor.abort_call(use.id, "not this one"))
        if abort_at is not None:
            self.timeline.at(abort_at, lambda: self.cancellation.cancel("enough"))

        def each_moment() -> None:
            self.left += executor.completed()

        self.timeline.run(each_moment)
        assert executor.done
        assert executor.close() == []
        return executor


@pytest.mark.parametrize("abort_siblings", [True, False])
@settings(max_examples=200)
@given(plan=PLANS, cap=st.integers(1, 4), abort_at=st.none() | st.sampled_from([0.05, 0.4, 1.2]))
def test_any_schedule(abort_siblings: bool, plan: list[Planned], cap: int, abort_at: float | None) -> None:
    stage = Stage(plan, cap)
    stage.play(abort_siblings=abort_siblings, abort_at=abort_at)
    ids = [str(i) for i in range(len(plan))]
    assert [outcome.block.tool_use_id for outcome in stage.left] == ids
    assert stage.begun == sorted(stage.begun) and not stage.running
    for index, outcome in enumerate(stage.left):
        steps = [event.status for event in stage.events if event.tool_use_id == str(index)]
        began = ["executing"] if index in stage.begun or "executing" in steps else []
        assert steps == ["queued", *began, "completed", "yielded"]
        if index not in stage.begun:
            assert outcome.is_error and outcome.status == "interrupted"
            assert "not started" in outcome.text or "not run because Change" in outcome.text
    if abort_siblings and stage.failed_at is not None:
        assert stage.begun[-1] == stage.failed_at, "it began after a command had failed"
    elif abort_at is None and all(planned.stopped_at is None for planned in plan):
        assert stage.begun == list(range(len(plan)))


@settings(max_examples=200)
@given(plan=PLANS, cap=st.integers(1, 4))
def test_nothing_waits_that_need_not(plan: list[Planned], cap: int) -> None:
    """Each call begins at the very moment at which the last of those ends for which it has to wait."""
    plan = [Planned(p.name, p.after, p.takes) for p in plan]
    stage = Stage(plan, cap)
    stage.play()
    when = {(event.tool_use_id, event.status): event.time for event in stage.events}
    for index in range(len(plan)):
        came, began = when[str(index), "queued"], when[str(index), "executing"]
        if began > came:
            freed = [when[str(other), "completed"] for other in range(index)]
            assert began in freed, "it began at some moment at which nothing had ended"


@settings(max_examples=200)
@given(plan=PLANS, cap=st.integers(1, 4))
def test_a_queued_call_names_those_that_it_waits_for(plan: list[Planned], cap: int) -> None:
    stage = Stage(plan, cap)
    stage.play(abort_siblings=False)
    done: set[str] = set()
    for event in stage.events:
        assert not done.intersection(event.waits_for)
        assert all(int(other) < int(event.tool_use_id) for other in event.waits_for)
        if event.status == "completed":
            done.add(event.tool_use_id)
        if event.status == "queued":
            assert bool(event.waits_for) == bool(event.reason)


def test_a_call_that_nobody_had_taken_does_not_run_after_the_end() -> None:
    stage, tasks = Stage([Planned("Reader", 0, 1)] * 2, cap=2), []
    executor = StreamingToolExecutor(stage, tasks.append, cap=2, clock=lambda: stage.timeline.now)
    for index in range(2):
        executor.add_tool(ToolUse("Reader", {"text": "x"}, str(index)))
    assert [outcome.status for outcome in executor.close()] == ["interrupted"] * 2
    for work in tasks:
        with pytest.raises(StopIteration):
            work().send(None)
    assert len(tasks) == 2 and not stage.begun
