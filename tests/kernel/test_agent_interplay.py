"""A turn beside everything else that a kernel does: other loops, background commands, interrupts, worker threads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from tests.kernel.notebooks import Notebook, notebook, record
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

PROMPT_S = 1.0
"""How long a person waits for the end of a cell after an Interrupt."""

SETUP = '''
import asyncio, threading, anyio
from jupyter_agenttools import ScriptedModel, tool
from jupyter_agenttools.notebook import get_session

ticks = []
async def tick():
    while True:
        ticks.append(1)
        await asyncio.sleep(0.01)

@tool(is_read_only=True)
async def own_loop(text: str) -> str:
    """Runs loops of its own, in worker threads."""
    async def shout():
        await anyio.sleep(0.01)
        return text.upper()
    one = await anyio.to_thread.run_sync(lambda: asyncio.run(shout()))
    two = await anyio.to_thread.run_sync(lambda: anyio.run(shout))
    return one + two
'''
AGENT = "%%agent --script -\n" + json.dumps(
    [{"tool_uses": [{"name": "own_loop", "input": {"text": "a"}}, {"name": "peek", "input": {"text": "b"}}]}, "Done."]
)


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        assert book.run(SETUP).status == "ok"
        yield book


def test_an_interrupt_is_prompt_while_the_model_is_waited_for(book: Notebook) -> None:
    """Nothing wakes the cell's loop while a model is silent, and still it ends at once."""
    took = []
    for _ in range(3):
        book.run("get_session().model = ScriptedModel(['one two'], delay_s=30)")
        cell = book.start("%%agent\nthink long")
        book.page.wait_button("Stop")
        began = time.monotonic()
        book.kernel.interrupt()
        assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
        took.append(time.monotonic() - began)
        assert "interrupted" in record(cell)
    assert min(took) < PROMPT_S, took


def test_an_interrupt_leaves_a_command_in_the_background_alone(book: Notebook) -> None:
    started = book.start('%tool --json Bash {"command": "touch begun; sleep 300", "run_in_background": true}')
    book.click("Allow once")
    started.wait()
    for other in ("print('begun')\nawait asyncio.sleep(30)", "import time\nprint('begun')\ntime.sleep(30)"):
        cell = book.start(other).wait_text("begun")
        book.kernel.interrupt()
        assert cell.wait(20).status == "error"
    book.run("get_session().model = ScriptedModel(['one two'], delay_s=30)")
    cell = book.start("%%agent\nthink long")
    book.page.wait_button("Stop")
    book.kernel.interrupt()
    cell.wait(20)
    assert "running" in book.run("%agent tasks").text
    assert "killed" in book.run("%agent stop bash_1").text


def test_a_turn_and_calls_beside_tasks_of_the_cell(book: Notebook) -> None:
    book.run("task = asyncio.create_task(tick())\nawait asyncio.sleep(0.05)")
    assert "Done." in record(book.run(AGENT))
    nested = book.run("def f():\n    x = %tool own_loop a\n    return x\nx = f()\nprint(x.text)")
    assert nested.status == "ok" and "AA" in nested.text
    script = AGENT.partition("\n")[2]
    magic = f"get_ipython().run_cell_magic('agent', '--script -', {script!r})"
    nested = book.run(f"def f():\n    return {magic}\nx = f()")
    assert nested.status == "ok" and book.value("x.text") == "Done."
    assert (
        book.run("seen = len(ticks)\nawait asyncio.sleep(0.2)\nassert len(ticks) > seen\ntask.cancel()").status == "ok"
    )


def test_awaited_in_several_tasks_at_once(book: Notebook) -> None:
    ran = book.run(
        "found = await asyncio.gather(*(get_session().call('own_loop', {'text': t}) for t in 'abc'))\n"
        "print([each.text for each in found])"
    )
    assert "['AA', 'BB', 'CC']" in ran.text


def test_a_loop_in_a_thread_of_the_person(book: Notebook) -> None:
    ran = book.run(
        "got = []\n"
        "def work():\n    got.append(asyncio.run(get_session().call('own_loop', {'text': 'a'})).text)\n"
        "thread = threading.Thread(target=work)\nthread.start()\n"
        "while thread.is_alive():\n    await asyncio.sleep(0.02)\n"
        "print(got)"
    )
    assert "['AA']" in ran.text, ran


def test_after_somebody_made_loops_nest() -> None:
    with notebook() as book:
        book.run(SETUP + "import nest_asyncio2\nnest_asyncio2.apply()\ntask = asyncio.create_task(tick())")
        assert "Done." in record(book.run(AGENT))
        ran = book.run("print(asyncio.run(get_session().call('own_loop', {'text': 'a'})).text)")
        assert "AA" in ran.text, ran
        assert "Done." in record(book.run(AGENT))
        nested = book.run("def f():\n    x = %tool own_loop a\n    return x\nprint(f().text)")
        assert "AA" in nested.text, nested
        cell = book.start("%tool note hello")
        book.click("Allow once")
        assert "HELLO" in record(cell.wait())


def test_no_thread_writes_after_its_cell_has_ended(book: Notebook) -> None:
    """The writing thread is held before its last look; the cell is interrupted, and only then the thread goes on."""
    book.run(
        "import sys\n"
        "from jupyter_agenttools.core.cancel import Cancellation\n"
        "held, go_on, check = threading.Event(), threading.Event(), Cancellation.check\nwriters = []\n"
        "def slow(self):\n"
        "    if sys._getframe(1).f_globals['__name__'].endswith('files.writing') and not held.is_set():\n"
        "        held.set()\n        writers.append(threading.get_ident())\n"
        "        print('held', flush=True)\n        go_on.wait(20)\n"
        "    return check(self)\n"
        "def writes():\n"
        "    frame = sys._current_frames().get(writers[0])\n"
        "    while frame and not frame.f_globals['__name__'].endswith('files.writing'):\n"
        "        frame = frame.f_back\n"
        "    return frame is not None\n"
        "Path = __import__('pathlib').Path\n"
        "Path('kept.txt').write_text('as it was')\n"
        "get_session().set_mode('acceptEdits')"
    )
    book.run("x = %tool Read kept.txt\nCancellation.check = slow")
    cell = book.start("%tool Write file_path=kept.txt content=changed").wait_text("held")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    book.run(
        "assert writes()\ngo_on.set()\nwhile writes(): await asyncio.sleep(0.01)\n"
        "Cancellation.check = check\nget_session().set_mode('default')"
    )
    assert book.run("x = %tool Read kept.txt\nprint(Path('kept.txt').read_text())").text.count("as it was") >= 1
    assert (book.kernel.cwd / "kept.txt").read_text() == "as it was"
    assert "interrupted" in record(cell)
