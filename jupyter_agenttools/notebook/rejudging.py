"""Looking again at a call that a person is asked about, whenever the rights of the session change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..core.context import ToolPermissionContext
    from ..core.decision import Decision
    from ..core.prompting import PermissionRequest
    from ..session import Session


class _RightsWatch:
    """An observer that wakes a task up; changes come from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.changed = asyncio.Event()

    def on_rights(self, rights: ToolPermissionContext) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self.changed.set)


@asynccontextmanager
async def judged_while_open(
    session: Session, request: PermissionRequest, take: Callable[[Decision], None]
) -> AsyncIterator[None]:
    """Until the block ends, hand what the gate says to ``take`` each time that the session's rights have changed."""
    judge = request.judge_again
    if judge is None:
        yield
        return
    watch = _RightsWatch()

    async def look() -> None:
        while True:
            await watch.changed.wait()
            watch.changed.clear()
            take(await judge())

    detach = session.observers.attach(watch)
    looking = asyncio.get_running_loop().create_task(look())
    try:
        yield
    finally:
        detach()
        looking.add_done_callback(_heard)
        looking.cancel()
        await asyncio.wait({looking})  # unlike awaiting the task itself, this tells its cancellation from our own


def _heard(looking: asyncio.Task[None]) -> None:
    """A fault in a look changes nothing: the person still decides."""
    if not looking.cancelled():
        looking.exception()
