"""Stage 7: the tool does its work, with progress, and can be stopped."""

from __future__ import annotations

import time
from typing import Any

from ..core.call import CallState
from ..core.result import ToolResult
from .environment import CallEnvironment, StageOutput

STOP_GRACE_S = 0.4
"""How long a stopped tool gets to hand back what it has: inside the one second in which a person expects the end."""


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    cancellation = state.context.cancellation
    cancellation.check()
    cancellation.grace_s = STOP_GRACE_S
    started = time.perf_counter()
    result = await _call(state)
    state = state.but(result=result, call_ms=(time.perf_counter() - started) * 1000)
    cancellation.grace_s = 0.0
    if result.interrupted:
        return StageOutput(state, cancellation.reason, "interrupted")
    return StageOutput(state)


async def _call(state: CallState) -> ToolResult[Any]:
    tool, context = state.tool, state.context
    assert tool is not None
    if tool.thread == "pipeline":
        return await tool.call(state.input, context)
    return await context.run_on_main(lambda: tool.call(state.input, context))
