"""The side panel of the extension: rules, the plan, past calls, in Lab and in Notebook 7."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
OPEN = "window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')"
TIMEOUT_MS = 20_000
DARK = {"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"}}


def opened(lab: LabPage, *cells: str) -> Locator:
    """The panel beside a notebook whose cells have run."""
    lab.page.set_default_timeout(TIMEOUT_MS)
    lab.write_nb("p.ipynb", [LOAD, *cells])
    lab.open("p.ipynb")
    lab.page.wait_for_selector("body.jp-mod-agenttoolsReady", state="attached")
    for index in range(len(cells) + 1):
        lab.run(index, wait=True)
    lab.page.evaluate(OPEN)
    panel = lab.page.get_by_role("region", name="Agent tools")
    panel.get_by_text("No question is open.").wait_for()
    return panel


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_rules_of_the_session_are_added_and_taken_away(open_lab, app: str) -> None:
    lab = open_lab(app)
    panel = opened(lab, "%agent permissions deny Read(.env)", "from jupyter_agenttools.notebook import get_session")
    panel.get_by_text("Rules", exact=True).click()
    rules = panel.get_by_role("region", name="Rules")
    rules.get_by_text("Read(.env)").wait_for()
    rules.get_by_label("What the new rule does").select_option("ask")
    rules.get_by_label("A new rule for this session").fill("Bash(git push *)")
    lab.page.keyboard.press("Enter")
    rules.get_by_text("Bash(git push *)").wait_for()
    rules.get_by_role("button", name="Remove deny Read(.env)").click()
    rules.get_by_text("Read(.env)").wait_for(state="detached")
    lab._js("notebook.widgets[2].model.sharedModel.setSource('%agent permissions');")
    lab.run(2, wait=True)
    assert "Bash(git push *)" in lab.text(2) and "Read(.env)" not in lab.text(2)
    assert not lab.errors


def test_a_rule_that_is_none_is_refused_with_the_reason(open_lab) -> None:
    lab = open_lab("lab")
    panel = opened(lab, "%agent permissions allow Bash(ls *)")
    panel.get_by_text("Rules", exact=True).click()
    rules = panel.get_by_role("region", name="Rules")
    rules.get_by_label("A new rule for this session").fill("Bash(")
    rules.get_by_role("button", name="Add").click()
    lab.page.locator(".Toastify__toast", has_text="Bash(").wait_for()
    assert rules.get_by_role("listitem").count() == 1


def test_rules_are_checked(open_lab) -> None:
    lab = open_lab("lab")
    panel = opened(lab, "%agent permissions allow Bash(*)")
    panel.get_by_text("Rules", exact=True).click()
    panel.get_by_role("button", name="Check the rules").click()
    panel.get_by_role("status").get_by_text("broad").wait_for()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_past_calls_are_searched_in_what_is_shown(open_lab, shoot, dark: bool) -> None:
    lab = open_lab("lab", dark=dark, overrides=DARK if dark else None)
    panel = opened(lab, "%tool Bash echo needle", "%tool Bash ls", "%tool Read nothing.txt")
    lab.page.wait_for_selector(f"body[data-jp-theme-light={str(not dark).lower()!r}]", state="attached")
    panel.get_by_text("Past calls").click()
    calls = panel.get_by_role("region", name="Past calls")
    calls.get_by_text("3 calls").wait_for()
    calls.get_by_label("Search past calls").fill("NEEDLE bash")
    calls.get_by_text("1 of 3 calls").wait_for()
    assert {text.lower() for text in calls.locator("mark").all_inner_texts()} == {"needle", "bash"}
    shoot(lab, f"panel-{'dark' if dark else 'light'}")
    lab.page.set_viewport_size({"width": 700, "height": 800})
    shoot(lab, f"panel-narrow-{'dark' if dark else 'light'}")
    assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    assert not lab.errors


def test_the_plan_is_shown_while_the_agent_plans(open_lab) -> None:
    lab = open_lab("lab")
    panel = opened(lab, "%agent mode plan", "1")
    plan = panel.get_by_role("region", name="Plan")
    plan.get_by_text("Nothing is planned yet.").wait_for()
    path = plan.locator("code").inner_text()
    lab._js(
        "notebook.widgets[2].model.sharedModel.setSource(arg);", f"%tool Write file_path={path} content='First look.'"
    )
    lab.run(2, wait=True)
    plan.get_by_text("First look.").wait_for()
    panel.get_by_label("Mode").select_option("default")
    plan.wait_for(state="detached")
    assert not lab.errors


def test_the_panel_is_walked_by_keyboard(open_lab) -> None:
    lab = open_lab("lab")
    panel = opened(lab, "%tool Bash ls")
    panel.get_by_label("Mode").focus()
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Enter")
    panel.get_by_label("A new rule for this session").wait_for()
    assert lab.page.evaluate("document.activeElement.innerText") == "Rules"
