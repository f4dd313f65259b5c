"""Stage 5: what the PreToolUse hooks say. They come before the gate and can never widen what it allows."""

from __future__ import annotations

from ..core.call import CallState
from ..core.cancel import stoppable
from ..core.errors import PermissionDeniedError
from . import observe, parse_input, validate_input
from .environment import CallEnvironment, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None and state.observed is not None
    hooks = env.hooks.matching("PreToolUse", state.tool, state.observed, state.context)
    if not hooks:
        return StageOutput(state, status="skipped", reason="no PreToolUse hook matches")
    payload = {
        "tool_name": state.tool.name,
        "tool_input": state.observed,
        "tool_use_id": state.tool_use.id,
        **env.hook_payload(),
    }
    with stoppable(state.context.cancellation):
        effects = await env.hooks.run("PreToolUse", hooks, payload)
    state = state._replace(pre_hooks=effects)
    if effects.behavior == "deny" or effects.stop is not None:
        why = effects.reason or effects.stop or "no reason given"
        raise PermissionDeniedError(f"hook {effects.hook} blocked this call: {why}", check_id="pre-hook")
    if effects.updated_input is not None:
        state = await _take_updated_input(state, env)
    return StageOutput(state, "; ".join(effects.ran))


async def _take_updated_input(state: CallState, env: CallEnvironment) -> CallState:
    """A hook's input walks through the same schema and checks as the model's own."""
    block = state.tool_use
    updated = type(block)(block.name, dict(state.pre_hooks.updated_input or {}), block.id)
    for stage in (parse_input, validate_input, observe):
        state = (await stage.run(state._replace(tool_use=updated), env)).state
    return state._replace(tool_use=block)
