"""Stage 7: the tool does its work, with progress, and can be stopped."""

from __future__ import annotations

from typing import Any

from ..core.call import CallState
from ..core.cancel import stoppable
from ..core.result import ToolResult
from .environment import CallEnvironment, StageOutput

STOP_GRACE_S = 0.4
"""How long a stopped tool gets to hand back what it has: inside the one second in which a person expects the end."""


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None
    state.context.cancellation.check()
    with stoppable(state.context.cancellation, STOP_GRACE_S):
        result = await _call(state)
    if result.interrupted:
        return StageOutput(state._replace(result=result), state.context.cancellation.reason, "interrupted")
    return StageOutput(state._replace(result=result))


async def _call(state: CallState) -> ToolResult[Any]:
    tool, context = state.tool, state.context
    assert tool is not None
    if tool.thread == "pipeline":
        return await tool.call(state.input, context)
    return await context.run_on_main(lambda: tool.call(state.input, context))


