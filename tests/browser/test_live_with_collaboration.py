"""Open notebooks that several pages share (jupyter-collaboration): changed once, seen by all."""

from __future__ import annotations

import pytest

from tests.browser.test_live_documents import another_page, call, edit, ids, opened, sources, strips, undo
from tests.support.browser import LabPage
from tests.support.environments import collaboration_env

pytestmark = pytest.mark.browser


@pytest.fixture
def lab(open_lab) -> LabPage:
    return open_lab("lab", python=collaboration_env())


def test_an_edit_is_made_once_and_both_pages_show_it(lab: LabPage) -> None:
    opened(lab, "x = 1", "y = 1")
    newer = another_page(lab)
    x, y = ids(newer)[3:]
    edits = [
        {"cell_id": x, "new_source": "x = 2"},
        {"cell_id": x, "new_source": "new", "edit_mode": "insert"},
        {"cell_id": y, "edit_mode": "delete"},
    ]
    said = call(newer, edit(edits=edits))
    assert "ok 3 edits" in said
    assert "it is open in" not in said
    assert sources(newer)[3:] == ["x = 2", "new"]
    newer._wait("[...notebook.model.cells].length === 5", None, 10)
    lab._wait(
        "[...notebook.model.cells].map(cell => cell.sharedModel.getSource()).slice(3).join() === 'x = 2,new'", None, 10
    )
    marks = ["changed by the agent", "1 cell deleted by the agent", "inserted by the agent"]
    for page in (newer, lab):
        page._wait("document.querySelectorAll('.jp-AgentChange').length === 3", None, 10)
        assert strips(page) == marks
    lab.page.get_by_role("button", name="Accept the change of this cell").first.click()
    for page in (newer, lab):
        page._wait("document.querySelectorAll('.jp-AgentChange').length === 2", None, 10)
        assert strips(page) == marks[1:]
    newer.page.get_by_role("button", name="Revert all 2 changes of this turn").click()
    lab._wait(
        "[...notebook.model.cells].map(cell => cell.sharedModel.getSource()).slice(3).join() === 'x = 2,y = 1'",
        None,
        10,
    )
    for page in (newer, lab):
        page._wait("document.querySelectorAll('.jp-AgentChange').length === 0", None, 10)
    undo(newer)
    undo(newer)
    for page in (newer, lab):
        page._wait(
            "[...notebook.model.cells].map(cell => cell.sharedModel.getSource()).slice(3).join() === 'x = 1,y = 1'",
            None,
            10,
        )
