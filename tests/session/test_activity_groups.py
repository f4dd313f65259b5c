"""Stopping everything that runs in a session, or only what belongs together."""

from __future__ import annotations

from contextvars import copy_context

import pytest

from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.session.activities import Activities, activity_group


def begun(activities: Activities, group: str):
    """An activity that was begun in a group, and its end."""

    def begin():
        activity_group.set(group)
        manager = activities.begin()
        return manager, manager.__enter__()

    return copy_context().run(begin)


def test_a_group_is_stopped_alone() -> None:
    activities = Activities()
    kept = {group: begun(activities, group) for group in ("", "turn_1", "turn_2")}
    running = {group: switch for group, (_, switch) in kept.items()}
    activities.interrupt("enough", "turn_1")
    assert [name for name, switch in running.items() if switch.cancelled] == ["turn_1"]
    activities.interrupt("a cell was interrupted", "")
    assert [name for name, switch in running.items() if switch.cancelled] == ["", "turn_1"]
    activities.interrupt("closed")
    assert all(switch.cancelled for switch in running.values())
    assert running["turn_1"].reason == "enough", "the first reason is the one that counts"


def test_what_has_ended_is_not_stopped() -> None:
    activities = Activities()
    manager, switch = begun(activities, "turn_1")
    manager.__exit__(None, None, None)
    activities.interrupt("closed")
    assert not switch.cancelled


def test_something_in_any_group_keeps_others_from_being_alone() -> None:
    activities = Activities()
    manager, _ = begun(activities, "turn_1")
    with pytest.raises(UsageError, match="something runs"), activities.alone():
        pass
    manager.__exit__(None, None, None)
    with activities.alone():
        pass
