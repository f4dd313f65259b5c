"""The tasks of one answer, which end with it."""

from __future__ import annotations

from types import TracebackType

import anyio


class Crew:
    """A task group that hands on what is raised in it as it is.

    A group of its own kind wraps everything into a group of exceptions, also the ``GeneratorExit`` of a generator that
    is closed while the group is open. Leaving by an exception cancels the tasks; leaving otherwise waits for them.
    """

    def __init__(self) -> None:
        self._group = anyio.create_task_group()
        self.start_soon = self._group.start_soon

    async def __aenter__(self) -> Crew:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        if raised is None or isinstance(raised, anyio.get_cancelled_exc_class()):
            return await self._group.__aexit__(kind, raised, traceback)
        self._group.cancel_scope.cancel()
        await self._group.__aexit__(None, None, None)
        return None
