"""Iterating an async generator in a task of its own, so that it may be left anywhere."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.lowlevel

from ..executor import Bell

Item = TypeVar("Item")
_END: Any = object()
LOOK_S = 0.5
"""How often the thread of a query looks whether the event loop is still there."""


async def in_own_task(items: AsyncGenerator[Item, None]) -> AsyncGenerator[Item, None]:
    """The same items, one for each that is asked for, while ``items`` runs and is closed in one task that is its own.

    A generator that has tasks or cancel scopes open while it yields must be iterated and closed by one and the same
    task. Those who use this one need not care: they may take each item in another task, leave it half-way, be cancelled
    while they wait, or let it be garbage. It ends only when ``items`` has ended.
    """
    task = _OwnTask(items)
    task.start()
    try:
        while (item := await task.next()) is not _END:
            yield item
    finally:
        await task.stop()


class _OwnTask:
    def __init__(self, items: AsyncGenerator[Any, None]) -> None:
        self._items = items
        self._scope = anyio.CancelScope()
        self._asked, self._given, self._ended = Bell(), Bell(), anyio.Event()
        self._item: Any = _END
        self._failure: BaseException | None = None

    def start(self) -> None:
        # A task that belongs to no task group can only be started from outside of the event loop: for as long as it
        # lives, a thread stands for it that sleeps.
        self._loop: Any = anyio.lowlevel.current_token().native_token
        hold = partial(copy_context().run, _hold, self._iterate, self._loop)
        threading.Thread(target=hold, name="agenttools-query", daemon=True).start()

    async def next(self) -> Any:
        """The next item, ``_END`` after the last. Raises what the generator raises."""
        self._asked.ring()
        await self._given.wait()
        if self._failure is not None:
            raise self._failure
        return self._item

    async def stop(self) -> None:
        """Cancel what still runs, and wait for its end. Where the event loop is closed, nothing does."""
        if not self._ended.is_set() and not self._loop.is_closed():
            self._scope.cancel()
            with anyio.CancelScope(shield=True):
                await self._ended.wait()

    async def _iterate(self) -> None:
        try:
            with self._scope:
                async with aclosing(self._items):
                    await self._hand_over()
        except BaseException as failure:
            self._failure = failure
            if not isinstance(failure, Exception):
                raise
        finally:
            self._item = _END
            self._ended.set()
            self._given.ring()

    async def _hand_over(self) -> None:
        """One item each time that one is asked for."""
        while True:
            await self._asked.wait()
            self._item = await anext(self._items, _END)
            if self._item is _END:
                return
            self._given.ring()


def _hold(work: Callable[[], Coroutine[Any, Any, None]], loop: Any) -> None:
    """Begin the task and wait for its end, which does not come any more once the event loop is closed."""
    kept, ended = [], threading.Event()

    def let_go(task: Any) -> None:
        ended.set()
        if not task.cancelled():
            task.exception()  # whoever iterates is told of it

    def begin() -> None:
        kept.append(loop.create_task(work()))
        kept[0].add_done_callback(let_go)

    with suppress(RuntimeError):  # it was closed before
        loop.call_soon_threadsafe(begin)
        while not (ended.wait(LOOK_S) or loop.is_closed()):
            pass
