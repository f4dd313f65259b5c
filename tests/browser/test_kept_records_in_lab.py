"""Records stay where they belong when a person moves a cell that runs, or a cell before it fails."""

from __future__ import annotations

import json

import pytest

from tests.browser.test_cleared_outputs_in_browser import PEEK, SLOW
from tests.browser.test_notebook_in_browser import opened
from tests.kernel.notebooks import TRACE_MIME_TYPE

pytestmark = pytest.mark.browser


FAILS_LATE = """
import os, time
while not os.path.exists("go-on"):
    time.sleep(0.02)
time.sleep(1)
1 / 0
"""
"""What is sent while it runs is aborted by its failure; what would come later is not."""


def test_a_cell_that_a_person_moves_while_it_runs_ends_in_its_record(open_lab) -> None:
    lab = opened(open_lab, [SLOW, f"%%agent --script -\n{PEEK}", "out = %tool peek file=go-tool", "last = 1"])
    lab.run(1, wait=True)
    for index, file, words in ((2, "go-agent", "The end."), (2, "go-tool", "seen")):
        lab.run(index)
        lab._wait("notebook.widgets[arg].model.outputs.length > 0", index, 20)
        lab._js("notebook.activeCellIndex = arg; await app.commands.execute('notebook:move-cell-down');", index)
        (lab.server.root / file).touch()
        lab.wait_done(index + 1)
        lab.wait_text(index + 1, words)
        assert [TRACE_MIME_TYPE in each.get("data", {}) for each in lab.outputs(index + 1)] == [True]
    assert lab.errors == []


def test_a_cell_that_never_ran_because_one_before_it_failed_keeps_its_record(open_lab) -> None:
    lab = opened(open_lab, ["x = 1", f"%%agent --script -\n{json.dumps(['The answer is 42.'])}", "done = 1"])
    lab.run_all()
    lab.wait_done(3)
    before, prompt = lab.outputs(2), lab.prompt(2)
    lab._js("notebook.widgets[1].model.sharedModel.setSource(arg);", FAILS_LATE)
    lab.run_all()
    for index in (2, 3):
        lab._wait("notebook.widgets[arg].prompt === '*'", index, 20)
    (lab.server.root / "go-on").touch()
    lab.wait_text(1, "ZeroDivisionError")
    lab._wait("notebook.widgets[arg].model.executionState !== 'running'", 3, 20)
    lab._wait("notebook.widgets[arg].model.outputs.length === 1", 2, 20)
    assert (lab.outputs(2), lab.prompt(2)) == (before, prompt)
    lab.save()
    lab.restart()
    lab._js("notebook.widgets[1].model.sharedModel.setSource('x = 2');")
    lab.run_all()
    lab.wait_done(3)
    assert "Not run again" in lab.text(2) and "The answer is 42." in lab.text(2)
    assert lab.errors == []
