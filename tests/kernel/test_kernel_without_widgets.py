"""Where no widget can be answered: sync paths, consoles, headless runs, a plain terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import papermill
import pexpect
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.kernel.notebooks import TOOLS, TRACE_MIME_TYPE, Notebook, notebook, record
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

LOAD = f"%load_ext jupyter_agenttools\n{TOOLS}"


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        yield book


class Typist:
    """Answers ``input()`` with one line after the other."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    def __call__(self, prompt: str, password: bool) -> str:
        return self._lines.pop(0)


# ---- cells that cannot await


@pytest.mark.parametrize(
    "cell",
    [
        "def f():\n    x = %tool note hello\n    return x\nx = f()",
        "%time x = %tool note hello",
        "%%time\nx = %tool note hello",
        "x = [get_ipython().run_line_magic('tool', 'note hello') for _ in range(1)][0]",
        "def f():\n    return get_ipython().run_cell_magic('tool', 'note', 'hello\\n')\nx = f()",
        "async def f():\n    x = %tool note hello\n    return x\nx = await f()",
    ],
)
def test_a_call_that_cannot_await_asks_in_a_line(book: Notebook, cell: str) -> None:
    ran = book.kernel.run(cell, on_input=Typist("y"))
    assert ran.status == "ok" and "HELLO" in record(ran), ran
    assert "No buttons can be shown" in ran.text
    assert ran.prompts and ran.prompts[0].startswith("Allow note? [y = allow once")
    assert book.value("x.status") == "ok" and not book.page.models


def test_under_capture_it_asks_too(book: Notebook) -> None:
    ran = book.kernel.run("%%capture out\nx = %tool note hello", on_input=Typist("y"))
    assert ran.status == "ok" and book.value("x.status") == "ok"
    assert book.value("any('HELLO' in o.data['text/plain'] for o in out.outputs)") == "True"


def test_a_long_call_that_cannot_await_shows_progress_and_can_be_interrupted(book: Notebook) -> None:
    source = "def f():\n    x = %tool wait seconds=30\nf()"
    cell = book.kernel.start(source, on_input=Typist("y"), metadata={"cellId": "a"})
    book.kernel.pump_until(lambda: "Running wait" in book.page.text(), 10, "progress")
    assert not book.page.buttons(), "a Stop button could not be heard"
    book.kernel.interrupt()
    assert cell.wait(10).error == "KeyboardInterrupt: interrupted"
    assert "interrupted" in record(cell) and not book.page.models


# ---- answers in a line


def test_a_console_is_asked_in_a_line_when_no_widget_is_shown() -> None:
    with notebook(renders=False) as book:
        ran = book.kernel.run("x = %tool note hello", on_input=Typist("what", "n not today"))
        assert "denied" in record(ran) and "not today" in record(ran)
        assert "'what' is no answer" in ran.text and not book.page.models
        edited = book.kernel.run("x = %tool note hello", on_input=Typist("e", "other"))
        assert "OTHER" in record(edited)
        always = Typist("a", "note(((", "both", "note", "y", "nowhere", "session")
        assert "HELLO" in record(book.kernel.run("x = %tool note hello", on_input=always))
        assert book.run("x = %tool note again").status == "ok"


def test_a_console_sees_every_record() -> None:
    """A console prints what is displayed and nothing that is updated."""
    with notebook(renders=False) as book:
        for cell, on_input in (
            ("%tool peek quick", None),
            ("%tool wait seconds=1", Typist("y")),
            ("%tool note asked", Typist("y")),
            ("def f():\n    x = %tool wait seconds=1\nf()", Typist("y")),
            ('%%agent --script -\n["Hello."]', None),
        ):
            ran = book.kernel.run(cell, on_input=on_input, allow_stdin=True)
            displayed = [m.message["content"] for m in ran.messages if m.message["msg_type"] == "display_data"]
            assert any(TRACE_MIME_TYPE in content["data"] for content in displayed), cell


def test_several_questions_are_asked_one_after_the_other() -> None:
    script = '%%agent --script -\n[{"tool_uses": [' + ", ".join(
        f'{{"name": "both", "input": {{"text": "{word}"}}}}' for word in ("one", "two", "three")
    )
    with notebook(renders=False) as book:
        cell = book.kernel.run(script + ']}, "Done."]', on_input=Typist("y", "n", "y"))
        assert cell.status == "ok" and len(cell.prompts) == 3
        assert record(cell).count("✓ ok") == 2 and record(cell).count("denied  ") == 1


def test_stepping_in_a_line() -> None:
    with notebook(renders=False) as book:
        ran = book.kernel.run("x = %tool --step peek hello", on_input=Typist("n", "?", "e", '{"text": "other"}', "r"))
        assert "<other>" in record(ran) and "'?' is no choice here" in ran.text
        ran = book.kernel.run("x = %tool --step peek hello", on_input=Typist("a"))
        assert "denied" in record(ran)


# ---- nobody there


def test_headless_denies_at_once_and_names_the_rule(book: Notebook) -> None:
    ran = book.kernel.run("x = %tool note hello")
    text = record(ran)
    assert ran.status == "ok" and "denied" in text
    told = book.value("x.text")
    assert "takes no input" in told and '"note"' in told and "permissions.allow" in told
    assert not any(m.message["msg_type"].startswith("comm") for m in ran.messages), "no widget at all"
    stepped = book.kernel.run("x = %tool --step peek hello")
    assert "<hello>" in record(stepped)


def test_nbclient_and_papermill_run_to_the_end(tmp_path: Path) -> None:
    cells = [
        LOAD,
        "x = %tool note hello",
        "def f():\n    return get_ipython().run_line_magic('tool', 'note hi')",
        "f()",
    ]
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in [*cells, "print(x.status)"]],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(book, tmp_path / "in.ipynb")
    papermill.execute_notebook(tmp_path / "in.ipynb", tmp_path / "out.ipynb", progress_bar=False, cwd=tmp_path)
    done = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert done.cells[-1].outputs[0].text == "denied\n"
    NotebookClient(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert book.cells[-1].outputs[0].text == "denied\n"
    assert [o.output_type for o in book.cells[1].outputs] == ["display_data"]
    assert [o.output_type for o in book.cells[3].outputs] == ["display_data"], "not shown twice"
    assert "widgets" not in book.metadata


def test_a_mistake_stops_run_all() -> None:
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in [LOAD, "%tool Nope", "1"]],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    with pytest.raises(CellExecutionError, match="no tool is named 'Nope'"):
        NotebookClient(book, timeout=60).execute()
    assert book.cells[1].outputs[0].traceback[0].startswith("UsageError: %tool: no tool is named 'Nope'")


# ---- a plain terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn]:
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "TERM": "dumb"}
    options = ["--simple-prompt", "--no-banner", "--colors=NoColor", "--HistoryManager.enabled=False"]
    (tmp_path / "tools.py").write_text(TOOLS)
    child = pexpect.spawn(
        sys.executable, ["-m", "IPython", *options], cwd=tmp_path, env=env, encoding="utf-8", timeout=30, echo=False
    )
    child.expect(r"In \[1\]: ")
    for number, line in enumerate(["%load_ext jupyter_agenttools", "from tools import *"], 2):
        child.sendline(line)
        child.expect(rf"In \[{number}\]: ")
    yield child
    child.close(force=True)


def test_a_terminal_asks_and_shows_the_record_as_text(terminal: pexpect.spawn) -> None:
    terminal.sendline("%tool note hello")
    terminal.expect("Allow note\\?")
    terminal.sendline("y")
    terminal.expect(r"Out\[3\]: (.*)In \[4\]: ")
    assert "HELLO" in terminal.match.group(1) and terminal.match.group(1).count("HELLO") == 1
    terminal.sendline("x = %tool peek hello")
    terminal.expect(r"(.*)In \[5\]: ")
    assert "<hello>" in terminal.match.group(1)
    terminal.sendline("_.output, x.status")
    terminal.expect(r"Out\[5\]: \('HELLO', 'ok'\)")


def test_a_terminal_says_what_runs_and_takes_it_back(terminal: pexpect.spawn) -> None:
    terminal.sendline("x = %tool Bash sleep 1.5; echo over")
    terminal.expect(r"\rRunning sleep 1.5; echo over · 1 s")
    terminal.expect(r"\r +\r.*In \[4\]: ")  # the line is blank before the record comes
    terminal.sendline("x.status")
    terminal.expect(r"Out\[4\]: 'ok'")


def test_no_prompt_of_a_terminal_is_a_trap(terminal: pexpect.spawn) -> None:
    terminal.sendline("x = %tool Bash touch made")
    question = r"Allow Bash\? \[.*\? = help\] "
    terminal.expect(question)
    for line, *shown in (
        ("a", r"Rule to keep \[Enter = Bash\(touch made\), back\]: "),
        ("Bash", "allows every call of Bash", r"Keep it\? \[y, Enter = another rule, back\] "),
        ("no", r"Not kept\. Rule to keep "),
        ("back", "Nothing is decided yet about .*touch made", question),
        ("e", r"New command, or the whole input as JSON \[empty = back\]: "),
        ("", "Nothing is decided yet", question),
        ("w", "How it was judged:", r"  1\. ", question),
        ("y, but look first", "is no answer", "deny it and stop the turn", question),
    ):
        terminal.sendline(line)
        for text in shown:
            terminal.expect(text)
    terminal.sendline("s enough for today")
    terminal.expect(r"In \[4\]: ")
    terminal.sendline("x.status, x.decision.reason")
    terminal.expect(r"Out\[4\]: \('denied', 'enough for today'\)")


@pytest.mark.parametrize("letter", ["a", "e"])
def test_the_end_of_the_input_is_a_no_at_every_prompt(terminal: pexpect.spawn, letter: str) -> None:
    terminal.sendline("x = %tool Bash touch made")
    terminal.expect(r"Allow Bash\? .*\] ")
    terminal.sendline(letter)
    terminal.expect(r"back\]: ")
    terminal.sendeof()
    terminal.expect(r"In \[4\]: ")
    terminal.sendline("x.status, 'at its end' in x.text")
    terminal.expect(r"Out\[4\]: \('denied', True\)")
    terminal.sendline("x = %tool Bash touch made")
    terminal.expect(r"Allow Bash\? .*\] ")
    terminal.sendline(letter)
    terminal.expect(r"back\]: ")
    terminal.sendintr()
    terminal.expect("KeyboardInterrupt: interrupted")
    terminal.expect(r"In \[6\]: ")


def test_a_jupyter_console_asks_in_a_line(tmp_path: Path) -> None:
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "TERM": "dumb", "HOME": str(tmp_path)}
    command = ["-m", "jupyter_console", "--simple-prompt", "--no-confirm-exit"]
    child = pexpect.spawn(sys.executable, command, cwd=tmp_path, env=env, encoding="utf-8", timeout=60, echo=False)
    try:
        child.expect(r"In \[1\]: ")
        child.sendline("%load_ext jupyter_agenttools")
        child.expect(r"In \[2\]: ")
        child.sendline("x = %tool Bash touch made")
        for line, prompt in (("a", "Rule to keep"), ("back", "Nothing is decided yet"), ("n not here", "denied")):
            child.expect(r"Allow Bash\? .*\] " if line != "back" else r"back\]: ")
            child.sendline(line)
            child.expect(prompt)
        child.expect(r"In \[3\]: ")
    finally:
        child.close(force=True)
    assert not (tmp_path / "made").exists()


def test_a_terminal_is_interrupted(terminal: pexpect.spawn) -> None:
    terminal.sendline("%tool note hello")
    terminal.expect("Allow note\\?")
    terminal.sendintr()
    terminal.expect("KeyboardInterrupt: interrupted")
    terminal.expect(r"In \[4\]: ")
    terminal.sendline("%tool wait seconds=60")
    terminal.expect("Allow wait\\?")
    terminal.sendline("y")
    terminal.sendline("")
    terminal.sendintr()
    terminal.expect("KeyboardInterrupt: interrupted")
    terminal.expect(r"In \[5\]: ")
    terminal.sendline("x = %tool peek still")
    terminal.expect("<still>")
