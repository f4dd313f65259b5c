"""Turns of the agent as a person sees them: streaming, in the background, spoken to, run again, and played by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.test_notebook_in_browser import TRACE_MIME_TYPE, check_record, opened
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

TOOLS = '''
import anyio
from jupyter_agenttools import ScriptedModel, tool
from jupyter_agenttools.notebook import get_session

@tool
async def note(text: str) -> str:
    """Keep a note."""
    return text.upper()

@tool(is_read_only=True, is_concurrency_safe=True)
async def look(text: str) -> str:
    """Only looks, for a moment."""
    await anyio.sleep(0.3)
    return f"<{text}>"
'''
COUNTED = """
from pathlib import Path
def counted(messages):
    with open("asked.txt", "a") as asked:
        asked.write(messages[-1].text + "\\n")
    return "An **answer**."
Path("asked.txt").unlink(missing_ok=True)
get_session().model = ScriptedModel([counted] * 9)
"""


def model(*turns: object, delay_s: float = 0.02) -> str:
    return f"get_session().model = ScriptedModel({list(turns)!r}, delay_s={delay_s})"


def call(name: str, **input: str) -> dict[str, object]:
    return {"name": name, "input": input}


def traces(lab: LabPage, index: int) -> list[dict[str, object]]:
    return [o["data"][TRACE_MIME_TYPE] for o in lab.outputs(index) if TRACE_MIME_TYPE in o.get("data", {})]


def wait_record(lab: LabPage, index: int, timeout_s: float = 30) -> None:
    """Wait until the one output of a cell is the record of its turn."""
    lab._wait(
        f"notebook.widgets[arg].model.outputs.toJSON().some(o => o.data && o.data['{TRACE_MIME_TYPE}'])",
        index,
        timeout_s,
    )


def test_a_turn_streams_looks_around_at_once_and_asks(open_lab, tmp_path: Path) -> None:
    turn = {
        "text": "I look **around** first. " * 8,
        "tool_uses": [*(call("look", text=t) for t in "abc"), call("note", text="x")],
    }
    lab = opened(open_lab, [TOOLS + model(turn, "All **done**.", delay_s=0.05), "%%agent\nlook and note"])
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_text(2, "around first.")
    assert lab.prompt(2) == "*", "it streams"
    lab.wait_text(2, "note asks to run")
    lab.screenshot(tmp_path / "asking.png")
    lab.click_button("Allow once")
    lab.wait_done(2)
    lab.wait_text(2, "All done.")
    check_record(lab, 2)
    assert [each["tool"] for each in traces(lab, 2)[0]["calls"]] == ["look", "look", "look", "note"]
    lab.screenshot(tmp_path / "record.png")
    assert lab.errors == []


@pytest.mark.parametrize("comms", ["perCommTarget", "disabled"])
def test_a_turn_in_the_background_is_answered_while_another_cell_runs(open_lab, tmp_path: Path, comms: str) -> None:
    script = [
        {"text": "First I note.", "tool_uses": [call("note", text="one")]},
        {"tool_uses": [call("note", text="two")]},
        "Over.",
    ]
    cells = [
        TOOLS,
        f"%%agent --background --script -\n{json.dumps(script)}",
        "import asyncio\nfor n in range(400):\n    await asyncio.sleep(0.1)\n"
        "    if 'TWO' in str(get_session().messages): break\nprint('free')",
        "print('next')",
    ]
    lab = opened(open_lab, cells, comms_over_subshells=comms)
    lab.run(1, wait=True)
    lab.run(2, wait=True)
    lab.wait_text(2, "note asks to run")
    assert lab.prompt(2).strip().isdigit(), "the cell is over"
    lab.click_button("Allow once")  # the kernel idles
    lab.wait_text(2, "two")
    lab.wait_button("Allow once")
    lab.run(3)
    lab.screenshot(tmp_path / "background.png")
    assert lab.prompt(3) == "*"
    lab.click_button("Allow once")  # while the other cell runs
    wait_record(lab, 2)
    lab.wait_done(3)
    assert "free" in lab.text(3)
    check_record(lab, 2)
    kept = json.dumps(lab.outputs(2))
    assert len(lab.outputs(2)) == 1 and "ONE" in kept and "TWO" in kept and "Over." in lab.text(2)
    lab.run(4, wait=True)
    assert "is over after" in lab.text(4) and "next" in lab.text(4)
    lab.screenshot(tmp_path / "over.png")
    assert lab.errors == []


def test_telling_the_model_something_while_it_works(open_lab, tmp_path: Path) -> None:
    first = {"text": "I begin.", "tool_uses": [call("note", text="x")]}
    turns = f"[{first!r}, lambda messages: 'I heard: ' + messages[-1].text]"
    lab = opened(open_lab, [TOOLS + f"get_session().model = ScriptedModel({turns})", "%%agent\nwork"])
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_button("Allow once")
    field = lab.page.get_by_label("Tell the model")
    field.fill("use English, please")
    field.press("Enter")
    lab.wait_text(2, "Said: use English, please")
    field.fill("and be short")
    lab.screenshot(tmp_path / "saying.png")
    field.press("Enter")
    lab.wait_text(2, "Said: and be short")
    lab.click_button("Allow once")
    lab.wait_done(2)
    lab.wait_text(2, "I heard:")
    assert "use English, please" in lab.text(2) and "and be short" in lab.text(2)
    check_record(lab, 2)
    lab.screenshot(tmp_path / "said.png")
    assert lab.errors == []


def test_run_all_twice_asks_the_model_once(open_lab, tmp_path: Path) -> None:
    lab = opened(open_lab, [TOOLS + COUNTED, "%%agent\nthe question", "print('end')"])
    asked = lab.server.root / "asked.txt"
    lab.run_all()
    lab.wait_text(3, "end")
    assert asked.read_text() == "the question\n" and "Not run again" not in lab.text(2)
    lab.save()
    for _ in range(2):
        lab.run_all()
        lab.wait_text(2, "Not run again")
        lab.wait_idle()
        lab.wait_text(2, "An answer.")
    assert not asked.exists(), "the first cell took the count away, and nobody was asked since"
    lab.screenshot(tmp_path / "again.png")
    lab.restart()
    lab.run_all()
    lab.wait_idle()
    lab.wait_text(3, "end")
    lab.wait_text(2, "Not run again")
    assert not asked.exists()
    check_record(lab, 2)
    lab.save()
    saved = lab.read_nb().cells[2].outputs
    assert sum(TRACE_MIME_TYPE in output.data for output in saved) == 1
    assert lab.errors == []


def test_an_interrupt_in_the_middle_of_the_text_and_then_on(open_lab) -> None:
    lab = opened(
        open_lab, [TOOLS + model("one two three four five " * 80, "Going on."), "%%agent\ncount", "%%agent\ngo on"]
    )
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_text(2, "three")
    lab.interrupt()
    lab.wait_done(2, timeout_s=10)
    lab.wait_text(2, "interrupted")
    check_record(lab, 2)
    lab.run(3, wait=True)
    lab.wait_text(3, "Going on.")


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_being_the_model(open_lab, tmp_path: Path, app: str) -> None:
    lab = opened(open_lab, [TOOLS, "%%agent --model manual\nnote the word hello"], app)
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_text(2, "You are the model: answer 1")
    assert "note the word hello" in lab.text(2)
    lab.page.get_by_label("Your answer").fill("I **note** it.")
    lab.page.get_by_label("Tool", exact=True).select_option("note")
    lab.click_button("Add a call…")
    field = lab.page.get_by_label("text (required)")
    field.fill("hello")
    lab.screenshot(tmp_path / "form.png")
    lab.click_button("Add this call")
    lab.wait_text(2, "calls note")
    lab.click_button("Send")
    lab.wait_text(2, "note asks to run")
    lab.click_button("Allow once")
    lab.wait_text(2, "You are the model: answer 2")
    lab.wait_text(2, "HELLO")
    lab.screenshot(tmp_path / "second.png")
    lab.page.get_by_label("Your answer").fill("Noted.")
    lab.click_button("End the turn")
    lab.wait_done(2)
    lab.wait_text(2, "Noted.")
    check_record(lab, 2)
    lab.screenshot(tmp_path / "played.png")
    assert lab.errors == []


def test_the_form_is_played_with_the_keyboard_alone(open_lab) -> None:
    lab = opened(open_lab, ["%%agent --model manual\nhello?"])
    lab.run(1)
    lab.wait_text(1, "You are the model")
    answer = lab.page.get_by_label("Your answer")
    answer.focus()
    lab.page.keyboard.type("Hello yourself.")
    for _ in range(20):
        lab.page.keyboard.press("Tab")
        if lab.page.evaluate("document.activeElement.innerText").startswith("End the turn"):
            break
    lab.page.keyboard.press("Enter")
    lab.wait_done(1)
    lab.wait_text(1, "Hello yourself.")
