"""Pictures of all that a page shows of ours, in light and dark, for a person to look at; with their contrasts.

They are kept where ``AGENTTOOLS_SCREENSHOTS`` says.
"""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.test_live_documents import edit, ids
from tests.browser.test_notifications_in_lab import TOAST, waiting
from tests.browser.test_record_in_browser import CONTRASTS_JS
from tests.browser.test_timeline_in_lab import LOAD, SCRIPT, TOOLS
from tests.browser.test_trace_in_lab import DARK, TIMEOUT_MS, ready, show_trace
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

PLAN = {"todos": [{"content": words, "status": status, "activeForm": words} for words, status in (
    ("Read the parser", "completed"), ("Write a test that fails", "in_progress"), ("Mend the parser", "pending")
)]}  # fmt: skip
CELLS = [
    LOAD,
    TOOLS.replace('"store"', '"store", "NotebookEdit"'),
    f"%%agent --script -\n{json.dumps(SCRIPT)}",
    f"out = %tool --json TodoWrite {json.dumps(PLAN)}",
    "out = %tool Bash git push --force origin main",
    "out = %tool --step Bash touch made",
    "placeholder",
    "x = 1",
]
OURS = ":is(.jp-AgentTrace, .jp-AgentStep, .jp-AgentPanel, .jp-AgentChange, .jp-AgentStatus) *"
TEXT_CONTRAST = 4.5
"""What WCAG 2 asks for at level AA."""


def hard_to_read(lab: LabPage) -> list[tuple[str, float]]:
    found = lab.page.evaluate(CONTRASTS_JS.replace(".agt *:not(style)", OURS))
    assert found
    return [(words, contrast) for words, contrast in found if contrast < TEXT_CONTRAST]


def back(lab: LabPage) -> None:
    """To the notebook, without the trace beside it."""
    lab._js(
        "const all = [...app.shell.widgets('main'), ...app.shell.widgets('right')];"
        "all.filter(each => each.title.label === 'Trace').forEach(each => each.close());"
    )
    lab._js("app.shell.activateById([...app.shell.widgets('main')].find(each => each.context).id);")
    lab._wait("Boolean(panel.context)", None, 20)


@pytest.mark.parametrize(("app", "dark"), [("lab", False), ("lab", True), ("notebook", False), ("notebook", True)])
def test_pictures(open_lab, shoot, app: str, dark: bool) -> None:
    lab = open_lab(app, dark=dark, overrides=DARK if dark else None)
    hard: list[tuple[str, float]] = []
    look = f"{app}-{'dark' if dark else 'light'}"
    lab.page.set_default_timeout(TIMEOUT_MS)
    lab.write_nb("p.ipynb", CELLS)
    lab.open("p.ipynb")
    ready(lab)
    lab.page.wait_for_selector(f"body[data-jp-theme-light={str(not dark).lower()!r}]", state="attached")
    lab.page.set_viewport_size({"width": 1500, "height": 1000})
    for index in range(4):
        lab.run(index, wait=True)

    trace = show_trace(lab, 2)
    trace.locator("summary", has_text="6 Bash: denied").click()
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("End")
    trace.locator("summary:visible", has_text="permission").last.click()
    lab.page.keyboard.press("ArrowUp")
    shoot(lab, f"picture-trace-{look}")
    hard += hard_to_read(lab)
    lab.page.keyboard.press("Home")
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("ArrowDown")
    shoot(lab, f"picture-timeline-{look}")

    back(lab)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    lab.run(4)
    waiting(lab)
    panel = lab.page.get_by_role("region", name="Agent tools")
    panel.get_by_role("button", name="Allow Bash").wait_for()
    lab._js("await notebook.scrollToItem(4);")
    shoot(lab, f"picture-card-panel-{look}")
    hard += hard_to_read(lab)
    lab._js("notebook.activeCellIndex = 0; await notebook.scrollToItem(0);")
    lab.page.keyboard.press("Control+Shift+D")
    lab.wait_done(4)

    lab.run(5)
    lab._js("notebook.activeCellIndex = 0; await notebook.scrollToItem(0);")
    lab.page.locator("body.jp-mod-agentStepping").wait_for(state="attached")
    for _ in range(2):
        lab.page.keyboard.press("F8")
    lab._js("notebook.activeCellIndex = 5; await notebook.scrollToItem(5);")
    step = show_trace(lab, 5)
    step.locator("p", has_text="Bash stops before").wait_for()
    shoot(lab, f"picture-step-{look}")
    hard += hard_to_read(lab)
    lab.page.keyboard.press("Control+F8")
    back(lab)
    lab.wait_done(5)

    write = edit("p.ipynb", cell_id=ids(lab)[7], new_source="x = 2")
    lab._js("notebook.widgets[6].model.sharedModel.setSource(arg);", write)
    lab.run(6, wait=True)
    lab._js("notebook.activeCellIndex = 7; await notebook.scrollToItem(7);")
    lab.page.locator(".jp-AgentChange").wait_for()
    shoot(lab, f"picture-change-{look}")
    hard += hard_to_read(lab)
    assert hard == []
    expect(lab.page.locator(TOAST)).to_have_count(0)  # it takes a second to leave the screen
    assert not lab.errors
