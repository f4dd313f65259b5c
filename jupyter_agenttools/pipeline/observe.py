"""Stage 4: the back-filled copy that hooks and permission code see. The original is never changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..core.call import CallState
from ..core.context import ToolUseContext
from ..core.immutable import thaw
from ..core.tool import Tool
from .environment import CallEnvironment, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None
    return StageOutput(state.but(observed=observed_input(state.tool, state.input, state.context)))


def observed_input(tool: Tool, parsed: Any, context: ToolUseContext) -> Mapping[str, Any]:
    """The read-only, back-filled copy of a parsed input."""
    clone = plain_input(parsed)
    if tool.backfill_observable_input is not None:
        tool.backfill_observable_input(clone, context)
    return MappingProxyType(clone)


def plain_input(parsed: Any) -> dict[str, Any]:
    """A fresh plain dict of a parsed input, holding only what was really given."""
    if hasattr(parsed, "model_dump"):
        return parsed.model_dump(exclude_unset=True, by_alias=True)
    return thaw(parsed)
