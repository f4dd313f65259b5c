"""Running many calls: batches one after the other, the calls of a batch together, results in order."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

import anyio
import anyio.lowlevel

from ..core.blocks import TextBlock, ToolResultBlock, ToolUse
from ..core.errors import InterruptedToolError, words_of
from ..core.outcome import Outcome
from ..core.result import ContextModifier
from ..core.tool import Tool
from .batches import Batch, partition_tool_calls

DEFAULT_MAX_CONCURRENCY = 10
"""The field's default for calls that run at the same time."""


CANCEL_TURNS = 6
"""ipykernel 6 takes three turns of its loop from the signal to the cancelled cell, ipykernel 7 fewer."""


def max_concurrency() -> int:
    """How many calls may run at once, from the environment or the default. A value that is no number is not used."""
    for name in ("JUPYTER_AGENTTOOLS_MAX_TOOL_USE_CONCURRENCY", "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"):
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return DEFAULT_MAX_CONCURRENCY


class ToolRunner:
    """Runs the tool calls of one assistant message.

    Args:
        tools: the pool.
        run_one: walks one call through the pipeline; always returns an outcome.
        modify: applies a context modifier to the shared context.
        cap: how many calls of a batch run at once.
        stopped: whether the person stopped everything; calls that have not begun then do not begin.
    """

    def __init__(
        self,
        tools: tuple[Tool, ...],
        run_one: Callable[[ToolUse], Awaitable[Outcome]],
        modify: Callable[[ContextModifier], None],
        cap: int | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._tools = tools
        self._run_one = run_one
        self._modify = modify
        self._cap = cap or max_concurrency()
        self._stopped = stopped

    async def run(self, uses: Sequence[ToolUse]) -> AsyncGenerator[Outcome, None]:
        """One outcome for each call, in the order of the calls."""
        for batch in partition_tool_calls(uses, self._tools):
            outcomes = await self._run_batch(batch)
            # After the whole batch, so that no call of it sees another's change.
            for outcome in [self._apply(outcome) for outcome in outcomes]:
                yield outcome
        if self._stopped():
            # In a cell that awaits this an Interrupt also cancels the cell, some turns of the event loop later: without
            # them the cell would go on with its next line as if nobody had stopped anything.
            for _ in range(CANCEL_TURNS):
                await anyio.lowlevel.checkpoint()

    async def _run_batch(self, batch: Batch) -> list[Outcome]:
        if len(batch.uses) == 1:
            return [await self._run_unless_stopped(batch.uses[0])]
        outcomes: list[Outcome | None] = [None] * len(batch.uses)
        todo = iter(enumerate(batch.uses))
        async with anyio.create_task_group() as group:
            for _ in range(min(self._cap, len(batch.uses))):
                group.start_soon(self._work, todo, outcomes)
        return [outcome for outcome in outcomes if outcome is not None]

    async def _work(self, todo: Iterator[tuple[int, ToolUse]], outcomes: list[Outcome | None]) -> None:
        """One worker: takes the next call of the batch until there is none. Workers are few, calls may be many."""
        for index, use in todo:
            try:
                outcomes[index] = await self._run_unless_stopped(use)
            except anyio.get_cancelled_exc_class():
                if anyio.get_current_task().has_pending_cancellation():
                    raise
                outcomes[index] = interrupted_outcome(use, "the tool cancelled itself, although nobody stopped it")

    async def _run_unless_stopped(self, use: ToolUse) -> Outcome:
        if self._stopped():
            return interrupted_outcome(use, "not started: the person stopped the turn")
        return await self._run_one(use)

    def _apply(self, outcome: Outcome) -> Outcome:
        """Apply the call's change of the shared context; a change that fails is told in the call's own result."""
        if outcome.result is None or outcome.result.context_modifier is None:
            return outcome
        try:
            self._modify(outcome.result.context_modifier)
        except Exception as fault:
            said = f"{type(fault).__name__}: {words_of(fault)}"
            told = TextBlock(f"InternalError: the tool ran, but its change of the session failed: {said}")
            content = outcome.block.content
            rest = (TextBlock(content),) if isinstance(content, str) else content
            block = replace(outcome.block, content=(told, *rest), is_error=True)
            return replace(outcome, status="error", block=block, error=fault)
        return outcome


def interrupted_outcome(use: ToolUse, why: str) -> Outcome:
    """The outcome of a call that was not run to its end by anybody."""
    error = InterruptedToolError(why)
    block = ToolResultBlock(use.id, f"{error.kind}: {error.message}", is_error=True)
    return Outcome(use, "interrupted", block, error=error)
