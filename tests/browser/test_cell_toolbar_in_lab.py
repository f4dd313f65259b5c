"""The toolbar of the active cell: buttons that are there only while they mean something, by mouse and by keyboard."""

from __future__ import annotations

import pytest

from tests.browser.test_live_documents import ALLOW, edit, ids
from tests.browser.test_notifications_in_lab import opened, waiting
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

ASK = "out = %tool Bash touch made\nprint(out.status)"
LONG = "out = %tool Bash sleep 60\nprint(out.status)"


def buttons(lab: LabPage) -> list[str]:
    """Ours that are seen, by the names of their commands."""
    return lab.page.evaluate(
        "[...document.querySelectorAll('.jp-cell-toolbar [data-command^=jupyter-agenttools]')]"
        ".filter(node => node.offsetParent).map(node => node.dataset.command.split(':')[1])"
    )


def wait_buttons(lab: LabPage, *names: str) -> None:
    seen = (
        "[...document.querySelectorAll('.jp-cell-toolbar [data-command^=jupyter-agenttools]')]"
        ".filter(node => node.offsetParent).map(node => node.dataset.command.split(':')[1]).join()"
    )
    lab.page.wait_for_function(f"expected => {seen} === expected", arg=",".join(names))


def press(lab: LabPage, name: str) -> None:
    """With the keyboard: the button gets the focus, and Enter works there as everywhere."""
    button = lab.page.locator(f".jp-cell-toolbar [data-command='jupyter-agenttools:{name}']:not([disabled]):visible")
    button.focus()
    lab.page.keyboard.press("Enter")


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_cell_has_the_buttons_that_mean_something(open_lab, shoot, app: str) -> None:
    lab = opened(open_lab(app), ASK, LONG, ALLOW, "placeholder", "x = 1")
    lab.run(1)
    waiting(lab)
    lab._js("notebook.activeCellIndex = 5;")
    wait_buttons(lab)
    assert buttons(lab) == [], "another cell is active"
    lab._js("notebook.activeCellIndex = 1;")
    wait_buttons(lab, "allow-cell", "deny-cell", "stop-cell")
    shoot(lab, f"cell-toolbar-question-{app}")
    names = [button.get_attribute("title") for button in lab.page.locator(".jp-cell-toolbar [title*='Call of']").all()]
    assert names == ["Allow the Call of This Cell", "Deny the Call of This Cell"]
    press(lab, "stop-cell")
    lab.wait_text(1, "interrupted")
    lab.wait_done(1)
    waiting(lab, False)
    lab.run(1)
    waiting(lab)
    lab._js("notebook.activeCellIndex = 1;")
    wait_buttons(lab, "allow-cell", "deny-cell", "stop-cell")
    press(lab, "allow-cell")
    lab.wait_text(1, "ok")
    wait_buttons(lab, "show-trace")
    lab.run(2)
    wait_buttons(lab, "stop-cell")
    shoot(lab, f"cell-toolbar-running-{app}")
    press(lab, "stop-cell")
    lab.wait_text(2, "interrupted")
    lab.wait_done(2)
    lab.run(3, wait=True)
    lab._js(
        "notebook.widgets[4].model.sharedModel.setSource(arg);", edit("n.ipynb", cell_id=ids(lab)[5], new_source="y")
    )
    lab.run(4, wait=True)
    lab._js("notebook.activeCellIndex = 5;")
    wait_buttons(lab, "accept-change", "revert-change")
    shoot(lab, f"cell-toolbar-changed-{app}")
    press(lab, "revert-change")
    wait_buttons(lab)
    assert lab.source(5) == "x = 1"
    assert not lab.errors
