"""An input that a hook put in the place of the model's: it walks through the same schema and checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.call import CallState
from ..core.decision import Decision
from . import observe, parse_input, validate_input
from .environment import CallEnvironment

_BY_HOOK = Decision("allow", "the hook's own input", decided_by="hook")


async def with_updated_input(state: CallState, input: Mapping[str, Any], env: CallEnvironment) -> CallState:
    """The state of the call with this whole input; the block that asked stays as it was.

    An approval that a person gave counts for the input that the person saw, and for no other.

    Raises:
        ToolError: the input does not fit, or cannot work.
    """
    block, approved, before = state.tool_use, state.approved, observe.plain_input(state.input)
    updated = type(block)(block.name, dict(input), block.id)
    for stage in (parse_input, validate_input, observe):
        state = (await stage.run(state.but(tool_use=updated, approved=_BY_HOOK), env)).state
    same = observe.plain_input(state.input) == before
    return state.but(tool_use=block, approved=approved if same else None)
