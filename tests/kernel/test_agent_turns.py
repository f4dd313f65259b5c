"""A turn in its cell: streaming, parallel reads, a question, saying something, an interrupt in the middle."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from tests.kernel.notebooks import Notebook, notebook, record
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.kernel

LOOKS = '''
import anyio, time
from jupyter_agenttools import ScriptedModel, tool
from jupyter_agenttools.notebook import get_session
began = {}

@tool(is_read_only=True, is_concurrency_safe=True)
async def look(text: str) -> str:
    """Only looks, for a moment."""
    began[text] = time.monotonic()
    await anyio.sleep(0.4)
    began[text + " over"] = time.monotonic()
    return f"<{text}>"
'''


@pytest.fixture(scope="module", params=["6.31.0", "7.4.0"])
def book(request: pytest.FixtureRequest) -> Iterator[Notebook]:
    with notebook(ipykernel_env(request.param)) as book:
        assert book.run(LOOKS).status == "ok"
        yield book


def set_model(book: Notebook, *turns: object, delay_s: float = 0.02) -> None:
    ran = book.run(f"get_session().model = ScriptedModel({list(turns)!r}, delay_s={delay_s})")
    assert ran.status == "ok", ran


def test_a_streaming_turn_with_parallel_looks_and_a_question(book: Notebook) -> None:
    looks = [{"name": "look", "input": {"text": text}} for text in "abc"]
    noted = {"name": "note", "input": {"text": "keep"}}
    set_model(book, {"text": "I look around first. " * 5, "tool_uses": [*looks, noted]}, "All **done**.")
    cell = book.start("%%agent\nlook around, then note")
    book.kernel.pump_until(lambda: "I look around" in book.page.text(), 20, "the text while it streams")
    assert cell.status == "running"
    book.click("Allow once")
    text = record(cell.wait())
    assert [text.index(f"<{each}>") for each in "abc"] == sorted(text.index(f"<{each}>") for each in "abc")
    assert text.index("<c>") < text.index("KEEP") < text.index("All **done**.")
    overlap = "max(began[t] for t in 'abc') < min(began[t + ' over'] for t in 'abc')"
    assert book.value(overlap) == "True", "the looks ran beside each other"
    assert len(cell.outputs) == 1 and not book.page.models


def test_saying_something_in_the_field_below(book: Notebook) -> None:
    heard = "lambda messages: 'I heard: ' + messages[-1].text"
    book.run(
        "note = {'name': 'note', 'input': {'text': 'x'}}\n"
        f"get_session().model = ScriptedModel([{{'text': 'Wait.', 'tool_uses': [note]}}, {heard}])"
    )
    cell = book.start("%%agent\nwork")
    book.page.wait_button("Allow once")
    field = book.kernel.pump_until(lambda: find(book, "Tell the model"), 20, "the field")
    for number, words in enumerate(("please be short", "and use English")):
        book.page.set_value(field, words)
        if number:
            book.click("Send")
        else:
            book.page.send_custom(field.comm_id, {"event": "submit"})  # Enter
        book.kernel.pump_until(lambda words=words: f"Said: {words}" in book.page.text(), 10, "the echo")
        assert field.state["value"] == "", "the field is free for the next"
    book.click("Allow once")
    text = record(cell.wait())
    assert "I heard: " in text and text.count("please be short") >= 2 and "and use English" in text
    assert not book.page.models


def find(book: Notebook, description: str):
    try:
        return book.page.find(description)
    except LookupError:
        return None


def test_after_an_interrupt_in_the_middle_of_a_text_the_conversation_goes_on(book: Notebook) -> None:
    set_model(book, "one two three four five six seven eight nine ten " * 40, delay_s=0.05)
    cell = book.start("%%agent\ncount")
    book.kernel.pump_until(lambda: "three" in book.page.text(), 20, "the text while it streams")
    began = time.monotonic()
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    assert time.monotonic() - began < 10
    assert "interrupted" in record(cell) and "one two three" in record(cell) and not book.page.models
    set_model(book, "Going on.")
    assert "Going on." in record(book.run("%%agent\ngo on"))
    roles = json.loads(book.value("__import__('json').dumps([m.role for m in get_session().messages][-4:])"))
    assert roles == ["user", "assistant", "user", "assistant"]


def test_after_an_interrupt_in_a_question_every_call_has_its_result(book: Notebook) -> None:
    calls = [{"name": "note", "input": {"text": text}} for text in "ab"]
    set_model(book, {"text": "Two.", "tool_uses": calls}, "Never said.")
    cell = book.start("%%agent\nnote twice")
    book.page.wait_button("Allow once")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    pairs = (
        "(lambda b: sorted(x.id for x in b if x.type == 'tool_use') == "
        "sorted(x.tool_use_id for x in b if x.type == 'tool_result'))"
        "([x for m in get_session().messages for x in m.content])"
    )
    assert book.value(pairs) == "True"
    set_model(book, "Going on.")
    assert "Going on." in record(book.run("%%agent\ngo on"))
