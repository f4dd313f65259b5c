"""What hooks say to a turn: the prompt, the calls of a message together, and the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..agents import Verdict
from ..core.call import HookEffects
from ..core.cancel import Cancellation
from ..core.outcome import Outcome
from ..pipeline import hook_payload

if TYPE_CHECKING:
    from .hook_events import SessionHooks


class TurnEvents:
    """Implements ``agents.TurnHooks`` with the hooks of a session.

    Args:
        hooks: the hooks. cancellation: stops the query.
    """

    def __init__(self, hooks: SessionHooks, cancellation: Cancellation) -> None:
        self._hooks, self._cancellation = hooks, cancellation

    async def on_prompt(self, prompt: str) -> Verdict:
        effects = await self._hooks.fire("UserPromptSubmit", {"prompt": prompt}, self._cancellation)
        if effects.behavior == "deny":
            return Verdict(ends=f"the hook {effects.hook} blocked this prompt: {effects.reason}")
        return Verdict(ends=effects.stop, texts=_texts("UserPromptSubmit", effects))

    async def after_tools(self, outcomes: Sequence[Outcome]) -> Verdict:
        ends = next((why for outcome in outcomes if (why := _ended_by(outcome))), None)
        if ends is not None:
            return Verdict(ends=ends)
        if not self._hooks.set.has("PostToolBatch"):
            return Verdict()
        calls = [_call_fields(outcome) for outcome in outcomes]
        effects = await self._hooks.fire("PostToolBatch", {"tool_calls": calls}, self._cancellation)
        texts = _texts("PostToolBatch", effects)
        if effects.behavior == "deny":
            return Verdict(f"the hook {effects.hook}: {effects.reason}", texts=texts)
        return Verdict(effects.stop, texts=texts)

    async def on_stop(self, text: str, was_refused: bool) -> Verdict:
        fields = {"stop_hook_active": was_refused, "last_assistant_message": text}
        effects = await self._hooks.fire("Stop", fields, self._cancellation)
        refused = f"[Stop hook {effects.hook}] {effects.reason}" if effects.behavior == "deny" else None
        if refused is None and effects.additional_context:
            self._hooks.remind("\n".join(_texts("Stop", effects)))
            return Verdict(effects.stop)
        return Verdict(effects.stop, refused, _texts("Stop", effects))

    async def on_failure(self, detail: str, text: str) -> None:
        fields = {"error": "unknown", "error_details": detail, "last_assistant_message": text}
        await self._hooks.fire("StopFailure", fields, self._cancellation)


def _texts(event: str, effects: HookEffects) -> tuple[str, ...]:
    return tuple(f"[{event} hook] {text}" for text in effects.additional_context)


def _ended_by(outcome: Outcome) -> str:
    """Why a hook of this call wants the turn to end, ``""`` when none does."""
    if not outcome.events:
        return ""
    state = outcome.events[-1].after
    return state.pre_hooks.stop or state.post_hooks.stop or getattr(outcome.error, "ends_turn", "")


def _call_fields(outcome: Outcome) -> dict[str, Any]:
    state = outcome.events[-1].after if outcome.events else None
    observed = state.observed if state is not None and state.observed is not None else outcome.tool_use.input
    response = hook_payload.plain(outcome.output) if outcome.error is None else outcome.block.text
    return {
        "tool_name": outcome.tool.name if outcome.tool is not None else outcome.tool_use.name,
        "tool_input": observed,
        "tool_use_id": outcome.tool_use.id,
        "tool_response": response,
    }
