"""One call's walk through its stages: the loop that everything else hangs on.

Exactly one :class:`Outcome` comes out, whatever happens inside: a refusal, a crash, a stop.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from dataclasses import replace

import anyio

from ..core.blocks import ToolResultBlock, ToolUse
from ..core.call import CallState, CallStatus
from ..core.cancel import CutScope
from ..core.errors import InterruptedToolError, PermissionDeniedError, ToolError
from ..core.events import StageEvent, StageStatus
from ..core.faults import faults, words_of
from ..core.outcome import Outcome
from ..core.stepping import StepChoice
from ..hooks import HookEvent
from ..results import clip
from . import post_hooks
from .environment import CallEnvironment, Cut, Rejudge, StageOutput
from .map_result import with_context
from .permission_hooks import after_denial
from .stages import CALL_INDEX, STAGE_NAMES, STAGES, Stage

MAX_ERROR_CHARS = 10_000
"""Of an error the model reads so much; all of it is in the outcome."""

EPOCH = time.time() - time.perf_counter()
"""Added to the clock that measures, it gives the time of day: one clock to read in each stage instead of two."""


async def run_call(state: CallState, env: CallEnvironment) -> Outcome:
    """What becomes of this call?

    Returns:
        the outcome; its ``block`` is the one ``tool_result``.

    Raises:
        only the event loop's own cancellation and ``KeyboardInterrupt``, after observers were told of an
        ``interrupted`` outcome.
    """
    walk = Walk(state, env)
    env.observers.emit("on_call_start", state.tool_use, state)
    try:
        while not walk.done:
            with CutScope(state.context.cancellation) as scope:
                await walk.go()
            if scope.cut:
                await walk.go_on_after(scope.cut)
        if (event := walk.unhappy_event) is not None:
            with CutScope(state.context.cancellation):
                await walk.tell_of(event)
    except (anyio.get_cancelled_exc_class(), KeyboardInterrupt):
        walk.state = walk.state.but(error=InterruptedToolError("stopped: the cell was interrupted"))
        walk.finish()
        raise
    finally:
        state.context.cancellation.close()
    return walk.finish()


class Walk:
    """Where a call is on its way.

    Attributes:
        state: the call's state after the last stage that ended.
        events: one for each stage that ended.
        index: the next stage.
        done: there is a result, or a reason why there is none.
    """

    __slots__ = ("_emit", "_env", "_started", "_stepper", "done", "events", "index", "state")

    def __init__(self, state: CallState, env: CallEnvironment) -> None:
        self.state, self._env, self._stepper = state, env, env.stepper
        self._emit = env.observers.emit
        self.events: list[StageEvent] = []
        self.index, self.done = 0, False
        self._started = time.perf_counter()

    async def go(self, end: int = len(STAGES)) -> None:
        """Stage after stage to the end of the call, or up to the stage at ``end``.

        Once the call is stopped no further stage begins, but for the last one: it tells what the tool did.
        """
        cancellation = self.state.context.cancellation
        while not self.done and self.index < end:
            stage = STAGES[self.index]
            stopped = cancellation.cancelled and self.index < len(STAGES) - 1
            begun = stage.cut(self.state, self._env, "stopped") if stopped else stage.run(self.state, self._env)
            await self._pass(stage, begun)
            if self._stepper is not None and not self.done:
                await self._step(self.events[-1])

    async def go_on_after(self, cause: Cut) -> None:
        """What the stage counts as that was cut off; the walk goes on in a fresh scope if there is more to do."""
        if not self.done:
            stage = STAGES[self.index]
            await self._pass(stage, stage.cut(self.state, self._env, cause))

    async def _pass(self, stage: Stage, running: Awaitable[StageOutput]) -> None:
        """Get through one stage, whatever happens in it, and say what happened. Only cancellation gets out."""
        before, clock = self.state, time.perf_counter()
        try:
            after, reason, status = await running
        except Rejudge as edit:
            after, reason, status = restarted(before, edit), edit.why, "edited"
        except ToolError as refusal:
            decision = getattr(refusal, "decision", before.decision)
            after, reason, status = before.but(error=refusal, decision=decision), words_of(refusal), _status_of(refusal)
        except (SystemExit, *faults()) as fault:  # also what is no Exception: neither loop nor kernel may end of it
            said = f"internal error: {type(fault).__name__}: {words_of(fault)}"
            after, reason, status = before.but(error=fault), said, "error"
        elapsed_ms = (time.perf_counter() - clock) * 1000
        if after.error is not None and self.index == CALL_INDEX:
            after = after.but(call_ms=elapsed_ms)
        event = StageEvent(
            before.tool_use.id,
            stage.name,
            status,
            before,
            after,
            stage.reads,
            stage.writes,
            reason,
            EPOCH + clock,
            elapsed_ms,
        )
        self.state = after
        self.events.append(event)
        self.index = 0 if status == "edited" else self.index + 1
        self.done = after.error is not None or self.index == len(STAGES)
        self._emit("on_stage", event)

    async def _step(self, event: StageEvent) -> None:
        """Stop between two stages and do what the person says. A stepper that breaks ends the call: it is a guard."""
        assert self._stepper is not None
        try:
            following = STAGE_NAMES[self.index]
            self._choose(await self._stepper.between(event, following, self.index <= CALL_INDEX), following)
        except faults() as fault:
            self.state, self.done = self.state.but(error=fault), True

    def _choose(self, choice: StepChoice, following: str) -> None:
        if choice.action == "abort":
            why = choice.message or f"aborted by the person before {following}"
            self.state, self.done = self.state.but(error=PermissionDeniedError(why, check_id="step-abort")), True
        elif choice.action == "edit":
            if self.index > CALL_INDEX:
                raise ValueError("the input cannot be edited any more: the tool has been called")
            self.state, self.index = restarted(self.state, Rejudge(choice.input or {})), 0
        elif choice.action == "run_on":
            self._stepper = None
        elif choice.action != "next":
            raise ValueError(f"{choice.action!r} is nothing that can be done at a stop")

    @property
    def unhappy_event(self) -> HookEvent | None:
        """The event for hooks that the error of this call is, if one of them wants to hear of it."""
        error, has = self.state.error, self._env.hooks.has
        if error is None or self.state.observed is None:
            return None
        if self.events[-1].stage == STAGE_NAMES[CALL_INDEX]:
            return "PostToolUseFailure" if has("PostToolUseFailure") else None
        decision = self.state.decision
        by_person = decision is not None and decision.decided_by == "person"
        is_denial = isinstance(error, PermissionDeniedError) and not by_person
        return "PermissionDenied" if is_denial and has("PermissionDenied") else None

    async def tell_of(self, event: HookEvent) -> None:
        """Let hooks hear of the error; what they say is added to what the model reads."""
        state = self.state
        if event == "PostToolUseFailure":
            await self._pass(STAGES[CALL_INDEX + 1], post_hooks.failed(state, self._env))
            self.state, self.done = self.state.but(error=state.error), True
        elif isinstance(state.error, PermissionDeniedError):
            state.error.message += await after_denial(state, self._env, state.error)

    def _culprit(self) -> str:
        """Whose code raised, for the words about an error that nobody meant to raise."""
        in_tool = any(e.stage == STAGE_NAMES[CALL_INDEX] and e.after.error is not None for e in self.events)
        return f"the tool {self.state.tool_use.name}" if in_tool else "this tool system"

    def finish(self) -> Outcome:
        """The outcome, told to everybody."""
        state = self.state
        outcome = Outcome(
            tool_use=state.tool_use,
            status=_outcome_status(state),
            block=state.block
            if state.error is None and state.block is not None
            else error_block(state, self._culprit()),
            output=state.result.data if state.result is not None else None,
            decision=state.decision,
            events=tuple(self.events),
            tool=state.tool,
            input=state.input,
            error=state.error,
            result=state.result,
            duration_ms=(time.perf_counter() - self._started) * 1000,
        )
        self._emit("on_call_end", outcome)
        return outcome


def restarted(state: CallState, edit: Rejudge) -> CallState:
    """The state of a call that begins again with another input; nothing that was decided before counts."""
    block = ToolUse(state.tool_use.name, dict(edit.input), state.tool_use.id)
    context = replace(state.context, hardened=False)
    if edit.rights is not None:
        context = replace(context, state=replace(context.state, permission=edit.rights))
    return CallState(block, context, approved=edit.approved)


def _status_of(error: BaseException) -> StageStatus:
    if isinstance(error, PermissionDeniedError):
        return "denied"
    return "interrupted" if isinstance(error, InterruptedToolError) else "error"


def _outcome_status(state: CallState) -> CallStatus:
    if state.error is not None:
        status = _status_of(state.error)
        return status if status in ("denied", "interrupted") else "error"  # type: ignore[return-value]
    assert state.result is not None and state.block is not None
    if state.result.interrupted:
        return "interrupted"
    return "error" if state.block.is_error else "ok"


def error_block(state: CallState, culprit: str) -> ToolResultBlock:
    """The ``tool_result`` of a call that has no proper one. An error that nobody meant to raise has no traceback here.

    Args:
        culprit: whose code raised it.
    """
    error = state.error
    said = words_of(error) if error is not None else ""
    if isinstance(error, ToolError):
        text = f"{error.kind}: {error.message}"
    else:
        text = f"InternalError: {type(error).__name__} in {culprit}; the call has no result. {said}"
    block = ToolResultBlock(state.tool_use.id, clip(text, MAX_ERROR_CHARS), is_error=True)
    return with_context(block, state.post_hooks.additional_context)
