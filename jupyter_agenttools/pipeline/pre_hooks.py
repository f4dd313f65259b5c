"""Stage 5: what the PreToolUse hooks say. They come before the gate and can never widen what it allows."""

from __future__ import annotations

from ..core.call import CallState, HookEffects
from ..core.errors import PermissionDeniedError
from ..hooks import cut_off
from . import observe, parse_input, validate_input
from .environment import CallEnvironment, Cut, StageOutput, interrupted


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None and state.observed is not None
    hooks = env.hooks.matching("PreToolUse", state)
    if not hooks:
        return StageOutput(state, "no PreToolUse hook matches", "skipped")
    payload = {
        "tool_name": state.tool.name,
        "tool_input": state.observed,
        "tool_use_id": state.tool_use.id,
        **env.hook_payload(),
    }
    effects = await env.hooks.run("PreToolUse", hooks, payload, state.context.cancellation)
    return await _take(state, effects, env)


async def cut(state: CallState, env: CallEnvironment, cause: Cut) -> StageOutput:
    """A guard that was cut off by its time limit makes the call ask; a stop ends it."""
    if cause == "stopped":
        raise interrupted(state)
    assert state.tool is not None and state.observed is not None
    hooks = env.hooks.matching("PreToolUse", state)
    return await _take(state, cut_off(hooks), env)


async def _take(state: CallState, effects: HookEffects, env: CallEnvironment) -> StageOutput:
    state = state.but(pre_hooks=effects)
    if effects.behavior == "deny" or effects.stop is not None:
        why = effects.reason or effects.stop or "no reason given"
        raise PermissionDeniedError(f"hook {effects.hook} blocked this call: {why}", check_id="pre-hook")
    if effects.updated_input is not None:
        state = await _take_updated_input(state, env)
    return StageOutput(state, "; ".join(effects.ran))


async def _take_updated_input(state: CallState, env: CallEnvironment) -> CallState:
    """A hook's input walks through the same schema and checks as the model's own.

    An approval that a person gave counts for the input that the person saw, and for no other.
    """
    block, before = state.tool_use, observe.plain_input(state.input)
    updated = type(block)(block.name, dict(state.pre_hooks.updated_input or {}), block.id)
    for stage in (parse_input, validate_input, observe):
        state = (await stage.run(state.but(tool_use=updated), env)).state
    same = observe.plain_input(state.input) == before
    return state.but(tool_use=block, approved=state.approved if same else None)
