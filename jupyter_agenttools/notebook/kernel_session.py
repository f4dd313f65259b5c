"""The session of a kernel: whoever calls it, and from whatever thread, its work runs in the portal's thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.blocks import ToolUse
from ..core.decision import Decision
from ..core.outcome import Outcome
from ..core.stepping import Stepper
from ..core.updates import Compacted, Update
from ..session import Session, UndoReport

if TYPE_CHECKING:
    from .runtime import Runtime

Result = TypeVar("Result")


class KernelSession(Session):
    """A :class:`Session` whose calls can be awaited in any cell: interrupted, and answered, while they run."""

    def __init__(self, runtime: Runtime, **arguments: Any) -> None:
        self._runtime = runtime
        super().__init__(**arguments)

    async def call(
        self, name: str, input: Mapping[str, Any], *, tool_use_id: str | None = None, stepper: Stepper | None = None
    ) -> Outcome:
        call = super().call
        return await self._in_portal(lambda: call(name, input, tool_use_id=tool_use_id, stepper=stepper))

    async def run(self, uses: Sequence[ToolUse], *, stepper: Stepper | None = None) -> list[Outcome]:
        run = super().run
        return await self._in_portal(lambda: run(uses, stepper=stepper))

    async def decide(self, name: str, input: Mapping[str, Any]) -> Decision:
        decide = super().decide
        return await self._in_portal(lambda: decide(name, input))

    async def compact(self, instructions: str = "") -> Compacted | None:
        compact = super().compact
        return await self._in_portal(lambda: compact(instructions))

    async def undo(self, turns: int = 1, *, force: bool = False) -> UndoReport:
        undo = super().undo
        return await self._in_portal(lambda: undo(turns, force=force))

    async def redo(self) -> UndoReport:
        return await self._in_portal(super().redo)

    async def aclose(self) -> None:
        await self._in_portal(super().aclose)

    async def query(self, prompt: str, **options: Any) -> AsyncIterator[Update]:
        query = super().query
        updates = (
            query(prompt, **options)
            if self._runtime.portal.inside
            else self._streamed(lambda: query(prompt, **options))
        )
        async for update in updates:
            yield update

    async def _in_portal(self, work: Callable[[], Awaitable[Result]]) -> Result:
        if self._runtime.portal.inside:
            return await work()
        run = self._runtime.new_run(work)
        await run.wait()
        return self._runtime.result_of(run)

    async def _streamed(self, make: Callable[[], AsyncIterator[Update]]) -> AsyncIterator[Update]:
        """What an iterator in the portal yields, handed over to the loop of the caller as it comes."""
        loop = asyncio.get_running_loop()
        updates: asyncio.Queue[Update | None] = asyncio.Queue()

        async def work() -> None:
            async for update in make():
                loop.call_soon_threadsafe(updates.put_nowait, update)

        run = self._runtime.new_run(work)
        waiting = asyncio.ensure_future(run.wait())
        waiting.add_done_callback(lambda _: updates.put_nowait(None))
        try:
            while (update := await updates.get()) is not None:
                yield update
        finally:
            if not waiting.done():
                run.interrupt("nobody reads the query any more")
                await waiting
        self._runtime.result_of(run)
