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
from .environment import CallEnvironment, Cut, StageOutput, interrupted


async def _cut(state: CallState, env: CallEnvironment, cause: Cut) -> StageOutput:
    raise interrupted(state)


class Stage(NamedTuple):
    """One stage: a function, and the fields of the state that it looks at and fills in.

    ``cut`` says what the stage counts as when it was cut off; by default the call is interrupted.
    """

    name: str
    run: Callable[[CallState, CallEnvironment], Awaitable[StageOutput]]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    cut: Callable[[CallState, CallEnvironment, Cut], Awaitable[StageOutput]] = _cut


STAGES: tuple[Stage, ...] = (
    Stage("parse_input", parse_input.run, ("tool_use",), ("tool", "input")),
    Stage("validate_input", validate_input.run, ("input",), ()),
    Stage("speculate", speculate.run, ("input",), ("speculation",)),
    Stage("observe", observe.run, ("input",), ("observed",)),
    Stage("pre_hooks", pre_hooks.run, ("observed",), ("pre_hooks", "input", "observed"), pre_hooks.cut),
    Stage("permission", permission.run, ("observed",), ("decision", "input", "observed")),
    Stage("call", call.run, ("input",), ("result",)),
    Stage("post_hooks", post_hooks.run, ("result",), ("post_hooks", "result"), post_hooks.cut),
    Stage("map_result", map_result.run, ("result",), ("block", "result")),
)
STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
CALL_INDEX = STAGE_NAMES.index("call")
"""Once this stage has begun, the input can be edited no more."""
