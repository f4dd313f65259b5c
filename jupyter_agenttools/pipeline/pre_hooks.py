"""Stage 5: what the PreToolUse hooks say. They come before the gate and can never widen what it allows."""

from __future__ import annotations

from ..core.call import CallState, HookEffects
from ..core.errors import PermissionDeniedError
from ..hooks import cut_off
from .environment import CallEnvironment, Cut, StageOutput, interrupted
from .hook_payload import call_payload
from .updated_input import with_updated_input


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None and state.observed is not None
    guards = env.guards
    hooks = guards.matching("PreToolUse", state)
    if not hooks:
        return StageOutput(state, "no PreToolUse hook matches", "skipped")
    effects = await guards.run("PreToolUse", hooks, call_payload(state, env), state.context.cancellation)
    return await _take(state, effects, env)


async def cut(state: CallState, env: CallEnvironment, cause: Cut) -> StageOutput:
    """A guard that was cut off by its time limit makes the call ask; a stop ends it."""
    if cause == "stopped":
        raise interrupted(state)
    assert state.tool is not None and state.observed is not None
    hooks = env.guards.matching("PreToolUse", state)
    return await _take(state, cut_off(hooks), env)


class Blocked(PermissionDeniedError):
    """A denial by a hook. ``ends_turn`` says why the turn has to end too, ``""`` when it goes on."""

    def __init__(self, effects: HookEffects) -> None:
        why = effects.reason or effects.stop or "no reason given"
        super().__init__(f"hook {effects.hook} blocked this call: {why}", check_id="pre-hook")
        self.ends_turn = effects.stop or ""


async def _take(state: CallState, effects: HookEffects, env: CallEnvironment) -> StageOutput:
    env.tell_person("PreToolUse", state.tool_use.id, effects)
    state = state.but(pre_hooks=effects)
    if effects.behavior == "deny" or effects.stop is not None:
        raise Blocked(effects)
    if effects.updated_input is not None:
        state = await with_updated_input(state, effects.updated_input, env)
    return StageOutput(state, "; ".join(effects.ran))
