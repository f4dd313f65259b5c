"""The nine stages of a call, in the one order. Nothing else knows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ..core.call import CallState
from . import (
    call,
    map_result,
    observe,
    parse_input,
    permission,
    post_hooks,
    pre_hooks,
    speculate,
    validate_input,
)
from .environment import CallEnvironment, StageOutput


class Stage(NamedTuple):
    """One stage: a function, and the fields of the state that it looks at and fills in."""

    name: str
    run: Callable[[CallState, CallEnvironment], Awaitable[StageOutput]]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


STAGES: tuple[Stage, ...] = (
    Stage("parse_input", parse_input.run, ("tool_use",), ("tool", "input")),
    Stage("validate_input", validate_input.run, ("input",), ()),
    Stage("speculate", speculate.run, ("input",), ("speculation",)),
    Stage("observe", observe.run, ("input",), ("observed",)),
    Stage("pre_hooks", pre_hooks.run, ("observed",), ("pre_hooks", "input", "observed")),
    Stage("permission", permission.run, ("observed",), ("decision",)),
    Stage("call", call.run, ("input",), ("result",)),
    Stage("post_hooks", post_hooks.run, ("result",), ("post_hooks", "result")),
    Stage("map_result", map_result.run, ("result",), ("block",)),
)
STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
GATE_STAGES: tuple[Stage, ...] = STAGES[: STAGE_NAMES.index("pre_hooks")]
"""What runs before a decision can be made, none of it with any effect."""
LAST_EDITABLE = STAGE_NAMES.index("permission")
"""After this stage the tool has been called, and its input can be edited no more."""
