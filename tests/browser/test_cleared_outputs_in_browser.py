"""Outputs that a person clears while the agent works: the next question must still find them."""

from __future__ import annotations

import json

import pytest

from tests.browser.test_notebook_in_browser import opened
from tests.kernel.notebooks import TRACE_MIME_TYPE

pytestmark = pytest.mark.browser

TOOLS = '''
import anyio
from jupyter_agenttools import tool

@tool(is_read_only=True)
async def look(text: str) -> str:
    """Only looks, for a while."""
    await anyio.sleep(3)
    return text

@tool
async def note(text: str) -> str:
    """Keep a note."""
    return text.upper()
'''
TURNS = [
    {"text": "First I look.", "tool_uses": [{"name": "look", "input": {"text": "a"}}]},
    {"tool_uses": [{"name": "note", "input": {"text": "kept"}}]},
    "Done.",
]


def test_a_question_after_all_outputs_were_cleared_can_be_answered(open_lab) -> None:
    lab = opened(open_lab, [TOOLS, f"%%agent --script -\n{json.dumps(TURNS)}"])
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_text(2, "First I look.")
    lab._js("await app.commands.execute('notebook:clear-all-cell-outputs');")
    lab.click_button("Allow once", timeout_s=15)
    lab.wait_done(2)
    assert "KEPT" in json.dumps(lab.outputs(2))


def test_a_question_that_waits_comes_again_after_its_output_was_cleared(open_lab) -> None:
    lab = opened(open_lab, [TOOLS, f"%%agent --script -\n{json.dumps(TURNS[1:])}"])
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_button("Allow once")
    lab.save()
    lab.reload(wait_kernel=False)  # from now on JupyterLab says nothing when the widgets go
    for clear in ("notebook:clear-all-cell-outputs", "notebook:clear-cell-output"):
        lab.wait_button("Allow once")
        lab.page.wait_for_selector("body.jp-mod-agentWaiting", state="attached")
        lab._js("notebook.activeCellIndex = 2; await app.commands.execute(arg);", clear)
    buttons = lab.page.locator(".jp-Notebook button:visible", has_text="Allow once")
    lab.wait_button("Allow once")
    assert buttons.count() == 1
    buttons.click()
    lab.wait_text(2, "Done.")
    assert "KEPT" in json.dumps(lab.outputs(2))


SLOW = '''
import anyio, os
from jupyter_agenttools import tool

@tool(is_read_only=True)
async def peek(file: str) -> str:
    """Waits for a file."""
    while not os.path.exists(file):
        await anyio.sleep(0.02)
    return "seen"

@tool
async def keep(file: str) -> str:
    """Waits for a file, if it may."""
    return await peek.call(type("Input", (), {"file": file})(), None)
'''
PEEK = json.dumps([{"text": "I look.", "tool_uses": [{"name": "peek", "input": {"file": "go-agent"}}]}, "The end."])


def test_what_runs_ends_in_one_record_also_after_its_output_was_cleared(open_lab) -> None:
    cells = [f"%%agent --script -\n{PEEK}", "out = %tool peek file=go-tool", "out = %tool keep file=go-asked"]
    lab = opened(open_lab, [SLOW, *cells])
    lab.run(1, wait=True)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    running = lab.page.get_by_role("region", name="Running").get_by_role("listitem")
    whats = (("go-agent", "The end."), ("go-tool", "seen"), ("go-asked", "seen"))
    for index, (file, words) in enumerate(whats, start=2):
        lab.run(index)
        if file == "go-asked":
            lab.click_button("Allow once")
        running.filter(has_text=file).wait_for()
        lab._wait("notebook.widgets[arg].model.outputs.length > 0", index, 20)
        lab._js("notebook.activeCellIndex = arg; await app.commands.execute('notebook:clear-cell-output');", index)
        lab._wait("notebook.widgets[arg].model.outputs.length > 0", index, 20)
        (lab.server.root / file).touch()
        lab.wait_done(index)
        lab.wait_text(index, words)
        assert [TRACE_MIME_TYPE in each.get("data", {}) for each in lab.outputs(index)] == [True]
    assert lab.errors == []
