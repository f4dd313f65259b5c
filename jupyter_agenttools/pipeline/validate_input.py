"""Stage 2: can an input that fits its schema work? Never about rights."""

from __future__ import annotations

from ..core.call import CallState
from ..core.errors import ToolValidationError
from .environment import CallEnvironment, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None
    if state.tool.validate_input is None:
        return StageOutput(state, status="skipped", reason=f"{state.tool.name} checks nothing beyond its schema")
    verdict = await state.tool.validate_input(state.input, state.context)
    if not verdict.result:
        raise ToolValidationError(verdict.message, check_id=verdict.check_id)
    return StageOutput(state)
