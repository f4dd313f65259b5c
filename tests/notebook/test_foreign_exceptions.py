"""What a tool, a hook or an observer raises may be of any class: the call gets its error, and the thread lives on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from threading import Thread
from threading import current_thread as _current_thread
from typing import Any

import pytest

from jupyter_agenttools import Outcome, Session, ToolUse, hook
from jupyter_agenttools.notebook.cell import Cell
from jupyter_agenttools.notebook.main_jobs import MainJob
from jupyter_agenttools.notebook.portal import EnduringLoop, Portal
from jupyter_agenttools.notebook.run import Run
from tests.support.tools import calling, echo_tool


class Panic(BaseException):
    """As pytest's ``fail`` raises one, and a panic in Rust."""


ALLOW = {"permissions": {"allow": ["Echo", "Broken"]}}
KINDS = pytest.mark.parametrize("kind", [KeyboardInterrupt, Panic, SystemExit])
WITHIN_S = 20


@pytest.fixture
def portal() -> Iterator[Portal]:
    portal = Portal()
    yield portal
    portal.close()


def raising(kind: type[BaseException]) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise kind

    return fail


def run(portal: Portal, work: Callable[[], Awaitable[Any]]) -> Any:
    return portal.start_soon(work).result(WITHIN_S)


async def current_thread() -> Thread:
    return _current_thread()


def thread(portal: Portal) -> Thread | None:
    return portal._thread


@KINDS
@pytest.mark.parametrize("safe", [False, True])
def test_what_a_tool_raises_is_its_own_error(tmp_path, portal: Portal, kind: type[BaseException], safe: bool) -> None:
    tools = [calling("Broken", raising(kind), is_concurrency_safe=safe), echo_tool(is_concurrency_safe=safe)]
    session = Session(cwd=tmp_path, tools=tools, settings=ALLOW)
    uses = [ToolUse("Echo"), ToolUse("Broken"), ToolUse("Echo")]
    outcomes: list[Outcome] = run(portal, lambda: session.run(uses))
    assert [(o.status, o.block.tool_use_id) for o in outcomes] == [
        (status, use.id) for status, use in zip(("ok", "error", "ok"), uses, strict=True)
    ]
    assert f"{kind.__name__} in the tool Broken" in outcomes[1].text
    before = thread(portal)
    assert run(portal, lambda: session.call("Echo", {})).status == "ok" and thread(portal) == before


@KINDS
def test_what_the_parts_around_a_call_raise_ends_nothing(tmp_path, portal: Portal, kind: type[BaseException]) -> None:
    class Watcher:
        on_call_start = on_stage = on_call_end = staticmethod(raising(kind))

    @hook("PreToolUse")
    async def broken(event: Any) -> None:
        raise kind

    views = dict.fromkeys(("render_tool_use", "get_tool_use_summary", "get_activity_description"), raising(kind))
    session = Session(cwd=tmp_path, tools=[echo_tool(**views)], settings=ALLOW, hooks=[broken])
    session.observers.attach(Watcher())
    run(portal, lambda: session.run([ToolUse("Echo"), ToolUse("Echo")]))
    assert {type(fault.error) for fault in session.observers.faults} == {kind}
    [outcome] = run(portal, lambda: session.run([ToolUse("Echo")]))
    assert kind.__name__ in str(outcome.events) and outcome.block.tool_use_id == outcome.tool_use.id


@KINDS
def test_not_even_a_task_of_its_own_ends_the_thread(portal: Portal, kind: type[BaseException]) -> None:
    async def work() -> None:
        async def fail() -> None:
            raise kind

        await asyncio.gather(fail(), return_exceptions=True)

    run(portal, work)
    before = thread(portal)
    run(portal, lambda: asyncio.sleep(0))
    assert thread(portal) == before


@KINDS
@pytest.mark.parametrize("blocking", [False, True])
def test_work_that_raises_ends_with_an_error_that_names_it(
    portal: Portal, kind: type[BaseException], blocking: bool
) -> None:
    async def work() -> None:
        raise kind

    one = Run(portal, work, stop=lambda _: None, cell=Cell(None, False))
    if blocking:
        one.wait_blocking()
    else:
        asyncio.run(one.wait())
    assert isinstance(one.error, RuntimeError) and str(one.error) == f"{kind.__name__} was raised"
    assert not one.interrupts and not one.cancelled


def test_when_the_loop_ends_all_the_same_the_next_work_gets_a_new_one(portal: Portal) -> None:
    old = run(portal, current_thread)

    async def work() -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(WITHIN_S)

    one = Run(portal, work, stop=lambda _: None, cell=Cell(None, False))
    one.wait_blocking()
    assert "the thread in which this ran has ended" in str(one.error)
    old.join(WITHIN_S)
    assert run(portal, current_thread) is not old
    assert run(portal, current_thread) is run(portal, current_thread)


def test_work_that_asks_its_own_thread_to_start_more_is_refused_and_keeps_it(portal: Portal) -> None:
    async def work() -> None:
        portal.start_soon(current_thread)

    before = run(portal, current_thread)
    with pytest.raises(RuntimeError):
        run(portal, work)
    assert run(portal, current_thread) is before


def test_a_loop_that_is_stopped_in_the_turn_in_which_something_is_raised_ends() -> None:
    with closing(EnduringLoop()) as loop:
        loop.call_soon(loop.stop)
        loop.call_soon(raising(KeyboardInterrupt))
        running = Thread(target=loop.run_forever, daemon=True)
        running.start()
        running.join(WITHIN_S)
        assert not running.is_alive()


@pytest.mark.parametrize("blocking", [False, True])
def test_work_that_cancels_itself_has_not_lost_its_thread(portal: Portal, blocking: bool) -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    one = Run(portal, work, stop=lambda _: None, cell=Cell(None, False))
    if blocking:
        one.wait_blocking()
    else:
        asyncio.run(one.wait())
    assert "nobody had cancelled it" in str(one.error)


@KINDS
def test_a_function_of_the_main_thread_that_nobody_interrupted_was_not_interrupted(kind: type[BaseException]) -> None:
    job = MainJob(raising(kind))
    job.run_blocking()
    error = job.future.exception()
    assert isinstance(error, RuntimeError) and kind.__name__ in str(error)
    heard = MainJob(raising(KeyboardInterrupt))
    heard.heard_interrupt = True  # as by code that raises another one in the place of ours
    heard.run_blocking()
    assert "stopped: interrupted" in str(heard.future.exception())
    stopped = MainJob(raising(KeyboardInterrupt), iter(("", *["interrupted"] * 5)).__next__)
    stopped.run_blocking()
    assert "stopped: interrupted" in str(stopped.future.exception())
