"""Questions of the gate in a page with the extension: by keyboard, from the panel, by a toast, after a reload."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
ASK = "out = %tool Bash touch made\nprint(out.status)"
WAITING = "body.jp-mod-agentWaiting"


@pytest.fixture
def lab(open_lab) -> LabPage:
    return open_lab("lab")


def opened(lab: LabPage, *cells: str) -> LabPage:
    lab.write_nb("q.ipynb", [LOAD, *cells])
    lab.open("q.ipynb")
    lab.page.wait_for_selector("body.jp-mod-agenttoolsReady", state="attached")
    lab.run(0, wait=True)
    return lab


def waiting(lab: LabPage, there: bool = True) -> None:
    lab.page.wait_for_selector(WAITING, state="attached" if there else "detached")


@pytest.mark.parametrize(("key", "status"), [("y", "ok"), ("d", "denied")])
def test_a_key_answers_from_the_editor_of_another_cell(lab: LabPage, key: str, status: str) -> None:
    opened(lab, ASK, "x = 1")
    lab.run(1)
    waiting(lab)
    lab.page.locator(".jp-Notebook .jp-CodeCell").nth(2).locator(".cm-content").click()
    lab.page.keyboard.press(f"Control+Shift+{key.upper()}")
    lab.wait_text(1, status)
    waiting(lab, False)


def test_a_key_that_is_held_or_pressed_in_a_dialog_answers_nothing_more(lab: LabPage) -> None:
    opened(lab, "one = %tool Bash touch one\ntwo = %tool Bash touch two\nprint(one.status, two.status)")
    lab.run(1)
    keyboard = lab.page.keyboard
    lab.page.get_by_role("button", name="Allow once").wait_for()
    for key in ("Control", "Shift", "Y"):
        keyboard.down(key)
    lab.wait_text(1, "touch two")
    waiting(lab)
    for _ in range(5):
        keyboard.down("Y")  # a key that is down already repeats itself
    for key in ("Y", "Shift", "Control"):
        keyboard.up(key)
    lab.page.evaluate("void window.jupyterapp.commands.execute('docmanager:rename')")
    lab.page.locator(".jp-Dialog input").first.focus()
    keyboard.press("Control+Shift+Y")
    keyboard.press("Escape")
    lab.page.locator(".jp-Dialog").wait_for(state="detached")
    keyboard.press("Control+Shift+D")
    lab.wait_text(1, "ok denied")
    assert (lab.server.root / "one").exists() and not (lab.server.root / "two").exists()


def test_the_panel_shows_what_waits_and_answers(lab: LabPage) -> None:
    opened(lab, ASK)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    lab.run(1)
    panel = lab.page.get_by_role("region", name="Agent tools")
    panel.get_by_role("button", name="Allow Bash $ touch made").click()
    lab.wait_text(1, "ok")
    panel.get_by_text("No question is open.").wait_for()


def test_the_tab_is_badged_and_the_file_keeps_its_name(lab: LabPage) -> None:
    opened(lab, ASK)
    lab.run(1)
    waiting(lab)
    lab.page.wait_for_selector(".lm-TabBar-tab.jp-mod-agentQuestion")
    assert (lab.server.root / "q.ipynb").exists()
    lab.page.keyboard.press("Control+Shift+Y")
    lab.page.wait_for_selector(".lm-TabBar-tab.jp-mod-agentQuestion", state="detached")
    assert (lab.server.root / "q.ipynb").exists()


def reload_while_waiting(lab: LabPage, *, saved: bool) -> Any:
    opened(lab, ASK)
    lab.run(1)
    waiting(lab)
    if saved:
        lab.save()
    lab.reload(wait_kernel=False)
    waiting(lab)
    lab.page.keyboard.press("Control+Shift+Y")
    lab.wait_text(1, "touch made")
    waiting(lab, False)
    return lab.outputs(1)


@pytest.mark.parametrize("saved", [True, False], ids=["saved", "not saved"])
def test_a_reload_brings_the_question_back_and_the_output_ends_in_its_record(lab: LabPage, saved: bool) -> None:
    outputs = reload_while_waiting(lab, saved=saved)
    lab._wait("JSON.stringify(notebook.widgets[arg].model.outputs.toJSON()).includes('trace+json')", 1, 10)
    assert len(outputs) == 1
