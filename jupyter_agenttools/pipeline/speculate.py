"""Stage 3: let a classifier start early, so that its verdict is ready when the gate wants it."""

from __future__ import annotations

from ..core.call import CallState
from .environment import CallEnvironment, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None
    if env.classifier is None:
        return StageOutput(state, status="skipped", reason="no classifier is set")
    text = state.tool.to_auto_classifier_input(state.input)
    if not text:
        return StageOutput(state, status="skipped", reason=f"{state.tool.name} gives a classifier nothing to judge")
    return StageOutput(state.but(speculation=env.classifier.start(text, state)), "started")
