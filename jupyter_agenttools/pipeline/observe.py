"""Stage 4: the back-filled copy that hooks and permission code see. The original is never changed."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from ..core.call import CallState
from ..core.immutable import thaw
from .environment import CallEnvironment, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None
    clone = plain_input(state.input)
    if state.tool.backfill_observable_input is not None:
        state.tool.backfill_observable_input(clone, state.context)
    return StageOutput(state.but(observed=MappingProxyType(clone)))


def plain_input(parsed: Any) -> dict[str, Any]:
    """A fresh plain dict of a parsed input, holding only what was really given."""
    if hasattr(parsed, "model_dump"):
        return parsed.model_dump(exclude_unset=True, by_alias=True)
    return thaw(parsed)
