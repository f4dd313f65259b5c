"""Notebooks that are open in a real page, and tools that change them there: by id, undoable, with unsaved work kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
ALLOW = (
    "from jupyter_agenttools.notebook import get_session\n"
    "get_session().reload_settings({'permissions': {'allow': ['NotebookEdit', 'Edit']}})"
)


def edit(**fields: Any) -> str:
    return f"out = %tool --json NotebookEdit {json.dumps({'notebook_path': 'a.ipynb', **fields})}\nprint(out.text)"


@pytest.fixture
def lab(open_lab) -> LabPage:
    return open_lab("lab")


def opened(lab: LabPage, *cells: str) -> LabPage:
    lab.write_nb("a.ipynb", [LOAD, ALLOW, *cells])
    lab.open("a.ipynb")
    lab.page.wait_for_selector("body.jp-mod-agenttoolsReady", state="attached")
    lab.run(0, wait=True)
    lab.run(1, wait=True)
    return lab


def ids(lab: LabPage) -> list[str]:
    return lab._js("return [...notebook.model.cells].map(cell => cell.id);")


def sources(lab: LabPage) -> list[str]:
    return lab._js("return [...notebook.model.cells].map(cell => cell.sharedModel.getSource());")


def test_a_cell_is_replaced_in_the_open_document_and_the_file_is_left_alone(lab: LabPage) -> None:
    opened(lab, "placeholder", "x = 1")
    target = ids(lab)[3]
    lab._js("notebook.widgets[2].model.sharedModel.setSource(arg);", edit(cell_id=target, new_source="x = 2"))
    before = (lab.server.root / "a.ipynb").read_bytes()
    lab.run(2, wait=True)
    assert "open document" in lab.text(2)
    assert sources(lab)[3] == "x = 2"
    assert (lab.server.root / "a.ipynb").read_bytes() == before
    assert lab._js("return panel.context.model.dirty;")
    lab._js("notebook.widgets[3].editor.undo();")
    assert sources(lab)[3] == "x = 1"
    assert not lab.errors
