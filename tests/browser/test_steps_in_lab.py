"""A call that stops between its stages, as a person meets it who looks elsewhere: toast, marks, keys, desktop."""

from __future__ import annotations

import pytest

from tests.browser.test_notifications_in_lab import HIDDEN_JS, TOAST, opened
from tests.support.browser import LabPage
from tests.support.questions import may_allow, waiting

pytestmark = pytest.mark.browser

STEP = "out = %tool --step Bash touch made\nprint(out.status)"
STEPPING = "body.jp-mod-agentStepping"
FAR = ["\n" * 30] * 12
TAB = ".lm-TabBar-tab.jp-mod-agentStep"


def stepping(lab: LabPage, there: bool = True) -> None:
    lab.page.wait_for_selector(STEPPING, state="attached" if there else "detached")


def stops_before(lab: LabPage, stage: str) -> None:
    lab.page.locator(f".jp-Notebook button[title='Go on to {stage}']").wait_for()


def test_a_step_out_of_view_comes_as_a_toast_and_is_walked_from_there(open_lab, shoot) -> None:
    lab = opened(open_lab("lab"), STEP, *FAR)
    lab.run(1)
    lab._js("notebook.activeCellIndex = 13; await notebook.scrollToItem(13);")
    toast = lab.page.locator(TOAST, has_text="Bash stops before validate_input")
    toast.wait_for()
    assert toast.get_by_role("button").all_inner_texts()[:4] == ["Show the walk", "Next", "Run on", "Abort"]
    lab.page.locator(TAB).wait_for()
    assert lab._js("return notebook.widgets[1].node.classList.contains('jp-mod-agentStep');")
    shoot(lab, "toast-step")
    toast.get_by_role("button", name="Next").click()
    toast.wait_for(state="detached")
    later = lab.page.locator(TOAST, has_text="Bash stops before speculate")
    later.get_by_role("button", name="Show the walk").click()
    page = lab.page.locator(".jp-AgentTrace-page")
    page.get_by_role("group", name="Bash stops before speculate").wait_for()
    lab.page.wait_for_function("document.activeElement.closest('.jp-AgentTrace-page')")
    lab.page.keyboard.press("F8")
    page.get_by_role("group", name="Bash stops before observe").wait_for()
    assert lab.page.locator(TOAST, has_text="before observe").count() == 0, "its walk is before the person"
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:show-trace')")
    assert lab.page.locator(".jp-AgentTrace-page").count() == 1
    lab.page.keyboard.press("Shift+F8")
    waiting(lab)
    stepping(lab, False)
    assert not lab.errors


def test_keys_go_from_stage_to_stage_and_never_answer_a_question(open_lab) -> None:
    lab = opened(open_lab("lab"), STEP, "x = 1")
    lab.run(1)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    panel = lab.page.get_by_role("region", name="Agent tools")
    for label in ("Next", "Run on", "Abort", "Show the walk"):
        panel.get_by_role("button", name=f"{label} Bash touch made", exact=True).wait_for()
    lab.page.locator(".jp-Notebook .jp-CodeCell").nth(2).locator(".cm-content").click()
    for stage in ("validate_input", "speculate", "observe", "pre_hooks", "permission"):
        stops_before(lab, stage)
        stepping(lab)
        lab.page.keyboard.press("F8")
    waiting(lab)
    stepping(lab, False)
    lab.page.keyboard.press("F8")
    lab.page.keyboard.press("Control+F8")
    lab.page.locator(TAB.replace("agentStep", "agentQuestion")).wait_for()
    may_allow(lab)
    lab.page.keyboard.press("Control+Shift+Y")
    stepping(lab)
    lab.page.keyboard.press("Control+F8")
    stepping(lab, False)
    lab.wait_done(1)
    assert "not run" in lab.text(1) and "denied" in lab.text(1)
    lab.page.locator(TAB).wait_for(state="detached")
    assert lab.source(2) == "x = 1" and not (lab.server.root / "made").exists()
    assert not lab.errors


def test_a_hidden_page_tells_the_desktop_of_a_step(open_lab) -> None:
    lab = open_lab("lab", overrides={"jupyter-agenttools:prompts": {"desktopNotifications": True}})
    lab.page.add_init_script(HIDDEN_JS)
    opened(lab, STEP)
    lab.page.evaluate("window.hidden_ = true")
    lab.run(1)
    stepping(lab)
    assert lab.page.evaluate("window.told") == [["Bash stops before validate_input", "touch made"]]
    lab.page.keyboard.press("Control+F8")
    stepping(lab, False)


def test_notebook_7_steps_by_keyboard(open_lab) -> None:
    lab = opened(open_lab("notebook"), STEP)
    lab.run(1)
    stepping(lab)
    lab.page.keyboard.press("F8")
    stops_before(lab, "speculate")
    lab.page.keyboard.press("Control+F8")
    stepping(lab, False)
    lab.wait_text(1, "aborted by the person")
    assert not lab.errors
