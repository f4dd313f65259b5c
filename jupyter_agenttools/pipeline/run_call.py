"""One call's walk through its stages: the loop that everything else hangs on.

Exactly one :class:`Outcome` comes out, whatever happens inside: a refusal, a crash, a stop.
"""

from __future__ import annotations

import time
from dataclasses import replace

import anyio

from ..core.blocks import ToolResultBlock, ToolUse
from ..core.call import CallState, CallStatus
from ..core.errors import InterruptedToolError, PermissionDeniedError, ToolError
from ..core.events import StageEvent, StageStatus
from ..core.outcome import Outcome
from ..core.stepping import StepChoice
from .environment import CallEnvironment, Rejudge
from .stages import LAST_EDITABLE, STAGE_NAMES, STAGES, Stage


async def run_call(state: CallState, env: CallEnvironment) -> Outcome:
    """What becomes of this call?

    Returns:
        the outcome; its ``block`` is the one ``tool_result``.

    Raises:
        only the event loop's own cancellation, after observers were told of an ``interrupted`` outcome.
    """
    started = time.perf_counter()
    events: list[StageEvent] = []
    env.observers.emit("on_call_start", state.tool_use, state)
    try:
        state = await _walk(state, env, events)
    except anyio.get_cancelled_exc_class():
        state = state._replace(error=InterruptedToolError("stopped: the cell was interrupted"))
        _finish(state, env, events, started)
        raise
    finally:
        state.context.cancellation.close()
    return _finish(state, env, events, started)


async def _walk(state: CallState, env: CallEnvironment, events: list[StageEvent]) -> CallState:
    """Stage after stage until there is a result or a reason why there is none."""
    index, stepper = 0, env.stepper
    while index < len(STAGES):
        try:
            event = await run_stage(STAGES[index], state, env)
            edited = None
        except Rejudge as rejudge:
            event, edited = _edited_event(STAGES[index], state, rejudge), rejudge
        state = event.after
        events.append(event)
        env.observers.emit("on_stage", event)
        if edited is None and (state.error is not None or index + 1 == len(STAGES)):
            break
        index = 0 if edited is not None else index + 1
        if stepper is not None:
            state, index, stepper = await _step(event, state, index, env, stepper)
            if state.error is not None:
                break
    return state


async def run_stage(stage: Stage, state: CallState, env: CallEnvironment) -> StageEvent:
    """Run one stage and say what happened. Only :class:`Rejudge` and cancellation get out."""
    started, clock = time.time(), time.perf_counter()
    try:
        after, reason, status = await stage.run(state, env)
    except Rejudge:
        raise
    except ToolError as refusal:
        decision = getattr(refusal, "decision", state.decision)
        after, reason, status = state._replace(error=refusal, decision=decision), str(refusal), _status_of(refusal)
    except Exception as fault:
        after, reason, status = state._replace(error=fault), f"internal error: {type(fault).__name__}: {fault}", "error"
    duration_ms = (time.perf_counter() - clock) * 1000
    return StageEvent(
        state.tool_use.id, stage.name, status, state, after, stage.reads, stage.writes, reason, started, duration_ms
    )


def _status_of(error: BaseException) -> StageStatus:
    if isinstance(error, PermissionDeniedError):
        return "denied"
    return "interrupted" if isinstance(error, InterruptedToolError) else "error"


def _edited_event(stage: Stage, state: CallState, rejudge: Rejudge) -> StageEvent:
    after = _restart(state, rejudge)
    reason = "the person edited the input; it is judged again"
    return StageEvent(
        state.tool_use.id, stage.name, "edited", state, after, stage.reads, ("tool_use",), reason, time.time(), 0.0
    )


def _restart(state: CallState, rejudge: Rejudge) -> CallState:
    block = ToolUse(state.tool_use.name, dict(rejudge.input), state.tool_use.id)
    return CallState(block, replace(state.context, hardened=False), approved=rejudge.approved)


async def _step(
    event: StageEvent, state: CallState, index: int, env: CallEnvironment, stepper: object
) -> tuple[CallState, int, object]:
    """Stop between two stages and do what the person says. A stepper that breaks ends the call: it may be a guard."""
    try:
        choice: StepChoice = await stepper.between(event, STAGE_NAMES[index], 0 < index <= LAST_EDITABLE)  # type: ignore[attr-defined]
    except InterruptedToolError as stopped:
        return state._replace(error=stopped), index, stepper
    except Exception as fault:
        return state._replace(error=fault), index, stepper
    if choice.action == "abort":
        why = choice.message or f"aborted by the person before {STAGE_NAMES[index]}"
        return state._replace(error=PermissionDeniedError(why, check_id="step-abort")), index, stepper
    if choice.action == "edit":
        return _restart(state, Rejudge(choice.input or {})), 0, stepper
    return state, index, (None if choice.action == "run_on" else stepper)


def _finish(state: CallState, env: CallEnvironment, events: list[StageEvent], started: float) -> Outcome:
    outcome = Outcome(
        tool_use=state.tool_use,
        status=_outcome_status(state),
        block=state.block if state.error is None and state.block is not None else error_block(state),
        output=state.result.data if state.result is not None else None,
        decision=state.decision,
        events=tuple(events),
        tool=state.tool,
        input=state.input,
        error=state.error,
        result=state.result,
        duration_ms=(time.perf_counter() - started) * 1000,
    )
    env.observers.emit("on_call_end", outcome)
    return outcome


def _outcome_status(state: CallState) -> CallStatus:
    if state.error is not None:
        status = _status_of(state.error)
        return status if status in ("denied", "interrupted") else "error"  # type: ignore[return-value]
    assert state.result is not None and state.block is not None
    if state.result.interrupted:
        return "interrupted"
    return "error" if state.block.is_error else "ok"


def error_block(state: CallState) -> ToolResultBlock:
    """The ``tool_result`` of a call that has no proper one. A fault of ours is told without its traceback."""
    error = state.error
    if isinstance(error, ToolError):
        text = f"{error.kind}: {error.message}"
    else:
        text = f"InternalError: {type(error).__name__} in this tool system; the call had no result. {error}"
    return ToolResultBlock(state.tool_use.id, text, is_error=True)
