"""Stopping a session from wherever a program may do it, and ending the program without closing the session."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools import Session, ToolUse
from jupyter_agenttools.core.cancel import Cancellation, CutScope
from jupyter_agenttools.core.updates import TurnEnded
from tests.agents.support import ALLOW
from tests.support.models import CALLS, END, PlayingModel
from tests.support.shell import until
from tests.support.tools import Log, reader, writer

SOON_S = 0.1
LONG_S = 20.0
"""Of the call that is stopped; it ends long before."""


def in_callback(stop: Callable[[], object]) -> None:
    asyncio.get_running_loop().call_later(SOON_S, stop)


def in_loop_signal_handler(stop: Callable[[], object]) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, stop)
    threading.Timer(SOON_S, os.kill, (os.getpid(), signal.SIGUSR1)).start()


def in_signal_handler(stop: Callable[[], object]) -> None:
    signal.signal(signal.SIGUSR1, lambda *_: stop())
    threading.Timer(SOON_S, os.kill, (os.getpid(), signal.SIGUSR1)).start()


def in_thread(stop: Callable[[], object]) -> None:
    threading.Timer(SOON_S, stop).start()


def in_task(stop: Callable[[], object]) -> None:
    async def later() -> None:
        await asyncio.sleep(SOON_S)
        stop()

    kept.append(asyncio.ensure_future(later()))


def in_another_loop(stop: Callable[[], object]) -> None:
    async def later() -> None:
        await asyncio.sleep(SOON_S)
        stop()

    threading.Timer(0, asyncio.run, (later(),)).start()


kept: list[Any] = []
WAYS = [in_callback, in_loop_signal_handler, in_signal_handler, in_thread, in_task, in_another_loop]


def once(begun: Callable[[], object], way: Any, stop: Callable[[], object]) -> None:
    """Go that way as soon as what is to be stopped has begun."""

    async def wait() -> None:
        await until(begun)
        way(stop)

    kept.append(asyncio.ensure_future(wait()))


def session_of(folder: Path, log: Log) -> Session:
    calls = [ToolUse("Writer", {"text": word, "seconds": LONG_S}, word) for word in ("a", "b")]
    model = PlayingModel([*calls, CALLS], ["Done.", END])
    return Session(cwd=folder, settings=ALLOW, tools=[reader(log), writer(log)], model=model)


@pytest.fixture(autouse=True)
def usual_signals() -> Any:
    before = signal.getsignal(signal.SIGUSR1)
    yield
    signal.signal(signal.SIGUSR1, before)
    kept.clear()


@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_stops_what_runs_and_nothing_begins_after_it(tmp_path: Path, way: Any) -> None:
    log = Log()
    session = session_of(tmp_path, log)

    async def ask() -> list[Any]:
        once(lambda: log.running, way, session.interrupt)
        return [update async for update in session.query("go")]

    updates = asyncio.run(asyncio.wait_for(ask(), LONG_S / 2))
    assert isinstance(updates[-1], TurnEnded) and updates[-1].reason == "interrupted"
    assert log.running == 0 and not any("b" in str(word) for word in log.words)


@pytest.mark.parametrize("way", WAYS)
def test_one_call_is_stopped_from_anywhere(tmp_path: Path, way: Any) -> None:
    log = Log()
    calls = [ToolUse("Writer", {"text": "a", "seconds": LONG_S}, "a"), CALLS]
    session = Session(cwd=tmp_path, settings=ALLOW, tools=[writer(log)], model=PlayingModel(calls, ["Done.", END]))
    found: list[bool] = []

    def stop() -> None:
        found.append(any([session.abort_call(call.use.id) for call in session.queries._executors[0]._calls]))

    async def ask() -> list[Any]:
        once(lambda: log.running, way, stop)
        return [update async for update in session.query("go")]

    updates = asyncio.run(asyncio.wait_for(ask(), LONG_S / 2))
    assert found == [True] and updates[-1].reason == "end_turn"


@pytest.mark.parametrize("way", WAYS)
def test_code_is_stopped_from_anywhere(tmp_path: Path, way: Any) -> None:
    session = Session(cwd=tmp_path, settings={"permissions": {"allow": ["REPL"]}})

    async def run() -> Any:
        once((tmp_path / "begun").exists, way, session.interrupt)
        begin = f"open({str(tmp_path / 'begun')!r}, 'x').close()"
        return await session.call("REPL", {"code": f"{begin}\nimport asyncio\nawait asyncio.sleep({LONG_S})"})

    assert asyncio.run(asyncio.wait_for(run(), LONG_S / 2)).status == "interrupted"


def test_a_limit_can_be_set_in_a_callback() -> None:
    async def cut() -> str:
        cancellation = Cancellation()
        cancellation.grace_s = SOON_S
        with CutScope(cancellation) as scope:
            asyncio.get_running_loop().call_soon(cancellation.set_limit, LONG_S)
            asyncio.get_running_loop().call_later(SOON_S, cancellation.cancel)
            await asyncio.sleep(LONG_S)
        return scope.cut

    assert asyncio.run(asyncio.wait_for(cut(), LONG_S / 2)) == "stopped"


def test_all_are_told_of_a_stop_when_one_of_them_raises() -> None:
    parent = Cancellation()

    def fail(_: str) -> None:
        raise ValueError("broken")

    parent.add_callback(fail)
    child = Cancellation(parent)
    with pytest.raises(ValueError, match="broken"):
        parent.cancel("enough")
    assert child.cancelled and child.reason == "enough"


def test_nobody_waits_for_a_loop_that_stands_still_or_is_closed() -> None:
    loop, cancellation = asyncio.new_event_loop(), Cancellation()

    async def bind() -> None:
        cancellation.bind_loop()

    loop.run_until_complete(bind())
    ran: list[str] = []
    cancellation.run_in_loop(lambda: ran.append("still"))
    assert not ran and not cancellation.loop_is_closed
    loop.run_until_complete(asyncio.sleep(0))
    assert ran == ["still"]
    loop.close()
    cancellation.run_in_loop(lambda: ran.append("closed"))
    assert ran == ["still"] and cancellation.loop_is_closed


def test_a_query_whose_loop_is_closed_does_not_run_any_more(tmp_path: Path) -> None:
    session = session_of(tmp_path, Log())
    loop = asyncio.new_event_loop()
    left = session.query("go")
    loop.run_until_complete(anext(left))
    loop.close()
    session.interrupt()
    model = PlayingModel(["Yes.", END], ["Yes.", END])

    async def ask() -> list[Any]:
        return [update async for update in session.query("and now?", model=model)]

    for _ in range(2):
        assert asyncio.run(ask())[-1].reason == "end_turn"
    assert not session._activities._active and left is not None
    del left
    until = time.monotonic() + LONG_S
    while any(thread.name == "agenttools-query" for thread in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.01)


# ---- the end of a program

OPEN = "session = Session(settings={'permissions': {'allow': ['REPL']}})\n"
ENDS = {
    "one-call": "asyncio.run(session.call('REPL', {'code': '1'}))",
    "no-name": "asyncio.run(session.call('REPL', {'code': '1'})); del session",
    "task-of-code": (
        "asyncio.run(session.call('REPL', {'code': 'import asyncio\\n"
        "kept = asyncio.ensure_future(asyncio.sleep(60))\\nawait asyncio.sleep(0)'}))"
    ),
    "query-left": (
        "loop = asyncio.new_event_loop()\n"
        "query = session.query('go', model=ScriptedModel(['one', 'two']))\n"
        "loop.run_until_complete(anext(query))\n"
    ),
    "query-left-in-closed-loop": (
        "loop = asyncio.new_event_loop()\n"
        "query = session.query('go', model=ScriptedModel(['one', 'two']))\n"
        "loop.run_until_complete(anext(query))\n"
        "loop.close()\n"
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_program_ends_whose_session_was_not_closed(tmp_path: Path, name: str) -> None:
    imports = "import asyncio\nfrom jupyter_agenttools import Session\n"
    imports += "from jupyter_agenttools.models import ScriptedModel\n"
    script = textwrap.dedent(imports + OPEN + ENDS[name] + "\nprint('end')\n")
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and done.stdout == "end\n", done.stderr
