"""Stage 8: what the PostToolUse hooks say about the structured output."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..core.call import CallState
from ..core.events import describe
from .environment import CallEnvironment, Cut, StageOutput


async def run(state: CallState, env: CallEnvironment) -> StageOutput:
    assert state.tool is not None and state.result is not None and state.observed is not None
    hooks = env.hooks.matching("PostToolUse", state)
    if not hooks:
        return StageOutput(state, "no PostToolUse hook matches", "skipped")
    payload = {
        "tool_name": state.tool.name,
        "tool_input": state.observed,
        "tool_response": describe(state.result.data),
        "tool_use_id": state.tool_use.id,
        **env.hook_payload(),
    }
    effects = await env.hooks.run("PostToolUse", hooks, payload, state.context.cancellation)
    state, note = _take_output(state.but(post_hooks=effects))
    return StageOutput(state, "; ".join((*effects.ran, *note)))


async def cut(state: CallState, env: CallEnvironment, cause: Cut) -> StageOutput:
    """The tool did its work: whatever happens to a hook now must not hide the result."""
    if cause == "limit":
        return StageOutput(state, "a hook took too long", "interrupted")
    if not env.hooks.matching("PostToolUse", state):
        return StageOutput(state, "no PostToolUse hook matches", "skipped")
    return StageOutput(state, "stopped before all hooks had run", "interrupted")


def _take_output(state: CallState) -> tuple[CallState, tuple[str, ...]]:
    """The state with the hook's output in place of the tool's, if it has the same shape."""
    new, result = state.post_hooks.updated_output, state.result
    assert result is not None
    if new is None:
        return state, ()
    data = _same_shape(result.data, new)
    if data is None:
        return state, ("updatedToolOutput ignored: it has not the shape of the tool's output",)
    return state.but(result=dataclasses.replace(result, data=data)), ("output replaced",)


def _same_shape(old: Any, new: Any) -> Any:
    if dataclasses.is_dataclass(old) and isinstance(new, dict):
        names = {f.name for f in dataclasses.fields(old)}
        return dataclasses.replace(old, **new) if new.keys() <= names else None  # type: ignore[type-var]
    return new if isinstance(new, type(old)) else None
