"""Marks of changed cells outlive the page: they are there after a reload, and the same in every page."""

from __future__ import annotations

import pytest

from tests.browser.test_live_documents import (
    another_page,
    button,
    call,
    edit,
    ids,
    opened,
    sources,
    strips,
)
from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

COUNT_JS = "document.querySelectorAll('.jp-AgentChange').length === arg"
CHANGED = ["changed by the agent", "1 cell deleted by the agent", "inserted by the agent"]


@pytest.fixture
def lab(open_lab) -> LabPage:
    return open_lab("lab")


def wait_strips(lab: LabPage, count: int) -> None:
    lab._wait(COUNT_JS, count, 20)


def changed_turn(lab: LabPage) -> None:
    """One turn that changes a cell with outputs, and inserts and deletes one."""
    opened(lab, "print('kept')", "b = 2", "c = 3")
    lab.run(3, wait=True)
    a, b, _ = ids(lab)[3:]
    edits = [
        {"cell_id": a, "new_source": "print('new')"},
        {"cell_id": a, "new_source": "new", "edit_mode": "insert"},
        {"cell_id": b, "edit_mode": "delete"},
    ]
    call(lab, edit(edits=edits))
    assert lab.outputs(3) == []


def test_after_a_rename_and_a_reload_they_are_there_and_take_back_all_of_it(lab: LabPage) -> None:
    changed_turn(lab)
    before = strips(lab)
    lab._js("await panel.context.rename('renamed.ipynb');")
    lab.save()
    lab.open("renamed.ipynb")
    wait_strips(lab, 3)
    assert strips(lab) == before == CHANGED
    button(lab, "Accept the change of this cell", 1).click()
    wait_strips(lab, 2)
    lab.reload()
    wait_strips(lab, 2)
    button(lab, "Revert all 2 changes of this turn").click()
    assert sources(lab)[3:] == ["print('kept')", "b = 2", "new", "c = 3"]
    assert lab.outputs(3)[0]["text"] == "kept\n"
    assert lab.prompt(3) == "3"
    wait_strips(lab, 0)
    assert not lab.errors


def test_where_the_edit_is_not_there_no_mark_is_shown(lab: LabPage) -> None:
    changed_turn(lab)
    newer = another_page(lab)  # loaded from the file, which the edit has not reached
    assert call(newer, "print('ready')") == "ready"
    newer.wait_idle()
    assert strips(newer) == []
    assert sources(newer)[3:] == ["print('kept')", "b = 2", "c = 3"]
    lab.save()
    newer._js("await panel.context.revert();")
    wait_strips(newer, 3)
    assert strips(newer) == CHANGED
    button(newer, "Accept all 3 changes of this turn").click()
    wait_strips(newer, 0)
    wait_strips(lab, 0)
    assert not lab._js("return app.commands.isEnabled('jupyter-agenttools:revert-changes');")


def test_they_stay_while_a_cell_runs_and_when_outputs_are_cleared(lab: LabPage) -> None:
    opened(lab, "x = 1")
    call(lab, edit(cell_id=ids(lab)[3], new_source="input('go?')"))
    assert strips(lab) == ["changed by the agent"]
    lab.run(3)
    lab.page.locator(".jp-Stdin-input").wait_for()
    assert strips(lab) == ["changed by the agent"]
    lab.page.locator(".jp-Stdin-input").press("Enter")
    lab.wait_done(3)
    assert strips(lab) == ["changed by the agent"]
    lab._js("app.commands.execute('notebook:restart-clear-output');")
    lab.page.locator(".jp-Dialog .jp-mod-accept").click()
    lab._wait("notebook.widgets[3].model.outputs.length === 0 && notebook.widgets[3].prompt?.trim() === ''", None, 30)
    lab.wait_idle()
    assert strips(lab) == ["changed by the agent"]
    lab.run(0, wait=True)  # the new kernel is told too
    lab.save()
    lab.reload()
    wait_strips(lab, 1)
    button(lab, "Revert the change of this cell").click()
    assert sources(lab)[3] == "x = 1"
