"""Stage 8: what hooks say after the tool has worked: PostToolUse, or PostToolUseFailure when that was a failure."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..core.call import CallState, HookEffects
from ..core.errors import InterruptedToolError
from ..core.faults import words_of
from .environment import CallEnvironment, Cut, StageOutput
from .hook_payload import call_payload, plain


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None and state.result is not None and state.observed is not None
    if state.result.is_error and env.hooks.has("PostToolUseFailure"):
        said = state.tool.map_tool_result(state.result.data, state.tool_use.id).text
        return await _after_failure(state, env, said, state.result.interrupted)
    hooks = () if state.result.is_error else env.hooks.matching("PostToolUse", state)
    if not hooks:
        return StageOutput(state, "no PostToolUse hook matches", "skipped")
    payload = call_payload(state, env)
    payload["tool_response"] = plain(state.result.data)
    if state.call_ms is not None:
        payload["duration_ms"] = state.call_ms
    effects = await env.hooks.run("PostToolUse", hooks, payload, state.context.cancellation)
    env.tell_person("PostToolUse", state.tool_use.id, effects)
    state, note = _take_output(state.but(post_hooks=effects))
    return StageOutput(state, "; ".join((*effects.ran, *note)))


async def failed(state: CallState, env: CallEnvironment) -> StageOutput:
    """The same for a call whose tool raised; the error stays what it is."""
    if state.error is None:
        return StageOutput(state)
    return await _after_failure(state, env, words_of(state.error), isinstance(state.error, InterruptedToolError))


async def _after_failure(state: CallState, env: CallEnvironment, error: str, is_interrupt: bool) -> StageOutput:
    hooks = env.hooks.matching("PostToolUseFailure", state)
    if not hooks:
        return StageOutput(state, "no PostToolUseFailure hook matches", "skipped")
    payload = {**call_payload(state, env), "error": error, "is_interrupt": is_interrupt}
    if state.call_ms is not None:
        payload["duration_ms"] = state.call_ms
    if is_interrupt:  # a person who stopped something waits for nobody
        env.fire_later("PostToolUseFailure", payload, hooks)
        return StageOutput(state, "PostToolUseFailure hooks are told in the background")
    effects = await env.hooks.fire("PostToolUseFailure", payload, hooks)
    env.tell_person("PostToolUseFailure", state.tool_use.id, effects)
    return StageOutput(state.but(post_hooks=effects), "; ".join(effects.ran))


async def cut(state: CallState, env: CallEnvironment, cause: Cut) -> StageOutput:
    """The tool did its work: whatever happens to a hook now must not hide the result."""
    if cause == "limit":
        return StageOutput(state, "a hook took too long", "interrupted")
    event = "PostToolUseFailure" if state.error or (state.result and state.result.is_error) else "PostToolUse"
    if not env.hooks.matching(event, state):
        return StageOutput(state, f"no {event} hook matches", "skipped")
    return StageOutput(state, "stopped before all hooks had run", "interrupted")


def _take_output(state: CallState) -> tuple[CallState, tuple[str, ...]]:
    """The state with the hook's output in place of the tool's, if it has the same shape."""
    effects: HookEffects = state.post_hooks
    new, result = effects.updated_output, state.result
    assert result is not None
    if new is None:
        return state, ()
    data = same_shape(result.data, new)
    if data is None:
        return state, ("updatedToolOutput ignored: it has not the shape of the tool's output",)
    return state.but(result=dataclasses.replace(result, data=data)), ("output replaced",)


def same_shape(old: Any, new: Any) -> Any:
    """``new``, JSON data, in the form of ``old``; ``None`` when it has another one.

    Fields that are not given stay as they were; one that was empty may get any value.
    """
    if dataclasses.is_dataclass(old) and not isinstance(old, type):
        names = {field.name for field in dataclasses.fields(old)}
        if not isinstance(new, dict) or not new.keys() <= names:
            return None
        shaped = {name: _shaped(getattr(old, name), value) for name, value in new.items()}
        fits = all(value is not None or new[name] is None for name, value in shaped.items())
        return dataclasses.replace(old, **shaped) if fits else None  # type: ignore[type-var]
    return _shaped(old, new)


def _shaped(old: Any, new: Any) -> Any:
    if old is None:
        return new
    if isinstance(old, tuple) and isinstance(new, list) and not hasattr(old, "_asdict"):
        items = [same_shape(old[0], item) if old else item for item in new]
        return None if any(item is None for item in items) else tuple(items)
    if dataclasses.is_dataclass(old):
        return same_shape(old, new)
    if isinstance(old, bool) or isinstance(new, bool):
        return new if isinstance(old, bool) and isinstance(new, bool) else None
    return new if isinstance(new, type(old)) else None
