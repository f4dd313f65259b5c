"""Hooks around a question: PermissionRequest before a person is asked, PermissionDenied after a refusal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from ..core.call import CallState, HookEffects
from ..core.decision import Decision, DecisionStep
from ..core.errors import PermissionDeniedError, UsageError
from ..core.permission_updates import AddRules
from ..permissions.wire_updates import update_to_json
from .environment import CallEnvironment
from .hook_payload import call_payload
from .updated_input import with_updated_input

Judge = Callable[[CallState], Awaitable[Decision]]

FOR_PEOPLE = frozenset({"rule", "hook", "classifier"})
"""Who asked: an ask rule, a protected place, another hook or a classifier wants a person, and no hook is one."""


class Consulted(NamedTuple):
    """What became of a question that hooks were told of first.

    Attributes:
        state: with the input as a hook changed it.
        decision: as it stands now; still ``ask`` when a person has to answer.
        ends_turn: why the turn has to end too, ``""`` when it goes on.
    """

    state: CallState
    decision: Decision
    ends_turn: str = ""


async def consult(state: CallState, env: CallEnvironment, asked: Decision, judge: Judge) -> Consulted:
    """Let the PermissionRequest hooks answer before a person is asked.

    A hook can deny anything. It can allow what nothing is against: what an ask rule, a protected place, another hook or
    a classifier wants to be asked, and every deny, stays so, and so does a tool's own question that only a person may
    answer, because the call would widen rights or speak in a person's place.
    """
    hooks = env.hooks.matching("PermissionRequest", state)
    if not hooks:
        return Consulted(state, asked)
    payload = call_payload(state, env, with_id=False)
    if asked.suggestions:
        payload["permission_suggestions"] = [_suggestion(rule) for rule in asked.suggestions]
    effects = await env.hooks.fire("PermissionRequest", payload, hooks)
    env.tell_person("PermissionRequest", state.tool_use.id, effects)
    if effects.behavior == "deny" or effects.stop is not None:
        why = effects.reason or effects.stop or "no reason given"
        ends = effects.stop or (why if effects.interrupt else "")
        return Consulted(state, _step(asked, "deny", f"hook {effects.hook}: {why}"), ends)
    if effects.behavior != "allow":
        return Consulted(state, _noted(asked, effects))
    return await _allowed(state, env, asked, effects, judge)


async def _allowed(
    state: CallState, env: CallEnvironment, asked: Decision, effects: HookEffects, judge: Judge
) -> Consulted:
    if effects.updated_input is not None:
        state = await with_updated_input(state, effects.updated_input, env)
        asked = await judge(state)
        if asked.behavior != "ask":
            return Consulted(state, asked)
        if env.classifier is not None:
            return Consulted(state, _noted(asked, effects, "changed the input, which no classifier has seen"))
    assert state.tool is not None
    if asked.only_person or asked.decided_by in FOR_PEOPLE or state.tool.requires_user_interaction(state.input):
        return Consulted(state, _noted(asked, effects, "allows it, but here a person has to be asked"))
    if effects.permission_updates:
        try:
            await env.apply_hook_updates(effects.permission_updates)
        except UsageError as problem:
            return Consulted(state, _step(asked, "deny", f"hook {effects.hook}: its updatedPermissions: {problem}"))
    return Consulted(state, _step(asked, "allow", f"hook {effects.hook}: {effects.reason or 'allow'}"))


def _step(asked: Decision, behavior: Any, reason: str) -> Decision:
    step = DecisionStep("permission_request", behavior, reason)
    return Decision(behavior, reason, None, (*asked.trace, step), "hook", asked.suggestions)


def _noted(asked: Decision, effects: HookEffects, what: str = "") -> Decision:
    """The same question, with what the hooks said in its trace."""
    said = f"hook {effects.hook} {what}" if what else "; ".join(effects.ran)
    if not said:
        return asked
    return asked._replace(trace=(*asked.trace, DecisionStep("permission_request", "passthrough", said)))


def _suggestion(rule: str) -> dict[str, Any]:
    return update_to_json(AddRules((rule,), "allow", "localSettings"))


async def after_denial(state: CallState, env: CallEnvironment, refusal: PermissionDeniedError) -> str:
    """Tell PermissionDenied hooks of a refusal that no person gave; words to add for the model."""
    hooks = env.hooks.matching("PermissionDenied", state)
    if not hooks:
        return ""
    effects = await env.hooks.fire("PermissionDenied", {**call_payload(state, env), "reason": refusal.message}, hooks)
    env.tell_person("PermissionDenied", state.tool_use.id, effects)
    return " A hook says that this call may be tried again." if effects.retry else ""
