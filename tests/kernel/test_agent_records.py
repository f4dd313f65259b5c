"""Run All is safe: a cell whose turn is recorded shows the record, and the model is not asked again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest

from tests.kernel.notebooks import TOOLS, TRACE_MIME_TYPE, Notebook, notebook, record
from tests.kernel.test_kernel_lab_page import Page
from tests.support.executions import Execution

pytestmark = pytest.mark.kernel

COUNTED = """
from jupyter_agenttools import ScriptedModel
from jupyter_agenttools.notebook import get_session
from pathlib import Path

def counted(*turns):
    def ask(messages):
        asked = Path("asked.txt")
        asked.write_text((asked.read_text() if asked.exists() else "") + messages[-1].text + "\\n")
        return turns[min(len(asked.read_text().splitlines()), len(turns)) - 1]
    return ScriptedModel([ask] * 20)
"""
MODEL = "get_session().model = counted('First **answer**.', 'Second answer.', 'Third answer.')"
NOT_AGAIN = "Not run again"


class Saved(Notebook):
    """A notebook with a file: each cell that is run is saved into it, as a front end would."""

    def __init__(self, path: Path, **options: Any) -> None:
        super().__init__(**options)
        self.path = path
        self.cells: dict[str, dict[str, Any]] = {}
        self.save()

    def save(self) -> None:
        self.path.write_text(
            json.dumps({"cells": list(self.cells.values()), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        )

    def cell(self, id: str, code: str, *, saved: bool = True) -> Execution:
        ran = self.kernel.start(code, allow_stdin=True, metadata={"cellId": id}).wait()
        if saved:
            outputs = [{name: value for name, value in o.items() if name != "display_id"} for o in ran.outputs]
            self.cells[id] = {"id": id, "cell_type": "code", "source": code, "outputs": outputs}
            self.save()
        return ran

    @property
    def asked(self) -> list[str]:
        """What the model was asked, each time that it was."""
        path = self.kernel.cwd / "asked.txt"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"JPY_SESSION_NAME": str(tmp_path / "work.ipynb"), "JUPYTER_AGENTTOOLS_HOME": str(tmp_path / "home")}


@pytest.fixture
def book(tmp_path: Path, environment: dict[str, str], start_kernel) -> Iterator[Saved]:
    (tmp_path / "work.ipynb").write_text("{}")
    book = Saved(tmp_path / "work.ipynb", kernel=start_kernel(env=environment))
    assert book.run(COUNTED + MODEL).status == "ok"
    yield book


def restarted(book: Saved) -> None:
    """The same notebook in a fresh kernel."""
    book.kernel.restart()
    assert book.run(f"%load_ext jupyter_agenttools\n{TOOLS}{COUNTED}{MODEL}").status == "ok"


def test_a_recorded_cell_asks_nobody(book: Saved) -> None:
    first = book.cell("aa", "%%agent\nlook at it")
    html = first.data("text/html")
    again = book.cell("aa", "%%agent\nlook at it")
    assert book.asked == ["look at it"] and NOT_AGAIN in again.text and "--rerun" in again.text
    assert "First **answer**." in record(again) and again.data("text/html")[-1:] == html, "it looks as it did"
    assert book.value("_.reason, _.text") == "end_turn First **answer**."
    for _ in range(2):
        again = book.cell("aa", "%%agent\nlook at it")
        assert again.text.count(NOT_AGAIN) == 1, "nothing is added each time"
    assert len(book.asked) == 1


def test_a_restarted_kernel_goes_on_from_what_is_recorded(book: Saved) -> None:
    book.cell("aa", "%%agent\nlook at it")
    restarted(book)
    assert NOT_AGAIN in book.cell("aa", "%%agent\nlook at it").text
    assert book.value("[m.text for m in get_session().messages]") == "['look at it', 'First **answer**.']"
    book.cell("aa", "%%agent\nlook at it")
    assert book.value("len(get_session().messages)") == "2", "the turn is in the conversation once"
    book.cell("bb", "%%agent\nand now?")
    assert book.asked == ["look at it", "and now?"]
    roles = book.value("[m.role for m in get_session().messages]")
    assert roles == "['user', 'assistant', 'user', 'assistant']"


def test_the_messages_of_the_turn_with_its_calls_come_back(book: Saved) -> None:
    book.run("get_session().model = counted({'tool_uses': [{'name': 'peek', 'input': {'text': 'a'}}]}, 'Seen.')")
    book.cell("aa", "%%agent\nlook at it")
    before = book.value("[(m.role, [b['type'] for b in m.content]) for m in get_session().messages]")
    restarted(book)
    again = book.cell("aa", "%%agent\nlook at it")
    assert "<a>" in record(again) and "tool_use" in before and "tool_result" in before
    assert book.value("[(m.role, [b['type'] for b in m.content]) for m in get_session().messages]") == before


def test_what_asks_for_a_new_answer(book: Saved) -> None:
    book.cell("aa", "%%agent\nlook at it")
    changed = book.cell("aa", "%%agent\nlook at it again")
    asked = book.cell("aa", "%%agent --rerun\nlook at it again")
    assert NOT_AGAIN not in changed.text + asked.text
    assert book.asked == ["look at it", "look at it again", "look at it again"]
    kept = book.cell("aa", "%%agent\nlook at it again")
    assert NOT_AGAIN in kept.text and "Third answer." in record(kept), "the newest of the two"
    assert NOT_AGAIN in book.cell("aa", "%%agent\nlook at it").text, "an earlier text has its record too"
    assert len(book.asked) == 3


def test_a_notebook_that_was_not_saved(book: Saved) -> None:
    book.cell("aa", "%%agent\nlook at it", saved=False)
    restarted(book)
    assert NOT_AGAIN in book.cell("aa", "%%agent\nlook at it", saved=False).text
    other = book.cell("bb", "%%agent\nlook at it", saved=False)
    assert NOT_AGAIN not in other.text and len(book.asked) == 2, "another cell has its own turn"


def test_outputs_that_were_taken_away_and_saved_are_forgotten_with_the_kernel(book: Saved) -> None:
    """A front end that saves while it runs all cells has taken their outputs away; that alone forgets nothing."""
    book.cell("aa", "%%agent\nlook at it")
    kept, book.cells["aa"]["outputs"] = book.cells["aa"]["outputs"], []
    book.save()
    assert NOT_AGAIN in book.cell("aa", "%%agent\nlook at it", saved=False).text, "in the same kernel"
    book.cells["aa"]["outputs"] = kept
    book.save()
    restarted(book)
    book.cells["aa"]["outputs"] = []
    book.save()
    assert NOT_AGAIN in book.cell("aa", "%%agent\nlook at it", saved=False).text, "it was there when the kernel began"
    restarted(book)
    assert NOT_AGAIN not in book.cell("aa", "%%agent\nlook at it").text and len(book.asked) == 2


def test_another_notebook_has_its_own_turns(book: Saved, tmp_path: Path, environment, start_kernel) -> None:
    book.cell("aa", "%%agent\nlook at it")
    environment["JPY_SESSION_NAME"] = str(tmp_path / "copy.ipynb")
    (tmp_path / "copy.ipynb").write_text("{}")
    copy = Saved(tmp_path / "copy.ipynb", kernel=start_kernel(env=environment))
    copy.run(COUNTED + MODEL)
    assert NOT_AGAIN not in copy.cell("aa", "%%agent\nlook at it").text and len(copy.asked) == 1


def test_each_of_two_notebooks_of_one_kernel_has_its_own(book: Saved, tmp_path: Path) -> None:
    asked = "%%agent\ngo on"
    other = tmp_path / "other.ipynb"
    book.cell("c1", asked)
    restarted(book)
    other.write_text(book.path.read_text())
    book.cells.clear()
    book.save()  # the kernel began with this one, and it has no record
    page = Page(book)
    page.say("hello", since=1, serverRoot=str(tmp_path), own="other.ipynb", visible=True, documents=[])
    assert NOT_AGAIN in book.cell("c1", asked, saved=False).text and book.asked == ["go on"]


def test_errors_and_interrupts_are_no_records(book: Saved) -> None:
    book.run("def broken(messages): raise RuntimeError('no connection')\nget_session().model = ScriptedModel([broken])")
    assert "no connection" in book.cell("aa", "%%agent\nlook at it").text
    book.run("get_session().model = counted({'tool_uses': [{'name': 'wait', 'input': {'seconds': 30}}]}, 'Done.')")
    cell = book.kernel.start("%%agent\nlook at it", allow_stdin=True, metadata={"cellId": "aa"})
    book.click("Allow once")
    book.page.wait_button("Stop")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    book.run(MODEL)
    assert NOT_AGAIN not in book.cell("aa", "%%agent\nlook at it").text and len(book.asked) == 2


def test_beside_a_turn_in_the_background_a_record_is_only_shown(book: Saved) -> None:
    book.cell("aa", "%%agent\nlook at it")
    restarted(book)
    script = json.dumps([{"tool_uses": [{"name": "note", "input": {"text": "x"}}]}, "Over."])
    behind = book.cell("bb", f"%%agent --background --script -\n{script}", saved=False)
    book.page.wait_button("Allow once")
    shown = book.cell("aa", "%%agent\nlook at it")
    assert NOT_AGAIN in shown.text and "no part of the conversation now" in shown.text
    book.click("Allow once")
    book.kernel.pump_until(lambda: "Over." in behind.text, 20, "the record")
    while "is over after" not in book.run("pass").text:
        pass
    book.cell("aa", "%%agent\nlook at it")
    assert book.value("[m.text for m in get_session().messages][-3:]") == "['Over.', 'look at it', 'First **answer**.']"
    assert len(book.asked) == 1


def test_a_turn_in_the_background_is_recorded_too(book: Saved) -> None:
    cell = book.kernel.start("%%agent --background\nlook at it", allow_stdin=True, metadata={"cellId": "aa"}).wait()
    book.kernel.pump_until(lambda: "First **answer**." in cell.text, 20, "the record")
    assert NOT_AGAIN in book.cell("aa", "%%agent --background\nlook at it").text and len(book.asked) == 1


def test_a_script_that_changed_is_played(book: Saved) -> None:
    (book.kernel.cwd / "script.json").write_text('["one"]')
    book.cell("aa", "%%agent --script script.json\ngo")
    assert NOT_AGAIN in book.cell("aa", "%%agent --script script.json\ngo").text
    (book.kernel.cwd / "script.json").write_text('["two"]')
    assert "two" in record(book.cell("aa", "%%agent --script script.json\ngo"))


def test_a_record_from_another_machine_is_shown_by_our_own_means(book: Saved, tmp_path: Path) -> None:
    book.cell("aa", "%%agent\nlook at it")
    (tmp_path / "home").rename(tmp_path / "away")
    for output in book.cells["aa"]["outputs"]:
        output["data"]["text/html"] = "<script>window.PWN = 1</script>"
    book.save()
    restarted(book)
    again = book.cell("aa", "%%agent\nlook at it")
    assert NOT_AGAIN in again.text and "window.PWN" not in json.dumps(again.outputs)
    assert "<strong>answer</strong>" in again.data("text/html")[-1] and len(book.asked) == 1
    assert "from another machine or person" in again.text and book.value("get_session().messages") == "()"
    assert NOT_AGAIN in book.cell("aa", "%%agent\nlook at it").text
    book.cell("aa", "%%agent --rerun\nlook at it")
    assert "another machine" not in book.cell("aa", "%%agent\nlook at it").text and len(book.asked) == 2
    assert book.value("len(get_session().messages)") == "2"


# ---- programs that run notebooks


def unattended(tmp_path: Path, *cells: str) -> Path:
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(c) for c in (f"%load_ext jupyter_agenttools\n{COUNTED}{MODEL}", *cells)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(book, tmp_path / "in.ipynb")
    return tmp_path / "in.ipynb"


def asked(tmp_path: Path) -> list[str]:
    return (tmp_path / "asked.txt").read_text().splitlines()


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)


def executed(*command: str, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, env=dict(os.environ), capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.usefixtures("own_home")
def test_nbconvert_runs_it_once(tmp_path: Path) -> None:
    """Two cells of one text are two cells, and each has its own record."""
    path = unattended(tmp_path, "%%agent\ngo on", "%%agent\ngo on")
    convert = ("nbconvert", "--to", "notebook", "--inplace", "--execute", str(path))
    executed(*convert, cwd=tmp_path)
    assert asked(tmp_path) == ["go on", "go on"]
    executed(*convert, cwd=tmp_path)
    done = nbformat.read(path, as_version=4)
    assert asked(tmp_path) == ["go on", "go on"]
    shown = [json.dumps(cell.outputs) for cell in done.cells[1:]]
    assert all(NOT_AGAIN in each for each in shown) and "First" in shown[0] and "Second" in shown[1]


@pytest.mark.usefixtures("own_home")
def test_papermill_runs_it_once(tmp_path: Path) -> None:
    path = unattended(tmp_path, "%%agent\ngo on")
    executed("papermill", "--cwd", str(tmp_path), str(path), "out.ipynb", cwd=tmp_path)
    assert asked(tmp_path) == ["go on"]
    executed("papermill", "--cwd", str(tmp_path), "out.ipynb", "again.ipynb", cwd=tmp_path)
    papermill.execute_notebook(  # called from Python it is on no command line, and has to be told of its input
        str(tmp_path / "again.ipynb"),
        str(tmp_path / "third.ipynb"),
        cwd=tmp_path,
        progress_bar=False,
        parameters={"PAPERMILL_INPUT_PATH": str(tmp_path / "again.ipynb")},
    )
    assert asked(tmp_path) == ["go on"]
    for name in ("again.ipynb", "third.ipynb"):
        done = nbformat.read(tmp_path / name, as_version=4)
        (shown,) = [cell.outputs for cell in done.cells if cell.source.startswith("%%agent")]
        assert NOT_AGAIN in json.dumps(shown) and any(TRACE_MIME_TYPE in output.data for output in shown)


def test_a_console_has_no_records() -> None:
    with notebook(renders=False, env={"JPY_SESSION_NAME": ""}) as book:
        for _ in range(2):
            assert NOT_AGAIN not in book.run('%%agent --script -\n["Hello."]').text
