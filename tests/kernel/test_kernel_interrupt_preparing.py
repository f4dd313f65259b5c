"""An Interrupt while a turn is prepared: the first one ends a person's code and what is read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.notebooks import Notebook, notebook

pytestmark = pytest.mark.kernel

SLOW = """
import time
from jupyter_agenttools import ScriptedModel
from jupyter_agenttools.notebook import get_session

class Slow:
    made, seconds = 0, 0
    def __str__(self):
        Slow.made += 1
        print("made", flush=True)
        time.sleep(self.seconds)
        return f"text {Slow.made}"

slow = Slow()
asked = []
def answer(messages):
    asked.append(messages[-1].text)
    return "Done."
get_session().model = ScriptedModel([answer] * 3)
"""


@pytest.fixture(scope="module")
def book() -> Iterator[Notebook]:
    with notebook() as book:
        assert book.run(SLOW).status == "ok"
        yield book


AWAITED = "%%agent --expand\n{slow}"
BLOCKING = "def f():\n    get_ipython().run_cell_magic('agent', '--expand', '{slow}')\nf()"


@pytest.mark.parametrize("code", [AWAITED, BLOCKING], ids=["awaited", "blocking"])
def test_the_first_interrupt_ends_the_text_of_a_variable(book: Notebook, code: str) -> None:
    book.run("Slow.seconds = 20")
    cell = book.start(code)
    book.kernel.pump_until(lambda: "made" in cell.text, 20, "the variable's code")
    began = time.monotonic()
    book.kernel.interrupt()
    assert cell.wait(15).status == "error" and time.monotonic() - began < 10
    assert book.value("asked") == "[]"


def test_the_text_of_a_variable_is_made_once(book: Notebook) -> None:
    book.run("Slow.seconds = Slow.made = 0")
    assert book.run("%%agent --expand\n{slow}").status == "ok"
    assert book.value("Slow.made, asked") == "1 ['text 1']"


@pytest.mark.parametrize("option", ["--script", "--replay"])
def test_what_is_no_regular_file_is_not_read(book: Notebook, option: str) -> None:
    pipe = Path(book.kernel.cwd, "pipe")
    if not pipe.exists():
        os.mkfifo(pipe)
    cell = book.start(f"%%agent {option} pipe").wait(15)
    assert cell.status == "error" and "is no regular file" in cell.error


def test_a_name_that_no_file_can_have_is_said(book: Notebook) -> None:
    for line in ("--script a\0b", "--replay a\0b", "--record a\0b\ngo"):
        cell = book.run(f"%%agent {line}")
        assert "no file can have the name" in cell.error, cell
