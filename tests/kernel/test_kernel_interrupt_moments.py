"""An Interrupt at any moment of a cell: nothing begins after it, and the cell says so."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_agenttools.pipeline.stages import CALL_INDEX, STAGE_NAMES
from tests.kernel.notebooks import Notebook, notebook, record
from tests.support.executions import Execution
from tests.support.kernels import KernelSession, ipykernel_env

pytestmark = pytest.mark.kernel

VERSIONS = ("6.31.0", "7.4.0")
INTERRUPTED = "KeyboardInterrupt: interrupted"
SPY = '''
import time

def stay(place, interrupts=1):
    """Say where we are, and go on once the kernel has heard so many Interrupts."""
    from jupyter_agenttools.notebook import sigint
    until = time.monotonic() + 60
    for n in range(interrupts):
        print(f"at {place} {n}.", flush=True)
        while not (sigint._cell and sigint._cell.count > n):
            assert time.monotonic() < until, "nobody interrupted"
            time.sleep(0.01)
'''
PLACES = '''
import asyncio, json
import jupyter_agenttools.render
from jupyter_agenttools import hook, tool
from jupyter_agenttools.notebook import get_session
from jupyter_agenttools.notebook.portal import Portal

place, ran, interrupts = "", [], 1

def here(name):
    if name == place:
        stay(name, interrupts)

@tool(is_read_only=True)
async def mark(text: str) -> str:
    """Says that it ran."""
    ran.append(text)
    return text

@tool(is_read_only=True, thread="main")
async def mark_on_main(text: str) -> str:
    """Says that it ran."""
    ran.append(text)
    return text

@hook("PreToolUse", matcher="mark")
async def before(event):
    here("a hook before")
    return {}

@hook("PostToolUse", matcher="mark")
async def after(event):
    here("a hook after")
    return {}

class Places:
    def on_call_start(self, tool_use, state): here("the start of the call")
    def on_stage(self, event): here(event.stage)
    def on_call_end(self, outcome): here("the end of the call")

get_session().observers.attach(Places())

def at(name, function):
    def instead(*arguments, **named):
        here(name)
        return function(*arguments, **named)
    return instead

Portal._started = at("the handing over", Portal._started)
jupyter_agenttools.render.call_record = at("the record", jupyter_agenttools.render.call_record)

def report():
    outcomes = get_session().outcomes
    last = outcomes[-1] if outcomes else None
    return json.dumps({
        "ran": ran, "calls": len(outcomes), "status": last and last.status,
        "stages": [(e.stage, e.status) for e in last.events] if last else [],
        "block": last and str(last.block.content),
    })
'''
FORMS = {
    "awaited": "x = %tool {tool} hello",
    "blocking": "def call():\n    return get_ipython().run_line_magic('tool', '{tool} hello')\nx = call()",
    "session": "x = await get_session().call('{tool}', {{'text': 'hello'}})",
}


@pytest.fixture(scope="module", params=VERSIONS)
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        made = book.run(SPY + PLACES)
        assert made.status == "ok", made
        yield book


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return request.param


def interrupt_at(book: Notebook, place: str, code: str, interrupts: int = 1) -> tuple[Execution, dict[str, Any]]:
    """Run a cell and interrupt it at a place; returns the cell, and what the kernel knows of its calls."""
    prepared = book.run(f"place, interrupts = {place!r}, {interrupts}\nran.clear()\nget_session().outcomes.clear()")
    assert prepared.status == "ok", prepared
    cell = book.start(code)
    for n in range(interrupts):
        cell.wait_text(f"at {place} {n}.")
        book.kernel.interrupt()
    cell.wait()
    book.run("place = ''")
    return cell, json.loads(book.value("report()"))


def check_cell(cell: Execution) -> None:
    assert cell.error == INTERRUPTED
    error = next(o for o in cell.outputs if o["output_type"] == "error")
    assert error["traceback"] == [INTERRUPTED]


def check_works(book: Notebook) -> None:
    """The Interrupt was the cell's alone."""
    assert book.run("y = %tool mark again").status == "ok"
    assert book.value("y.status, ran[-1]") == "ok again"


@pytest.mark.parametrize(
    "place, tool",
    [(place, "mark") for place in ("the start of the call", *STAGE_NAMES[:CALL_INDEX])]
    + [("permission", "mark_on_main")],
)
def test_before_the_tool_runs(book: Notebook, form: str, place: str, tool: str) -> None:
    cell, seen = interrupt_at(book, place, FORMS[form].format(tool=tool))
    check_cell(cell)
    following = STAGE_NAMES[STAGE_NAMES.index(place) + 1 if place in STAGE_NAMES else 0]
    assert seen["ran"] == [] and seen["status"] == "interrupted"
    assert seen["stages"][-1] == [following, "interrupted"]
    assert all(status in ("ok", "skipped") for _, status in seen["stages"][:-1])
    if form != "session":
        assert "interrupted" in record(cell)
    check_works(book)


def test_in_a_hook_before(book: Notebook, form: str) -> None:
    cell, seen = interrupt_at(book, "a hook before", FORMS[form].format(tool="mark"))
    check_cell(cell)
    assert seen["ran"] == [] and seen["status"] == "interrupted"
    assert seen["stages"][-1][1] == "interrupted" and seen["stages"][-1][0] in ("pre_hooks", "permission")


@pytest.mark.parametrize("place", ["call", "a hook after", "post_hooks"])
def test_after_the_tool_ran_its_result_is_kept(book: Notebook, form: str, place: str) -> None:
    cell, seen = interrupt_at(book, place, FORMS[form].format(tool="mark"))
    check_cell(cell)
    assert seen["ran"] == ["hello"] and seen["status"] == "interrupted" and "hello" in seen["block"]
    stages = dict(seen["stages"])
    assert stages["map_result"] == "ok" and (place != "call" or stages["post_hooks"] == "interrupted")
    check_works(book)


@pytest.mark.parametrize("place", ["map_result", "the end of the call"])
def test_once_there_is_a_result_the_cell_ends_all_the_same(book: Notebook, form: str, place: str) -> None:
    cell, seen = interrupt_at(book, place, f"{FORMS[form].format(tool='mark')}\nz = 'the next line'")
    check_cell(cell)
    assert seen["ran"] == ["hello"] and seen["status"] == "ok"
    assert book.value("'z' in dir()") == "False"


@pytest.mark.parametrize("form", ["awaited", "blocking"])
def test_while_the_record_is_made(book: Notebook, form: str) -> None:
    cell, seen = interrupt_at(book, "the record", FORMS[form].format(tool="mark"))
    check_cell(cell)
    assert seen["ran"] == ["hello"] and "ok" in record(cell)


@pytest.mark.parametrize("form", ["awaited", "blocking"])
def test_a_second_interrupt_does_not_wait_for_the_record(book: Notebook, form: str) -> None:
    code = f"{FORMS[form].format(tool='mark')}"
    prepared = book.run("stay_once = stay\ndef stay(place, interrupts):\n    stay_once(place, 2)\n    time.sleep(600)")
    assert prepared.status == "ok"
    cell, _ = interrupt_at(book, "the record", code, interrupts=2)
    check_cell(cell)
    book.run("stay = stay_once")
    check_works(book)


def test_before_the_call_is_handed_over(book: Notebook, form: str) -> None:
    cell, seen = interrupt_at(book, "the handing over", FORMS[form].format(tool="mark"))
    check_cell(cell)
    assert seen["ran"] == [] and seen["calls"] == 0
    if form != "session":
        assert "not started" in record(cell)
    check_works(book)


def test_in_a_question_on_a_line(book: Notebook) -> None:
    book.run("get_session().outcomes.clear()")
    code = "def call():\n    return get_ipython().run_line_magic('tool', 'note hello')\nx = call()"

    def press(prompt: str, password: bool) -> str:
        book.kernel.interrupt()
        book.kernel.pump_until(lambda: cell.reply is not None or cell.error, 30, "the end of the cell")
        return "y"

    cell = book.kernel.start(code, on_input=press)
    cell.wait()
    check_cell(cell)
    seen = json.loads(book.value("report()"))
    assert seen["status"] == "interrupted" and "call" not in dict(seen["stages"])
    check_works(book)


@pytest.mark.parametrize("form", ["awaited", "session"])
def test_in_the_cell_s_own_code_before_the_call(book: Notebook, form: str) -> None:
    cell, seen = interrupt_at(book, "own code", f"here('own code')\n{FORMS[form].format(tool='mark')}")
    check_cell(cell)
    assert seen["ran"] == [] and seen["calls"] == 0


@pytest.mark.parametrize("form", ["awaited", "session"])
def test_code_that_goes_on_after_an_interrupt_calls_nothing(book: Notebook, form: str) -> None:
    caught = "try:\n    await asyncio.sleep(60)\nexcept asyncio.CancelledError:\n    print('goes on')"
    call = FORMS[form].format(tool="mark")
    cell, seen = interrupt_at(book, "own code", f"here('own code')\n{caught}\n{call}")
    check_cell(cell)
    assert "goes on" in cell.text and seen["ran"] == [] and seen["calls"] == 0
    check_works(book)


def test_calls_side_by_side_do_not_begin(book: Notebook) -> None:
    call = "get_session().call('mark', {'text': 'hello'})"
    cell, seen = interrupt_at(book, "own code", f"here('own code')\nawait asyncio.gather({call}, {call})")
    assert cell.status == "error" and seen["ran"] == [] and seen["calls"] == 0
    check_works(book)


# ---- the first call of a kernel

APPROVED = {"permissions": {"allow": ["Bash(touch marker)"]}}
CLOCK = """
import time
from jupyter_agenttools.notebook import get_session, sigint
heard, made = [], sigint.CellInterrupts

class Timed(made):
    def __setattr__(self, name, value):
        if name == "count" and value:
            heard.append(time.perf_counter())
        super().__setattr__(name, value)

sigint.CellInterrupts = Timed

def began():
    # When the tool began, by the clock of `heard`; None when it never did.
    from jupyter_agenttools.pipeline.run_call import EPOCH
    calls = [e for o in get_session().outcomes for e in o.events if e.stage == "call"]
    return calls[0].started - EPOCH if calls else None
"""


@pytest.fixture
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KernelSession]:
    """A kernel in which nothing but the extension has been imported."""
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(APPROVED))
    python = ipykernel_env(request.param)
    with KernelSession(python, env={"JUPYTER_AGENTTOOLS_SETTINGS": str(settings)}) as kernel:
        assert kernel.run("%load_ext jupyter_agenttools").status == "ok"
        yield kernel


@pytest.mark.parametrize("fresh", VERSIONS, indirect=True)
@pytest.mark.parametrize("module", ["pydantic", "jupyter_agenttools.notebook.tool_command"])
def test_while_the_first_call_imports(fresh: KernelSession, module: str) -> None:
    watch = "from jupyter_agenttools.notebook.when_imported import when_imported"
    spied = fresh.run(f"{SPY}\n{watch}\nwhen_imported({module!r}, lambda: stay('an import'))")
    assert spied.status == "ok", spied
    cell = fresh.start("x = %tool Bash touch marker").wait_text("at an import 0.")
    fresh.interrupt()
    assert cell.wait().error == INTERRUPTED
    assert not Path(fresh.cwd, "marker").exists()
    assert fresh.run("x = %tool Bash touch marker").status == "ok"
    assert Path(fresh.cwd, "marker").exists()


@pytest.mark.parametrize("fresh", VERSIONS, indirect=True)
@pytest.mark.parametrize("delay_s", [0.05, 0.3, 0.7, 1.2, 2.0])
def test_a_command_never_begins_after_an_interrupt(fresh: KernelSession, delay_s: float) -> None:
    """Whenever it comes in a cold start: the command began before the kernel heard of it, or never."""
    assert fresh.run(CLOCK).status == "ok"
    cell = fresh.start("x = %tool Bash touch marker")
    time.sleep(delay_s)  # the moment is what is varied here
    fresh.interrupt()
    cell.wait()
    text = fresh.run("import json; print(json.dumps([heard[:1], began()]))").text
    heard, began = json.loads(text)
    marked = Path(fresh.cwd, "marker").exists()
    if heard:
        assert cell.error == INTERRUPTED, cell
        assert not marked or (began is not None and began < heard[0])
    else:  # it came before the cell's code, or after its end
        assert marked == (cell.status == "ok")
