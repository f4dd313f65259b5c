"""REPL in real kernels: the person's variables, figures, interrupts, other tools, and where things are printed."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from tests.kernel.notebooks import Notebook, notebook
from tests.support.executions import Execution
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

SETUP = """
from jupyter_agenttools.notebook import get_session
session = get_session()
session.modify_state(lambda state: __import__("dataclasses").replace(
    state, permission=state.permission.with_rule("allow", "session", "REPL")
))
answer = 42
async def repl(code, **more):
    global got
    got = await session.call("REPL", {"code": code, **more})
    print("GOT", got.status, got.text)
"""


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        assert book.run(SETUP).status == "ok"
        yield book


BEGUN = "open('begun', 'x').close()"


def begun(book: Notebook, code: str) -> Execution:
    """A cell in which REPL runs ``code``, which has come to the line :data:`BEGUN`."""
    mark = book.kernel.cwd / "begun"
    mark.unlink(missing_ok=True)
    cell = book.start(f"await repl({code!r}, timeout=60_000)")
    book.kernel.pump_until(mark.exists, 20, "the code")
    return cell


def repl(book: Notebook, code: str, more: str = "") -> str:
    cell = book.run(f"await repl({code!r}{more})")
    assert cell.status == "ok", cell.outputs
    return cell.text.partition("GOT ")[2]


def test_it_works_with_the_persons_variables_on_the_main_thread(book: Notebook) -> None:
    said = repl(
        book, "import threading\nmade = answer + 1\nprint(threading.current_thread() is threading.main_thread())\nmade"
    )
    assert said.startswith("ok True\n") and "43" in said
    assert book.value("made") == "43"


def test_history_and_the_last_value_of_the_notebook_stay(book: Notebook) -> None:
    book.run("'mine'")
    cells = int(book.value("len(In)"))
    repl(book, "'not mine'")
    assert book.value("_") == "mine"
    assert int(book.value("len(In)")) == cells + 3  # the cells between, and none for the code
    assert book.value("'not mine' in Out.values()") == "False"


def test_it_awaits_at_the_top(book: Notebook) -> None:
    assert repl(book, "import asyncio\nawait asyncio.sleep(0.01)\n'slept'").startswith("ok 'slept'")


def test_an_exception_shows_the_code_and_nothing_of_ours(book: Notebook) -> None:
    said = repl(book, "def f():\n    return 1 / 0\nf()")
    assert said.startswith("error ") and "ZeroDivisionError" in said and "return 1 / 0" in said
    assert "jupyter_agenttools" not in said


@pytest.mark.parametrize("line", ["!echo hi", "%cd /", "x = !ls", "%%bash\nls", "answer?"])
def test_lines_of_the_shell_are_no_way_around_bash(book: Notebook, line: str) -> None:
    said = repl(book, f"print('before')\n{line}")
    assert said.startswith("error ") and "Run commands with Bash" in said and "before\n" not in said


def test_what_is_displayed_is_seen_by_the_person_and_the_model(book: Notebook) -> None:
    cell = book.run("await repl(\"from IPython.display import display, HTML\\ndisplay(HTML('<b>bold</b> words'))\")")
    assert "<b>bold</b> words" in cell.data("text/html")
    assert "bold words" in cell.text.partition("GOT ok ")[2]


def test_standard_streams_come_back_and_late_prints_are_not_in_the_next_result(book: Notebook) -> None:
    streams = book.value("__import__('sys').stdout")
    code = (
        "import threading, sys\n"
        "ready, go = threading.Event(), threading.Event()\n"
        "def later():\n    print('at once', flush=True)\n    ready.set()\n"
        "    go.wait(10)\n    print('late', flush=True)\n"
        "t = threading.Thread(target=later); t.start(); ready.wait(10)\nsys.stdout = None"
    )
    assert "at once" in repl(book, code)
    assert book.value("__import__('sys').stdout") == streams
    said = repl(book, "go.set(); t.join(); 'done'")
    assert "'done'" in said


def test_a_busy_loop_is_interrupted_with_what_it_printed(book: Notebook) -> None:
    cell = begun(book, f"print('begun', flush=True)\n{BEGUN}\nwhile True: pass")
    began = time.monotonic()
    book.kernel.interrupt()
    cell.wait(20)
    assert time.monotonic() - began < 10
    assert cell.error.startswith("KeyboardInterrupt")
    assert book.value("session.outcomes[-1].status") == "interrupted"
    text = book.value("session.outcomes[-1].text")
    assert "begun" in text and "KeyboardInterrupt" in text
    assert book.value("1 + 1") == "2"


def test_a_sleep_and_an_await_are_interrupted(book: Notebook) -> None:
    for wait in ("import time; time.sleep(60)", "import asyncio; await asyncio.sleep(60)"):
        cell = begun(book, f"{BEGUN}\n{wait}")
        began = time.monotonic()
        book.kernel.interrupt()
        cell.wait(20)
        assert time.monotonic() - began < 10 and cell.error.startswith("KeyboardInterrupt")
        assert book.value("session.outcomes[-1].status") == "interrupted"


@pytest.mark.parametrize(
    "wait", ["while True: pass", "import time; time.sleep(60)", "import asyncio; await asyncio.sleep(60)"]
)
def test_its_time_ends_the_code_and_not_the_cell(book: Notebook, wait: str) -> None:
    began = time.monotonic()
    said = repl(book, f"print('first')\n{wait}", ", timeout=400")
    assert time.monotonic() - began < 10
    assert said.startswith("error first") and "400 ms were over" in said


def test_another_thread_can_stop_it(book: Notebook) -> None:
    cell = book.run(
        "import threading\n"
        "threading.Timer(0.5, session.interrupt, ['by a button']).start()\n"
        "await repl('while True: pass', timeout=60_000)"
    )
    assert cell.text.partition("GOT ")[2].startswith("interrupted ")


def test_input_is_asked_in_the_cell(book: Notebook) -> None:
    cell = book.kernel.run("await repl(\"'typed ' + input('name? ')\")", on_input=lambda prompt, _: "me")
    assert cell.prompts == ["name? "] and "'typed me'" in cell.text
    refused = book.kernel.run("await repl(\"input('name? ')\")", allow_stdin=False)
    assert "StdinNotImplementedError" in refused.text


def test_other_tools_are_functions_and_a_refusal_is_an_exception(book: Notebook) -> None:
    book.run("open('seen.txt', 'w').write('words in a file')\nimport os; seen = os.path.abspath('seen.txt')")
    said = repl(
        book,
        "r = await tools.Read(file_path=seen)\nprint(r.text)\nprint(tools[-1].output.lines, len(r.output.lines))\n"
        "kept = tools",
    )
    assert said.startswith("ok ") and "words in a file" in said
    assert book.value("'tools' in globals()") == "False"
    outside = book.run("await kept.Read(file_path=seen)")
    assert "only be used by code that REPL runs" in outside.error


def test_a_question_of_another_tool_is_answered_while_the_cell_waits(book: Notebook) -> None:
    cell = book.start("await repl('r = await tools.note(text=\"abc\")\\nr.text')")
    book.click("Allow once")
    cell.wait()
    assert "ABC" in cell.text.partition("GOT ")[2]
    cell = book.start(
        'await repl(\'try:\\n    await tools.note(text="abc")\\n'
        'except tools.DeniedError as error:\\n    print("caught", type(error).__name__)\')'
    )
    book.click("Deny", "Send denial")
    cell.wait()
    assert "caught PermissionDeniedError" in cell.text.partition("GOT ")[2]


def test_a_question_about_the_code_shows_all_of_it(book: Notebook) -> None:
    book.run(
        "session.modify_state(lambda state: __import__('dataclasses').replace(state, permission="
        "state.permission.with_rule('ask', 'session', 'REPL(*secret_word*)')))"
    )
    cell = book.start("await repl('secret_word = 1\\nsecret_word + 1')")
    book.click("Allow once")
    cell.wait()
    assert "GOT ok 2" in cell.text


def test_in_a_cell_that_cannot_await_plain_code_runs(book: Notebook) -> None:
    said = book.run("def f():\n    get_ipython().run_line_magic('tool', 'REPL answer + 2')\nf()")
    assert said.status == "ok" and "44" in str(said.outputs)


def test_the_magic_takes_code_on_the_line_and_in_the_body(book: Notebook) -> None:
    assert "44" in str(book.run("%tool REPL answer + 2").outputs)
    cell = book.run("%%tool REPL\nx = answer\nfor i in range(3):\n    x += i\nx")
    assert "45" in str(cell.outputs)


def test_code_does_not_end_the_kernel(book: Notebook) -> None:
    assert "SystemExit" in repl(book, "import sys; sys.exit(3)")
    assert book.value("answer") == "42"


def test_figures_and_pictures_reach_the_model_and_the_person() -> None:
    pytest.importorskip("matplotlib")
    with notebook() as book:
        assert book.run(SETUP).status == "ok"
        cell = book.run("await repl('import matplotlib.pyplot as plt\\nplt.plot([1, 2]);\\nprint(1)')")
        assert len(cell.data("image/png")) == 1
        kinds = "[block.type for block in got.block.content]"
        assert book.value(kinds) == "['text', 'image']"
        assert book.value("got.block.content[1].source['media_type']") == "image/png"
        book.run(
            "class Broken:\n    def _repr_png_(self): return b'no picture'\n    def __repr__(self): return 'broken one'"
        )
        assert "broken one" in repl(book, "Broken()")
        assert "left out" in book.value("got.text")


def test_in_repl_mode_the_model_sees_repl_and_code_has_the_primitives() -> None:
    with notebook(env={"JUPYTER_AGENTTOOLS_REPL_MODE": "1"}) as book:
        assert book.run(SETUP).status == "ok"
        names = book.value("[tool.name for tool in session.tools]")
        assert "'REPL'" in names and "'Read'" not in names and "'Bash'" not in names
        book.run(
            "from jupyter_agenttools.models import ScriptedModel\nfrom jupyter_agenttools.core import ToolUse\n"
            "open('here.txt', 'w').write('found it')\n"
            "code = \"import os\\nr = await tools.Read(file_path=os.path.abspath('here.txt'))\\n'found' in r.text\"\n"
            "model = ScriptedModel([[ToolUse('REPL', {'code': code})], 'done'])\n"
            "async for update in session.query('look', model=model):\n    last = update\n"
        )
        assert book.value("last.reason") == "end_turn"
        assert (
            book.value("[(o.tool_use.name, o.status) for o in session.outcomes]") == "[('Read', 'ok'), ('REPL', 'ok')]"
        )
        assert book.value("session.outcomes[-1].text") == "True"
        denied = book.kernel.run("await repl(\"await tools.Bash(command='touch made')\")")  # nobody can be asked here
        assert "PermissionDenied" in denied.text


def test_a_question_in_text_does_not_wait_for_the_code_that_waits_for_it() -> None:
    with notebook(renders=False) as book:
        assert book.run(SETUP).status == "ok"
        code = "r = await tools.note(text='abc')\nr.text"
        cell = book.kernel.run(f"await repl({code!r})", on_input=lambda prompt, _: "y")
        assert cell.prompts and "'ABC'" in cell.text.partition("GOT ok ")[2]


def test_variables_are_looked_at_while_a_cell_waits_and_while_the_kernel_is_idle(book: Notebook) -> None:
    looked = book.run("x_list = [1, 2]\nprint((await session.call('InspectVariable', {'name': 'x_list'})).text)")
    assert "[1, 2]" in looked.text
    assert "x_list" in book.run("print((await session.call('InspectVariable', {})).text)").text
    slow = (
        "class Slow:\n    def __repr__(self):\n        while True: pass\n"
        "import sys, types\nlibrary = types.ModuleType('torch')\n"
        "class Tensor:\n    __str__ = Slow.__repr__\n    shape = dtype = device = requires_grad = 1\n"
        "library.Size = Tensor; sys.modules['torch'] = library\nsize = Tensor()\n"
        "print((await session.call('InspectVariable', {'name': 'size'})).text)"
    )
    cell = book.run(slow)
    assert cell.status == "ok" and "took longer than 5 s" in cell.text, cell.text
    book.run("del sys.modules['torch']")


BACKGROUND = '''
import threading, concurrent.futures
runtime = session._runtime
def in_background(name, input):
    """A call that no cell waits for."""
    from jupyter_agenttools.session import Session
    return runtime.portal.start_soon(lambda: Session.call(session, name, input))
'''


def test_without_a_waiting_cell_code_runs_when_the_kernel_is_idle(book: Notebook) -> None:
    assert book.run(BACKGROUND).status == "ok"
    book.run("later = in_background('REPL', {'code': 'made_later = answer + 8\\nmade_later'})")
    assert book.value("later.result(5).text") == "50"
    assert book.value("made_later") == "50"
    book.run("later = in_background('REPL', {'code': 'while True: pass', 'timeout': 500})")
    assert "500 ms were over" in book.value("later.result(5).text")


BUSY = (
    "for i in range(4000):\n    print(i)\n    sum(range(20000))",
    "import asyncio\nfor i in range(2000):\n    print(i)\n    await asyncio.sleep(0.002)",
    "for i in range(2000):\n    await tools.peek(text='a')",
)


def test_an_interrupt_at_any_moment_leaves_everything_as_it_was(book: Notebook) -> None:
    """Whatever the code is in the middle of: its own lines, our recording of what it prints, another tool."""
    chance = random.Random(book.kernel.info.get("implementation_version", ""))
    look = (
        "import sys\nprint(type(sys.stdout).__name__, 'publish' in vars(get_ipython().display_pub), "
        "'tools' in globals(), session.outcomes[-1].status)"
    )
    repl(book, "1")
    for number in range(18):
        cell = book.start(f"await repl({BUSY[number % len(BUSY)]!r}, timeout=60_000)")
        time.sleep(0.1 + chance.random() * 0.2)
        book.kernel.interrupt()
        cell.wait(20)
        assert cell.error.startswith("KeyboardInterrupt")
        assert book.run(look).text.strip() == "OutStream False False interrupted"
