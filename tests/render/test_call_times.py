"""When the calls of a turn were where, for the trace in its record."""

from __future__ import annotations

from jupyter_agenttools.core.events import ScheduleEvent
from jupyter_agenttools.render.call_times import CallTimes


def test_times_count_from_the_first_step_and_keep_for_whom_a_call_waited() -> None:
    times = CallTimes()
    for event in (
        ScheduleEvent("a", "queued", 100.0),
        ScheduleEvent("a", "executing", 100.001),
        ScheduleEvent("b", "queued", 100.05, ("a",), "waits to run alone"),
        ScheduleEvent("c", "queued", 100.06),
        ScheduleEvent("c", "completed", 100.07, ("a", "b"), "not started: stopped"),
        ScheduleEvent("a", "completed", 100.2),
        ScheduleEvent("b", "executing", 100.21),
    ):
        times.take(event)
    assert times.of(["a", "b", "c", "unknown"]) == {
        "a": {"queued": 0.0, "executing": 1.0, "completed": 200.0},
        "b": {"queued": 50.0, "waited": ["a"], "reason": "waits to run alone", "executing": 210.0},
        "c": {"queued": 60.0, "completed": 70.0, "held": ["a", "b"], "note": "not started: stopped"},
    }


def test_the_first_time_of_a_state_counts() -> None:
    times = CallTimes()
    times.take(ScheduleEvent("a", "queued", 1.0, ("x",)))
    times.take(ScheduleEvent("a", "queued", 2.0, ("x", "y")))
    assert times.of(["a"]) == {"a": {"queued": 0.0, "waited": ["x", "y"]}}
