"""Which tool or hook of a cell takes the place of which; no guard is lost because another one has its name."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from jupyter_agenttools import UsageError, hook
from jupyter_agenttools.core import definitions
from jupyter_agenttools.notebook.definitions import Definition, Definitions


def made_of(*entries: tuple[str, str, str, int]) -> list[str]:
    """What counts after these definitions, each ``(name, event, cell, run)``, by their numbers."""
    known = Definitions()
    for number, (name, event, cell, run) in enumerate(entries):
        known.add(Definition(str(number), name, event, cell, run))
    return [each.made for each in known]


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ([("m.guard", "PreToolUse", "a", 1), ("m.guard", "PreToolUse", "a", 2)], ["1"]),  # run again
        ([("m.guard", "PreToolUse", "a", 1), ("m.guard", "PostToolUse", "a", 2)], ["1"]),  # edited
        ([("m.guard", "PreToolUse", "a", 1), ("m.guard", "PreToolUse", "b", 2)], ["1"]),  # the name means another one
        ([("m.guard", "PreToolUse", "a", 1), ("m.guard", "PostToolUse", "b", 2)], ["0", "1"]),
        ([("m.guard", "PreToolUse", "a", 1), ("m.guard", "PreToolUse", "a", 1)], ["0", "1"]),  # in a loop
        ([("m.guard", "Stop", "a", 1)] * 2 + [("m.guard", "Stop", "a", 2)] * 2, ["2", "3"]),
        ([("m.<lambda>", "PreToolUse", "a", 1), ("m.<lambda>", "PreToolUse", "b", 2)], ["0", "1"]),
        ([("m.<lambda>", "PreToolUse", "a", 1), ("m.<lambda>", "PreToolUse", "a", 2)], ["1"]),
        ([("m.make.<locals>.guard", "Stop", "", 1), ("m.make.<locals>.guard", "Stop", "", 2)], ["0", "1"]),
        ([("m.guard", "Stop", "", 1), ("m.guard", "Stop", "", 2)], ["1"]),  # a terminal knows no cells
        ([("m.guard", "", "a", 1), ("m.guard", "PreToolUse", "a", 2)], ["0", "1"]),  # a tool and a hook
        ([("m.add", "", "a", 1), ("m.add", "", "b", 1)], ["1"]),  # tools go by their name
        ([("m.one", "Stop", "a", 1), ("m.two", "Stop", "a", 2)], ["0", "1"]),
    ],
)
def test_what_counts(entries: list[tuple[str, str, str, int]], left: list[str]) -> None:
    assert made_of(*entries) == left


def test_hooks_of_several_events_are_made_of_the_function_itself() -> None:
    heard: list[tuple[Any, str]] = []
    forget = definitions.listen(lambda made, key: heard.append((made, key)))
    try:

        def keep(event: dict[str, Any]) -> None:
            return None

        outer = hook("PreToolUse", matcher="Edit")(hook("Stop")(keep))
        hook("Stop")(functools.partial(keep, {}))
    finally:
        forget()
    assert outer.function is keep and (outer.event, outer.name, outer.matcher) == ("PreToolUse", "keep", "Edit")
    assert [made.event for made, _ in heard] == ["Stop", "PreToolUse", "Stop"]
    assert heard[0][1] == heard[1][1] and "<" in heard[2][1]


@pytest.mark.parametrize("value", [None, "guard", 3])
def test_what_is_no_function_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="before a function"):
        hook("Stop")(value)
