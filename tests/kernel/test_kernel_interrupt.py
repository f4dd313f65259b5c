"""Interrupts: of a question, of a running command, a second one, and of what a person awaits."""

from __future__ import annotations

import time
from collections.abc import Iterator

import psutil
import pytest

from tests.kernel.notebooks import Notebook, notebook, record
from tests.support.executions import Execution
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

STUBBORN = '''
@tool
async def stubborn(seconds: int) -> str:
    """Does not want to stop."""
    import anyio
    for _ in range(seconds * 10):
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.1)
    return "done"

@tool(is_read_only=True, is_concurrency_safe=True)
async def pause(seconds: int) -> str:
    """Only looks, for a while."""
    import anyio
    print("pausing", seconds, flush=True)
    await anyio.sleep(seconds)
    return "done"

@tool(thread="main")
async def on_main(seconds: float) -> str:
    """Works on the main thread."""
    import time
    print("on main", flush=True)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    return "done"

@tool(thread="main")
async def awaits_on_main(seconds: float) -> str:
    """Waits on the main thread."""
    import asyncio, threading
    print("on main", flush=True)
    await asyncio.sleep(seconds)
    return threading.current_thread().name
'''

GET_SESSION = "from jupyter_agenttools.notebook import get_session"


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        assert book.run(STUBBORN).status == "ok"
        yield book


def interrupt(book: Notebook, cell: Execution, within_s: float = 20) -> float:
    """Interrupt a cell; returns after how many seconds it ended."""
    began = time.monotonic()
    book.kernel.interrupt()
    cell.wait(within_s)
    return time.monotonic() - began


def sleepers(book: Notebook) -> list[psutil.Process]:
    """The `sleep` commands below the kernel that are alive."""
    family = book.kernel.process.children(recursive=True)
    return [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE and p.name() == "sleep"]


def check_interrupted(book: Notebook, cell: Execution) -> None:
    """The record says so, the error is one line, no widget is left, and the kernel goes on."""
    assert "interrupted" in record(cell)
    assert cell.error == "KeyboardInterrupt: interrupted"
    error = next(o for o in cell.outputs if o["output_type"] == "error")
    assert error["traceback"] == ["KeyboardInterrupt: interrupted"]
    assert book.value("1 + 1") == "2"
    assert not book.page.models


def test_an_open_question(book: Notebook) -> None:
    cell = book.start("%tool note hello")
    late = book.page.wait_button("Allow once")
    assert interrupt(book, cell) < 10
    book.page.send_custom(late.comm_id, {"event": "click"})
    check_interrupted(book, cell)
    assert book.value("get_ipython().user_ns.get('never')") == "None"


def test_a_running_command_leaves_no_child(book: Notebook) -> None:
    cell = book.start("%tool Bash sleep 61 & sleep 60")
    book.click("Allow once")
    book.page.wait_button("Stop")
    book.kernel.pump_until(lambda: len(sleepers(book)) == 2, 10, "two commands")
    interrupt(book, cell)
    check_interrupted(book, cell)
    book.kernel.pump_until(lambda: not sleepers(book), 10, "the end of every child")


def test_a_second_interrupt_ends_the_cell(book: Notebook) -> None:
    cell = book.start("%tool stubborn 20")
    book.click("Allow once")
    book.page.wait_button("Stop")
    book.kernel.interrupt()
    with pytest.raises(TimeoutError):
        cell.wait(0.4)
    assert interrupt(book, cell) < 10
    check_interrupted(book, cell)


def test_the_stop_button_is_no_error(book: Notebook) -> None:
    cell = book.start("x = %tool wait seconds=30")
    book.click("Allow once", "Stop")
    assert cell.wait(20).status == "ok"
    assert "Stop button" in record(cell) and book.value("x.status") == "interrupted"


def test_work_on_the_main_thread(book: Notebook) -> None:
    for name in ("on_main", "awaits_on_main"):
        cell = book.start(f"%tool {name} seconds=30")
        book.click("Allow once")
        cell.wait_text("on main")
        assert interrupt(book, cell) < 10
        check_interrupted(book, cell)


def test_work_on_the_main_thread_comes_back(book: Notebook) -> None:
    cell = book.start("x = %tool awaits_on_main seconds=0.2")
    book.click("Allow once")
    assert cell.wait().status == "ok" and book.value("x.output") == "MainThread"


def test_what_a_person_awaits(book: Notebook) -> None:
    cell = book.start(f"{GET_SESSION}\nawait get_session().call('wait', {{'seconds': 30}})")
    book.click("Allow once")
    book.kernel.pump_until(lambda: not book.page.buttons(), 5, "the end of the question")
    assert interrupt(book, cell) < 10
    assert cell.error == "KeyboardInterrupt: interrupted"
    assert book.value("get_session().outcomes[-1].status") == "interrupted"


def test_what_a_person_awaits_in_a_session_of_their_own(book: Notebook) -> None:
    cell = book.start(
        "from jupyter_agenttools import Session\nown = Session(tools=[wait])\nawait own.call('wait', {'seconds': 30})"
    )
    book.click("Allow once")
    book.kernel.pump_until(lambda: not book.page.buttons(), 5, "the end of the question")
    assert interrupt(book, cell) < 10
    assert cell.status == "error"
    assert book.value("own.outcomes[-1].status if own.outcomes else 'interrupted'") == "interrupted"


def test_a_task_beside_the_cell_does_not_take_the_kernel_down(book: Notebook) -> None:
    cell = book.start(
        f"{GET_SESSION}\nimport asyncio\n"
        "task = asyncio.create_task(get_session().call('wait', {'seconds': 30}))\nawait task"
    )
    book.click("Allow once")
    book.kernel.pump_until(lambda: not book.page.buttons(), 5, "the end of the question")
    assert interrupt(book, cell) < 10
    assert cell.status == "error" and book.value("2 + 2") == "4"


def test_calls_side_by_side(book: Notebook) -> None:
    cell = book.start(
        f"{GET_SESSION}\nimport asyncio, signal\nbefore = signal.getsignal(signal.SIGINT)\n"
        "async def short():\n    await get_session().call('pause', {'seconds': 0})\n    print('short is over')\n"
        "try:\n    await asyncio.gather(short(), get_session().call('pause', {'seconds': 30}))\n"
        "finally:\n    print('restored', signal.getsignal(signal.SIGINT) is before)"
    )
    book.kernel.pump_until(lambda: " 30" in cell.text and "short is over" in cell.text, 10, "the long call")
    assert interrupt(book, cell) < 10
    assert cell.status == "error" and "restored True" in cell.text
    assert book.value("get_session().outcomes[-1].status") == "interrupted"
