"""Traces in a page with the extension: of a saved notebook without a kernel, as a walk and as a timeline, by keyboard;
and a call that stops between its stages."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Locator

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
MIME = "application/vnd.jupyter-agenttools.trace+json"
SHOW = "window.jupyterapp.commands.execute('jupyter-agenttools:show-trace')"
SCRIPT = [
    {
        "text": "Looking.",
        "tool_uses": [{"name": "Glob", "input": {"pattern": "*"}}, {"name": "Bash", "input": {"command": "ls"}}],
    },
    "Done.",
]
TIMEOUT_MS = 20_000
DARK = {"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"}}
EVIL = "<img src=x onerror='window.PWN=1'>"


def call(id: str, tool: str, status: str = "ok") -> dict[str, Any]:
    stages = [
        {"name": "parse_input", "status": "ok", "ms": 0.1, "in": {"tool_use": {"input": {"path": EVIL}}}},
        {"name": "speculate", "status": "skipped"},
        {"name": "permission", "status": status, "ms": 2.0, "reason": "a rule says so"},
    ]
    decision = {"behavior": "allow", "by": "rule", "reason": "inside", "trace": [["deny_rules", "passthrough"]]}
    return {"version": 1, "tool": tool, "id": id, "status": status, "ms": 2.1, "decision": decision, "stages": stages}


def times(queued: int, executing: int | None, completed: int, yielded: int, *waited: str) -> dict[str, Any]:
    reason = "waits to run alone" if waited else ""
    fields = {"queued": queued, "executing": executing, "completed": completed, "yielded": yielded}
    return {**fields, "waited": list(waited), "reason": reason}


TURN = {
    "version": 1,
    "ended": "end_turn",
    "calls": [call("t0", "Read"), call("t1", "Grep"), call("t2", "Bash"), call("t3", "Edit", "denied")],
    "schedule": {
        "t0": times(0, 5, 300, 300),
        "t1": times(0, 6, 120, 300),
        "t2": times(2, 300, 1200, 1200, "t0", "t1"),
        "t3": times(2, None, 1210, 1210, "t2"),
    },
}


def open_saved(lab: LabPage, *outputs: Any, name: str = "saved.ipynb") -> LabPage:
    """A notebook as somebody else sent it: never trusted here, and of a kernel that this machine has not."""
    cells = [
        nbformat.v4.new_code_cell("%tool …", outputs=[nbformat.v4.new_output("display_data", data=data)])
        for data in outputs
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, lab.server.root / name)
    lab.page.set_default_timeout(TIMEOUT_MS)
    lab.open(name, wait_kernel=False)
    ready(lab)
    lab.page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    lab.page.locator(".jp-Dialog").wait_for(state="detached")
    return lab


def ready(lab: LabPage) -> None:
    lab.page.wait_for_selector("body.jp-mod-agenttoolsReady", state="attached")


def show_trace(lab: LabPage, index: int = 0) -> Locator:
    lab._js("notebook.activeCellIndex = arg;", index)
    lab.page.evaluate(SHOW)
    page = lab.page.locator(".jp-AgentTrace-page")
    page.wait_for()
    return page


def focused(lab: LabPage) -> str:
    return lab.page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.innerText")


@pytest.mark.parametrize("app", ["lab", "notebook"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_trace_alone_is_drawn_from_a_saved_notebook_and_runs_nothing(open_lab, shoot, app: str, dark: bool) -> None:
    lab = open_lab(app, dark=dark, overrides=DARK if dark else None)
    open_saved(lab, {MIME: TURN})
    lab.page.wait_for_selector(f"body[data-jp-theme-light={str(not dark).lower()!r}]", state="attached")
    trace = lab.page.locator(".jp-OutputArea .jp-AgentTrace")
    trace.get_by_role("group", name="Timeline").wait_for()
    assert trace.locator(".jp-AgentTrace-timeline li").count() == 4
    last = trace.locator(
        "summary", has_text="4 Edit: denied, never ran, waited 1.21 s for Bash (call 3): it waits to run alone"
    )
    last.click()
    trace.locator("summary", has_text="1 parse_input").last.click()
    assert EVIL in trace.inner_text()
    assert lab.page.evaluate("window.PWN") is None
    shoot(lab, f"trace-output-{app}-{'dark' if dark else 'light'}")
    assert not lab.errors


def test_the_record_stands_before_the_trace_in_one_output(open_lab) -> None:
    lab = open_saved(open_lab("lab"), {MIME: TURN, "text/html": "<b>the record</b>", "text/plain": "record"})
    lab.page.get_by_text("the record").wait_for()
    assert lab.page.locator(".jp-OutputArea .jp-AgentTrace").count() == 0


def test_what_is_no_trace_is_said_to_be_none(open_lab) -> None:
    lab = open_saved(open_lab("lab"), {MIME: {"calls": 7}})
    lab.page.get_by_text("This trace cannot be read.").wait_for()
    assert not lab.errors


def test_the_timeline_is_walked_and_zoomed_by_keyboard(open_lab, shoot) -> None:
    lab = open_saved(open_lab("lab"), {MIME: TURN})
    page = show_trace(lab)
    key, shown = lab.page.keyboard.press, page.get_by_role("status")
    assert focused(lab).startswith("1 Read")
    assert shown.inner_text() == "0 ms to 1.21 s"
    key("ArrowDown")
    key("ArrowDown")
    assert focused(lab).startswith("3 Bash")
    key("+")
    key("+")
    key("+")
    narrow = shown.inner_text()
    assert narrow not in ("0 ms to 1.21 s", "")
    assert focused(lab).startswith("3 Bash")
    assert page.locator(".jp-AgentTrace-timeline li").nth(2).locator("[data-status=executing]").count() == 1
    assert page.locator(".jp-AgentTrace-timeline li").nth(0).locator("[data-status]").count() == 0
    key("ArrowLeft")
    assert shown.inner_text() != narrow
    shoot(lab, "timeline-zoomed")
    key("0")
    assert shown.inner_text() == "0 ms to 1.21 s"
    key("Enter")
    assert "3 Bash: ok, ran 2.1 ms, held its place for 900 ms" in focused(lab)
    key("ArrowDown")
    assert "parse_input" in focused(lab)
    key("Home")
    assert focused(lab).startswith("1 Read")
    key("End")
    assert "4 Edit: denied" in focused(lab), "the lines of a closed call are passed by"
    key("ArrowUp")
    assert "3 permission" in focused(lab)
    lab.page.set_viewport_size({"width": 620, "height": 800})
    lab.page.wait_for_function("document.querySelector('.jp-AgentTrace-page').clientWidth < 500")
    wide = "(node) => node.scrollWidth > node.clientWidth + 1"
    assert not page.evaluate(wide)
    shoot(lab, "trace-narrow")
    assert not lab.errors


def test_keys_in_a_trace_do_not_move_the_notebook(open_lab) -> None:
    lab = open_saved(open_lab("lab"), {MIME: TURN}, {MIME: TURN})
    lab._js("notebook.activeCellIndex = 0; notebook.mode = 'command';")
    lab.page.locator(".jp-OutputArea [data-line]").first.focus()
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("b")
    assert focused(lab).startswith("2 Grep")
    assert lab._js("return [notebook.activeCellIndex, notebook.widgets.length];") == [0, 2]


def test_real_records_are_shown_from_the_toolbar_of_the_cell(open_lab, shoot) -> None:
    lab = open_lab("lab")
    (lab.server.root / "s.json").write_text(json.dumps(SCRIPT))
    lab.write_nb("t.ipynb", [LOAD, "%tool Bash ls", "%%agent --script s.json\nGo"])
    lab.open("t.ipynb")
    ready(lab)
    for index in range(3):
        lab.run(index, wait=True)
    lab.save()
    saved = lab.read_nb()
    lab.page.goto("about:blank")
    open_saved(lab, *(dict(cell.outputs[0].data) for cell in saved.cells[1:]), name="again.ipynb")
    lab._js("notebook.activeCellIndex = 1;")
    lab.page.locator(".jp-cell-toolbar [data-command='jupyter-agenttools:show-trace']").click()
    page = lab.page.locator(".jp-AgentTrace-page")
    page.locator("summary", has_text="1 Glob: ok").wait_for()
    page.locator("summary", has_text="2 Bash: ok").click()
    page.locator("summary", has_text="6 permission").last.click()
    page.locator("li:visible", has_text="allow · by tool · it only reads").last.wait_for()
    shoot(lab, "trace-of-a-turn")
    assert not lab.errors


# ---- a call that stops between its stages


@pytest.fixture
def stepping(open_lab) -> LabPage:
    lab = open_lab("lab")
    lab.write_nb("t.ipynb", [LOAD, "out = %tool --step Bash echo stepped\nprint(out.status, out.text.split())"])
    lab.open("t.ipynb")
    ready(lab)
    lab.page.set_default_timeout(TIMEOUT_MS)
    lab.run(0, wait=True)
    lab.run(1)
    lab.page.wait_for_selector(".jp-cell-toolbar [data-command='jupyter-agenttools:show-trace']", state="attached")
    return lab


def test_a_step_goes_on_in_the_trace_up_to_its_record(stepping: LabPage, shoot) -> None:
    page = show_trace(stepping, 1)
    page.get_by_role("group", name="Bash stops before validate_input").get_by_text("Next").click()
    page.get_by_role("group", name="Bash stops before speculate").wait_for()
    assert focused(stepping) in ("Next", "Go on to speculate")
    shoot(stepping, "trace-step")
    page.get_by_text("Run on").click()
    page.locator("summary", has_text="1 Bash: ok").wait_for()
    assert page.locator(".jp-AgentStep").count() == 0
    stepping.cell(1).get_by_text("ok ['stepped']").wait_for()
    assert not stepping.errors


def test_a_step_takes_another_input_and_refuses_what_is_none(stepping: LabPage) -> None:
    page = show_trace(stepping, 1)
    page.get_by_text("Edit input…").click()
    field = page.get_by_label("Input (JSON)")
    field.fill("[1]")
    page.get_by_text("Use this input").click()
    page.get_by_role("alert").get_by_text("must be a JSON object").wait_for()
    field.fill('{"command": "echo edited"}')
    page.get_by_text("Use this input").click()
    page.locator("dd", has_text="echo edited").first.wait_for()
    page.get_by_text("Run on").click()
    stepping.cell(1).get_by_text("ok ['edited']").wait_for()


def test_a_step_is_aborted_from_the_panel(stepping: LabPage) -> None:
    stepping.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    panel = stepping.page.get_by_role("region", name="Agent tools")
    panel.get_by_text("It stops before validate_input.").wait_for()
    panel.get_by_role("button", name="Abort").click()
    panel.get_by_text("No question is open.").wait_for()
    stepping.wait_done(1)
    assert "aborted by the person before validate_input" in stepping.text(1)
