"""Work in the portal's thread, and the loop or thread that waits for it."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from jupyter_agenttools.core.cancel import Cancellation
from jupyter_agenttools.core.errors import InterruptedToolError, ToolError
from jupyter_agenttools.notebook.cell import Cell
from jupyter_agenttools.notebook.main_jobs import MainJob
from jupyter_agenttools.notebook.portal import Portal
from jupyter_agenttools.notebook.run import Run, current_run
from jupyter_agenttools.notebook.sigint import (
    begin_cell,
    end_cell,
    held_interrupts,
    interrupts_of_cell,
    watch_sigint,
)

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="")


@pytest.fixture(scope="module")
def portal() -> Iterator[Portal]:
    portal = Portal()
    yield portal
    portal.close()


def make(portal: Portal, work: Callable[[], Awaitable[Any]], stop: Callable[[str], None] = lambda _: None) -> Run:
    return Run(portal, work, stop=stop, cell=Cell(None, False))


def wait(run: Run, blocking: bool) -> Run:
    if blocking:
        run.wait_blocking()
    else:
        asyncio.run(run.wait())
    return run


@pytest.fixture(params=[False, True], ids=["awaiting", "blocking"])
def blocking(request: pytest.FixtureRequest) -> bool:
    return request.param


def test_the_value_the_error_and_the_context(portal: Portal, blocking: bool) -> None:
    async def work() -> tuple[Any, ...]:
        await anyio.lowlevel.checkpoint()
        return VARIABLE.get(), portal.inside, current_run()

    VARIABLE.set("of the cell")
    run = make(portal, work)
    wait(run, blocking)
    assert run.value == ("of the cell", True, run) and not portal.inside

    async def fail() -> None:
        raise ValueError("mine")

    assert str(wait(make(portal, fail), blocking).error) == "mine"


def test_jobs_run_on_the_waiting_thread_one_after_the_other(portal: Portal, blocking: bool) -> None:
    seen: list[Any] = []

    async def work() -> list[Any]:
        run = current_run()
        assert run is not None

        async def ask(n: int) -> None:
            seen.append(await run.on_main(lambda: (n, threading.get_ident())))

        async with anyio.create_task_group() as group:
            for n in range(3):
                group.start_soon(ask, n)
        with pytest.raises(ZeroDivisionError):
            await run.on_main(lambda: 1 / 0)
        return seen

    here = threading.get_ident()
    assert sorted(wait(make(portal, work), blocking).value) == [(n, here) for n in range(3)]


def test_an_awaitable_of_a_job_is_awaited_unless_the_cell_holds_the_loop(portal: Portal, blocking: bool) -> None:
    async def at_once() -> str:
        return "at once"

    async def later() -> str:
        await asyncio.sleep(0.01)
        return "later"

    async def work() -> str:
        run = current_run()
        assert run is not None
        assert await run.on_main(at_once) == "at once"
        return await run.on_main(later)

    assert wait(make(portal, work), blocking).value == "later"

    async def held() -> Run:  # as in a kernel: the loop of this thread runs, and the cell holds it
        run = make(portal, work)
        run.wait_blocking()
        return run

    run = asyncio.run(held())
    assert isinstance(run.error, ToolError) and "call it at the top of a cell" in str(run.error)


def test_an_interrupt_stops_the_work_gently_first(portal: Portal, blocking: bool) -> None:
    reasons: list[str] = []
    stopped, running = threading.Event(), threading.Event()

    def stop(reason: str) -> None:
        reasons.append(reason)
        stopped.set()

    async def work() -> str:
        running.set()
        await anyio.to_thread.run_sync(stopped.wait)
        return "what there was"

    signalling = threading.Thread(target=lambda: (running.wait(), os.kill(os.getpid(), signal.SIGINT)))
    signalling.start()
    before = signal.getsignal(signal.SIGINT)
    run = wait(make(portal, work, stop), blocking)
    signalling.join()
    assert reasons == ["interrupted"] and run.interrupts == 1 and run.value == "what there was"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_interrupt_does_not_wait_for_the_work(portal: Portal, blocking: bool) -> None:
    release, running = threading.Event(), threading.Event()

    async def work() -> None:
        running.set()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(release.wait)

    run = make(portal, work, lambda _: os.kill(os.getpid(), signal.SIGINT) if run.interrupts == 1 else None)
    threading.Thread(target=lambda: (running.wait(), os.kill(os.getpid(), signal.SIGINT))).start()
    wait(run, blocking)
    assert run.interrupts == 2 and not run.done.is_set()
    release.set()
    assert run.done.wait(5)


def in_child(work: Callable[[], object]) -> int:
    """The exit code of a forked child that does this; a signal's number below zero if it does not come back."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_forked_child_begins_a_portal_of_its_own_and_waits_for_no_other() -> None:
    portal = Portal()
    assert portal.start_soon(lambda: "parent").result(20) == "parent"

    def use() -> None:
        assert portal.start_soon(lambda: "child").result(10) == "child"
        gc.collect()
        portal.close()

    assert in_child(use) == 0
    assert in_child(portal.close) == 0
    assert portal.start_soon(lambda: "still there").result(20) == "still there"
    portal.close()


def test_a_portal_that_nobody_closed_ends_with_its_process() -> None:
    code = "from jupyter_agenttools.notebook.portal import Portal\np = Portal()\np.start_soon(print, 1).result()"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).stdout == b"1\n"


def test_an_interrupt_during_a_job_belongs_to_the_job(portal: Portal, blocking: bool) -> None:
    async def work() -> str:
        run = current_run()
        assert run is not None

        def job() -> None:
            os.kill(os.getpid(), signal.SIGINT)
            while True:
                pass

        with pytest.raises(InterruptedToolError):
            await run.on_main(job)
        return "gone on"

    run = wait(make(portal, work), blocking)
    assert run.value == "gone on" and run.interrupts == 1


def test_cancelling_the_waiting_task_stops_the_work(portal: Portal) -> None:
    async def main() -> Run:
        begun = threading.Event()

        async def work() -> None:
            begun.set()
            await anyio.sleep_forever()

        run = make(portal, work, lambda _: run._future and run._future.cancel())
        task = asyncio.ensure_future(run.wait())
        await anyio.to_thread.run_sync(begun.wait, 20)
        task.cancel()
        await task
        return run

    run = asyncio.run(main())
    assert run.cancelled and run.done.is_set()


def test_watchers_may_end_in_any_order() -> None:
    before = signal.getsignal(signal.SIGINT)
    heard: list[str] = []
    first, second = (watch_sigint(lambda name=name: heard.append(name)) for name in ("first", "second"))
    first.__enter__()
    second.__enter__()
    signal.raise_signal(signal.SIGINT)
    first.__exit__(None, None, None)
    signal.raise_signal(signal.SIGINT)
    second.__exit__(None, None, None)
    assert heard == ["first", "second", "second"] and signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def chained() -> Iterator[list[str]]:
    """A cell with a handler like ipykernel's for awaiting cells: it raises nothing, and cancels later."""
    heard: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("chained"))
    begin_cell("this one")
    yield heard
    end_cell()
    signal.signal(signal.SIGINT, before)


def test_work_that_was_interrupted_before_it_began_never_begins(
    portal: Portal, blocking: bool, chained: list[str]
) -> None:
    ran: list[str] = []

    async def work() -> None:
        ran.append("work")

    signal.raise_signal(signal.SIGINT)
    assert chained == ["chained"]
    run = wait(make(portal, work), blocking)
    assert not ran and not run.begun and run.done.is_set() and run.interrupts == 1 and run.signalled


def test_a_task_that_was_cancelled_before_the_work_began_never_begins_it(portal: Portal) -> None:
    ran: list[str] = []

    async def work() -> None:
        ran.append("work")

    async def main() -> Run:
        run = make(portal, work)
        task = asyncio.ensure_future(run.wait())
        asyncio.get_running_loop().call_soon(lambda: asyncio.get_running_loop().call_soon(task.cancel))
        await task
        return run

    run = asyncio.run(main())
    assert run.cancelled and not run.signalled and not ran


def test_a_busy_portal_sees_the_interrupt_without_a_turn_of_its_loop(portal: Portal, blocking: bool) -> None:
    """The work never awaits between the Interrupt and its look at the switch."""
    seen: list[str] = []

    async def work() -> None:
        cancellation = Cancellation()
        child = Cancellation(cancellation)
        os.kill(os.getpid(), signal.SIGINT)
        run = current_run()
        while run is not None and not run.why_stop():
            pass
        seen.extend((cancellation.reason, child.reason, Cancellation().reason))
        with pytest.raises(InterruptedToolError, match="stopped: interrupted"):
            child.check()

    wait(make(portal, work), blocking)
    assert seen == ["interrupted"] * 3


def test_a_job_that_had_not_begun_never_begins() -> None:
    reasons, ran = [""], []

    async def body() -> None:
        ran.append("body")

    def function() -> Awaitable[None]:
        ran.append("function")
        reasons[0] = "interrupted"
        return body()

    for run in (MainJob.run_blocking, lambda job: asyncio.run(job.run())):
        ran.clear()
        reasons[0] = ""
        job = MainJob(function, lambda: reasons[0])
        run(job)
        assert ran == ["function"] and isinstance(job.future.exception(), InterruptedToolError)
        job = MainJob(function, lambda: reasons[0])
        run(job)
        assert ran == ["function"] and isinstance(job.future.exception(), InterruptedToolError)


def test_what_is_held_ends_at_its_next_check(chained: list[str]) -> None:
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt, match="interrupted"), held_interrupts() as check:
        signal.raise_signal(signal.SIGINT)
        steps.append("not torn up")
        check()
        steps.append("gone on")
    with pytest.raises(KeyboardInterrupt), held_interrupts():
        steps.append("begun in an interrupted cell")
    assert steps == ["not torn up"] and not chained


def test_what_is_held_ends_where_it_is_left_whatever_it_raised(chained: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt, match="interrupted"), held_interrupts():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("mine")
    end_cell()
    begin_cell("the next one")
    with pytest.raises(ValueError, match="mine"), held_interrupts():
        raise ValueError("mine")


def test_a_second_interrupt_is_not_held(chained: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt, match="interrupted"), held_interrupts():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("held")


def test_the_interrupts_of_a_cell_end_with_it() -> None:
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        outer = begin_cell("outer")
        assert outer is not None and begin_cell("outer") is outer
        signal.raise_signal(signal.SIGINT)
        end_cell()
        assert interrupts_of_cell() is outer and outer.why_stop() == "interrupted"
        end_cell()
        assert interrupts_of_cell() is None and outer.why_stop() == ""
        lost, following = begin_cell("whose end was not told"), begin_cell("following")
        assert following is not None and following is not lost and not following.why_stop()
        end_cell()
    finally:
        signal.signal(signal.SIGINT, before)


def test_python_s_own_handler_is_left_where_it_stands() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        begin_cell("a cell that cannot await")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with pytest.raises(KeyboardInterrupt), held_interrupts():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        end_cell()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_watcher_that_an_earlier_cell_left_does_not_keep_the_interrupt_from_this_one(chained: list[str]) -> None:
    heard: list[str] = []
    with watch_sigint(lambda: heard.append("left")):
        end_cell()
        begin_cell("the next one")
        signal.raise_signal(signal.SIGINT)
    assert heard == ["left"] and chained == ["chained"]


def test_a_closed_portal_cancels_and_can_be_started_again() -> None:
    portal = Portal()
    future = portal.start_soon(anyio.sleep_forever)
    portal.close()
    assert future.done()
    assert portal.start_soon(lambda: threading.current_thread().name).result(5) == "jupyter-agenttools"
    portal.close()
    portal.close()
