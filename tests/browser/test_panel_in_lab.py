"""The side panel of the extension: rules, the plan, the history, sessions, in Lab and in Notebook 7."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator

from tests.support.browser import LabPage

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
OPEN = "window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')"
TIMEOUT_MS = 20_000
# What the section shows right after something was typed, long before it can have been searched.
TYPED = """async (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text);
    field.dispatchEvent(new Event('input', {bubbles: true}));
    await new Promise(requestAnimationFrame);
    const section = field.closest('section');
    return [section.querySelector('[role=status]').innerText, section.querySelectorAll('li').length];
}"""
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
    field = rules.get_by_label("A new rule for this session")
    field.fill("Bash(")
    rules.get_by_role("button", name="Add").click()
    rules.get_by_role("alert").get_by_text("Bash(").wait_for()
    assert rules.get_by_role("listitem").count() == 1
    assert field.input_value() == "Bash(", "what was refused can be mended"
    assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    field.fill("Bash(mv *)")
    field.press("Enter")
    rules.get_by_text("Bash(mv *)").wait_for()
    lab.page.wait_for_function("document.querySelector('.jp-AgentPanel-form input').value === ''")
    assert rules.get_by_role("alert").count() == 0


def test_rules_are_checked(open_lab) -> None:
    lab = open_lab("lab")
    panel = opened(lab, "%agent permissions allow Bash(*)")
    panel.get_by_text("Rules", exact=True).click()
    panel.get_by_role("button", name="Check the rules").click()
    panel.get_by_role("status").get_by_text("broad").wait_for()


MANY = """import asyncio
session = get_session()
async def many():
    for number in range(70):
        await session.call("Glob", {"pattern": f"none{number}.*"})
await many()"""
LONG = "%tool Bash seq 1 3000; echo a late needle"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_history_is_searched_in_what_is_shown(open_lab, shoot, dark: bool) -> None:
    lab = open_lab("lab", dark=dark, overrides=DARK if dark else None)
    cells = ("from jupyter_agenttools.notebook import get_session", "%tool Bash echo needle", LONG, MANY)
    panel = opened(lab, *cells)
    lab.page.wait_for_selector(f"body[data-jp-theme-light={str(not dark).lower()!r}]", state="attached")
    panel.get_by_text("History", exact=True).click()
    history = panel.get_by_role("region", name="History")
    history.get_by_text("50 of 72 entries").wait_for()
    history.get_by_role("button", name="Show 22 more of 22").click()
    history.get_by_text("72 entries", exact=True).wait_for()
    field = history.get_by_label("Search: History")
    field.fill("NEEDLE bash")
    history.get_by_text("2 found in 72 entries", exact=True).wait_for()
    assert {text.lower() for text in history.locator("mark").all_inner_texts()} == {"needle", "bash"}
    # the latest is cut, and says so; by keyboard all of it is there, with the hit in view
    field.press("ArrowDown")
    lab.page.keyboard.press("Enter")
    whole = history.locator("pre[tabindex]")
    whole.locator("mark", has_text="needle").last.wait_for()
    assert "\n2999\n" in whole.inner_text() and "\n3\n" in whole.inner_text()
    history.get_by_role("button", name="Next place found").press("Enter")
    whole.locator("mark[aria-current=true]", has_text="needle").wait_for()
    shown = "(mark) => { const box = mark.closest('pre'); const at = mark.offsetTop - box.offsetTop - box.scrollTop;"
    assert whole.locator("mark").last.evaluate(shown + " return at >= 0 && at < box.clientHeight; }")
    shoot(lab, f"panel-history-{'dark' if dark else 'light'}")
    history.locator("li[tabindex='0']").focus()
    lab.page.keyboard.press("ArrowDown")
    assert "echo needle" in lab.page.evaluate("document.activeElement.innerText")
    field.fill("there is no such word")
    history.get_by_text("0 found in 72 entries", exact=True).wait_for()
    lab.run(2, wait=True)
    history.get_by_text("0 found in 73 entries", exact=True).wait_for()
    assert not lab.errors


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_an_earlier_session_is_found_read_exported_and_resumed(open_lab, shoot, app: str) -> None:
    lab = open_lab(app)
    busy = "import time; print('begun'); time.sleep(300)"
    cells = ("%tool Bash echo a needle in the haystack", "%agent reset", "%tool Bash echo something else")
    panel = opened(lab, *cells, "1")
    panel.get_by_text("Sessions", exact=True).click()
    sessions = panel.get_by_role("region", name="Sessions")
    items = sessions.locator("li.jp-AgentPanel-session")
    sessions.get_by_text("this one").wait_for()
    field = sessions.get_by_label("Search all sessions")
    assert field.evaluate(TYPED, "needle haystack") == ["Searching…", 0], "what stood there was found for nothing typed"
    found = items.filter(has_text="Found in 1 entry")
    found.first.wait_for()
    sessions.get_by_text("1 found in").wait_for()
    assert set(found.locator("mark").all_inner_texts()) == {"needle", "haystack"}
    shoot(lab, f"panel-sessions-found-{app}")
    found.get_by_role("button", name="Read").click()
    transcript = found.get_by_role("list", name="Transcript of")
    transcript.locator("mark", has_text="haystack").first.wait_for()
    found.get_by_role("button", name="as HTML").click()
    told = sessions.get_by_text("Written to")
    told.wait_for()
    assert (lab.server.root / told.inner_text().rpartition("/")[2]).read_text().startswith("<!DOCTYPE html>")
    shoot(lab, f"panel-sessions-{app}")
    # while a cell runs it says why it cannot, and does nothing later on
    lab._js("notebook.widgets[4].model.sharedModel.setSource(arg);", busy)
    lab.run(4)
    lab.wait_text(4, "begun")
    resume(lab, sessions)
    sessions.get_by_role("alert").get_by_text("a cell runs in this kernel").wait_for()
    shoot(lab, f"panel-sessions-refused-{app}")
    assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    lab.interrupt()
    lab.wait_done(4)
    before = panel.locator("header code").first.inner_text()
    resume(lab, sessions)
    sessions.get_by_text("this is the conversation").wait_for()
    sessions.get_by_text("this one").wait_for()
    assert panel.locator("header code").first.inner_text() != before
    assert not lab.errors


def resume(lab: LabPage, sessions: Locator) -> None:
    sessions.get_by_role("button", name="Resume").click()
    lab.page.get_by_role("dialog").get_by_role("button", name="Resume").click()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_long_names_stay_inside_a_narrow_panel(open_lab, shoot, dark: bool) -> None:
    lab = open_lab("lab", dark=dark, overrides=DARK if dark else None)
    panel = opened(lab, f"%tool Bash echo {'long' * 60}", f"%tool Read {'name' * 40}.txt")
    lab.page.wait_for_selector(f"body[data-jp-theme-light={str(not dark).lower()!r}]", state="attached")
    for title in ("History", "Sessions"):
        panel.get_by_text(title, exact=True).click()
    panel.get_by_text("2 entries").wait_for()
    panel.get_by_text("this one").wait_for()
    shoot(lab, f"panel-narrow-{'dark' if dark else 'light'}")
    assert panel.evaluate("(node) => node.clientWidth") <= 250
    assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    box = panel.bounding_box()
    lab.page.mouse.move(box["x"] - 2, 700)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] - 400, 700, steps=4)
    lab.page.mouse.up()
    lab.page.wait_for_function("document.getElementById('jupyter-agenttools-panel').clientWidth > 550")
    shoot(lab, f"panel-wide-{'dark' if dark else 'light'}")
    assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")


def test_the_plan_is_shown_while_the_agent_plans(open_lab) -> None:
    lab = open_lab("lab")
    panel = opened(lab, "%agent mode plan", "1")
    plan = panel.get_by_role("region", name="Plan")
    plan.get_by_text("Nothing is planned yet.").wait_for()
    path = plan.locator("code").inner_text()
    assert panel.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1"), "the path wraps"
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
