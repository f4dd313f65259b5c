"""Tasks that run beside a block of code, and end with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio


@asynccontextmanager
async def beside(*tasks: Callable[[], Awaitable[Any]]) -> AsyncIterator[None]:
    """Run ``tasks`` while the block runs; its end cancels them.

    Raises:
        Exception: what the block raises, or one of the tasks, as it is: not in a group.
    """
    try:
        async with anyio.create_task_group() as group:
            for task in tasks:
                group.start_soon(task)
            yield
            group.cancel_scope.cancel()
    except BaseExceptionGroup as grouped:
        error: BaseException = grouped
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
