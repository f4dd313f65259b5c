"""A query that is left anywhere, in any way: nothing runs on, and the conversation can go on."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from jupyter_agenttools import Session, ToolUse
from jupyter_agenttools.agents import in_own_task
from jupyter_agenttools.core.updates import CallFinished, TextDelta, TurnEnded
from jupyter_agenttools.models import StopPart, ThinkingPart
from tests.agents.support import ALLOW, check_history, collect, results_of
from tests.support.models import CALLS, END, PlayingModel
from tests.support.tools import Log, calling, reader, writer

pytestmark = pytest.mark.anyio

UPDATES = 22
"""Of the query below, to its end."""


async def until(condition: Callable[[], bool]) -> None:
    """Turn the event loop until it has come to that."""
    with anyio.fail_after(20):
        while not condition():
            await anyio.lowlevel.checkpoint()


def holders() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "agenttools-query"]


class Running:
    """A session with a model that thinks, speaks and asks for calls of every kind, and what ran of them."""

    def __init__(self, folder: Any) -> None:
        self.log = Log()
        calls = [
            ToolUse("Reader", {"text": "a", "seconds": 0.002}),
            ToolUse("Reader", {"text": "b"}),
            ToolUse("Writer", {"text": "c", "seconds": 0.002}),
            ToolUse("Reader", {"text": "d"}),
        ]
        self.model = PlayingModel(
            [ThinkingPart("Hm.", "s"), "Look ", "here. ", *calls, CALLS],
            ["And ", ToolUse("Writer", {"text": "e", "seconds": 0.002}), StopPart("tool_use")],
            ["Done.", END],
        )
        tools = [reader(self.log), writer(self.log)]
        self.session = Session(cwd=folder, settings=ALLOW, tools=tools, model=self.model)

    async def check_it_is_over(self) -> None:
        await until(lambda: self.log.running == 0 and not holders())
        assert self.model.closed == len(self.model.requests)
        check_history(self.session.messages)
        before, words = self.session.messages, list(self.log.words)
        updates = await collect(self.session.query("and now?", model=PlayingModel(["Yes.", END])))
        assert updates[-1].reason == "end_turn"
        assert self.session.messages[: len(before)] == before and self.log.words == words


async def close_at_once(running: Running, count: int) -> None:
    updates = running.session.query("go")
    for _ in range(count):
        await anext(updates)
    await updates.aclose()


async def close_in_another_task(running: Running, count: int) -> None:
    updates = running.session.query("go")

    async def take() -> None:
        await anext(updates)

    for _ in range(count):
        async with anyio.create_task_group() as group:
            group.start_soon(take)
    async with anyio.create_task_group() as group:
        group.start_soon(updates.aclose)


async def be_cancelled(running: Running, count: int) -> None:
    with anyio.CancelScope() as scope:
        async for _ in running.session.query("go"):
            count -= 1
            if count == 0:
                scope.cancel()


async def be_cancelled_while_waiting(running: Running, count: int) -> None:
    updates = running.session.query("go")
    for _ in range(count):
        await anext(updates)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await anext(updates)


async def let_go(running: Running, count: int) -> None:
    updates = running.session.query("go")
    for _ in range(count):
        await anext(updates)
    del updates
    gc.collect()
    await until(lambda: not holders())


async def stop(running: Running, count: int) -> None:
    updates = []
    async for update in running.session.query("go"):
        updates.append(update)
        if len(updates) == count:
            running.session.interrupt("enough")
    assert isinstance(updates[-1], TurnEnded)


async def test_the_whole_query_has_so_many_updates(tmp_path) -> None:
    assert len(await collect(Running(tmp_path).session.query("go"))) == UPDATES


@pytest.mark.parametrize("count", range(1, UPDATES))
@pytest.mark.parametrize(
    "leave", [close_at_once, close_in_another_task, be_cancelled, be_cancelled_while_waiting, let_go, stop]
)
async def test_leaving_it_anywhere(tmp_path, leave: Any, count: int) -> None:
    running = Running(tmp_path)
    with anyio.fail_after(20):
        await leave(running, count)
    await running.check_it_is_over()


async def test_calls_that_run_are_stopped_and_say_so(tmp_path) -> None:
    ended: list[str] = []
    began = anyio.Event()

    async def wait(input: Any, context: Any) -> str:
        began.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(input.text)
        return "never"

    uses = [ToolUse("Outer", {"text": "1"}), ToolUse("Outer", {"text": "2"}), ToolUse("Writer", {"text": "3"})]
    tools = [calling("Outer", wait, is_concurrency_safe=True), writer()]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=tools)
    updates = session.query("go", model=PlayingModel(["Wait. ", *uses, anyio.sleep_forever]))
    with anyio.fail_after(20):
        for _ in range(5):
            await anext(updates)
        await began.wait()
        await updates.aclose()
    assert sorted(ended) == ["1", "2"]
    assert [b.tool_use_id for b in results_of(session.messages)] == [use.id for use in uses]
    assert all(b.is_error for b in results_of(session.messages))
    check_history(session.messages)


async def test_a_stop_while_the_model_speaks_ends_its_calls(tmp_path) -> None:
    log = Log()
    uses = [ToolUse("Writer", {"text": "long", "seconds": 3600}), ToolUse("Writer", {"text": "next"})]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)])
    seen: list[Any] = []
    with anyio.fail_after(20):
        async for update in session.query("go", model=PlayingModel(["Hm. ", *uses, "and ", anyio.sleep_forever])):
            seen.append(update)
            if isinstance(update, TextDelta) and update.text == "and ":
                await until(lambda: log.running == 1)
                session.interrupt("enough")
    assert [u.outcome.status for u in seen if isinstance(u, CallFinished)] == ["interrupted"] * 2
    assert "not started: enough" in results_of(session.messages)[1].text
    assert seen[-1].reason == "interrupted" and seen[-1].detail == "enough"
    check_history(session.messages)


# ---- the task that iterates


async def test_a_generator_keeps_its_scopes_open_while_whoever_reads_it_changes_tasks() -> None:
    ended: list[str] = []

    async def numbers() -> AsyncGenerator[int, None]:
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep_forever)
            try:
                for number in range(3):
                    with anyio.CancelScope():
                        yield number
            finally:
                ended.append("closed")
            group.cancel_scope.cancel()

    items, seen = in_own_task(numbers()), []

    async def take() -> None:
        with anyio.CancelScope():
            seen.append(await anext(items))

    for _ in range(3):
        async with anyio.create_task_group() as group:
            group.start_soon(take)
    assert [item async for item in items] == [] and seen == [0, 1, 2] and ended == ["closed"]


async def test_nothing_is_made_before_it_is_asked_for() -> None:
    made: list[int] = []

    async def numbers() -> AsyncGenerator[int, None]:
        for number in range(10):
            made.append(number)
            yield number

    items = in_own_task(numbers())
    await anext(items)
    for _ in range(20):
        await anyio.lowlevel.checkpoint()
    assert made == [0]
    await items.aclose()
    await until(lambda: not holders())


async def test_what_the_generator_raises_reaches_whoever_reads_it() -> None:
    async def broken() -> AsyncGenerator[int, None]:
        yield 1
        raise ValueError("oh")

    items = in_own_task(broken())
    assert await anext(items) == 1
    with pytest.raises(ValueError, match="oh"):
        await anext(items)
    await until(lambda: not holders())
