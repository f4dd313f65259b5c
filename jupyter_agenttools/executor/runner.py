"""Running many calls: batches one after the other, the calls of a batch together, results in order."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

import anyio

from ..core.blocks import ToolResultBlock, ToolUse
from ..core.errors import InterruptedToolError
from ..core.outcome import Outcome
from ..core.result import ContextModifier
from ..core.tool import Tool
from .batches import Batch, partition_tool_calls

DEFAULT_MAX_CONCURRENCY = 10
"""The field's default for calls that run at the same time."""


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

    async def run(self, uses: Sequence[ToolUse]) -> AsyncIterator[Outcome]:
        """One outcome for each call, in the order of the calls."""
        for batch in partition_tool_calls(uses, self._tools):
            outcomes = await self._run_batch(batch)
            for outcome in outcomes:  # after the whole batch, so that no call of it sees another's change
                self._apply(outcome)
            for outcome in outcomes:
                yield outcome

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
            outcomes[index] = await self._run_unless_stopped(use)

    async def _run_unless_stopped(self, use: ToolUse) -> Outcome:
        if self._stopped():
            error = InterruptedToolError("not started: the person stopped the turn")
            block = ToolResultBlock(use.id, f"{error.kind}: {error.message}", is_error=True)
            return Outcome(use, "interrupted", block, error=error)
        return await self._run_one(use)

    def _apply(self, outcome: Outcome) -> None:
        if outcome.result is not None and outcome.result.context_modifier is not None:
            self._modify(outcome.result.context_modifier)
