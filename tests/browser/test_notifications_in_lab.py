"""How a person hears of a question who looks elsewhere: a toast, a notification of the desktop; and Notebook 7."""

from __future__ import annotations

import pytest

from tests.support.browser import LabPage
from tests.support.questions import may_allow, waiting

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
ASK = "out = %tool Bash touch made\nprint(out.status)"
TIMEOUT_MS = 20_000
TOAST = ".Toastify__toast"

HIDDEN_JS = """
window.told = [];
window.hidden_ = false;
Object.defineProperty(document, 'visibilityState', {get: () => window.hidden_ ? 'hidden' : 'visible'});
window.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, options) { window.told.push([title, options.body]); }
};
"""
"""A browser without a screen has no desktop to notify, and is never hidden: what would be shown is written down."""


def opened(lab: LabPage, *cells: str, name: str = "n.ipynb") -> LabPage:
    lab.page.set_default_timeout(TIMEOUT_MS)
    lab.write_nb(name, [LOAD, *cells])
    lab.open(name)
    lab.page.wait_for_selector("body.jp-mod-agenttoolsReady", state="attached")
    lab.run(0, wait=True)
    return lab


def test_a_question_in_another_tab_comes_as_a_toast_and_is_shown_from_there(open_lab, shoot) -> None:
    lab = opened(open_lab("lab"), ASK)
    lab.write_nb("plain.ipynb", ["1"])
    lab.run(1)
    lab.page.evaluate("window.jupyterapp.commands.execute('docmanager:open', {path: 'plain.ipynb'})")
    toast = lab.page.locator(TOAST, has_text="touch made")
    toast.wait_for()
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    panel = lab.page.get_by_role("region", name="Agent tools")
    panel.get_by_text("Nothing of jupyter_agenttools runs in this notebook").wait_for()
    elsewhere = panel.get_by_role("region", name="Waiting in other notebooks")
    elsewhere.get_by_text("in n.ipynb").wait_for()
    shown = elsewhere.get_by_role("button").all_inner_texts()
    assert shown == ["Show", "Allow", "Deny"]
    shoot(lab, "toast")
    toast.get_by_role("button", name="Show").click()
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.path === 'n.ipynb'")
    assert lab._js("return notebook.activeCellIndex;") == 1
    elsewhere.wait_for(state="detached")
    may_allow(lab)
    lab.page.keyboard.press("Control+Shift+Y")
    waiting(lab, False)
    lab.wait_text(1, "ok")
    assert not lab.errors


@pytest.mark.parametrize(("button", "status"), [("Allow", "ok"), ("Deny", "denied")])
def test_a_question_out_of_view_is_answered_in_its_toast(open_lab, button: str, status: str) -> None:
    lab = opened(open_lab("lab"), ASK, *(["\n" * 30] * 12))
    lab.run(1)
    lab._js("notebook.activeCellIndex = 13; await notebook.scrollToItem(13);")
    toast = lab.page.locator(TOAST, has_text="touch made")
    toast.wait_for()
    if button == "Allow":
        may_allow(lab)
    toast.get_by_role("button", name=button).click()
    waiting(lab, False)
    toast.wait_for(state="detached")
    lab._js("await notebook.scrollToItem(1);")
    lab.wait_text(1, status)


def test_a_question_makes_a_toast_only_while_it_is_out_of_view(open_lab, shoot) -> None:
    lab = opened(open_lab("lab"), ASK, *(["\n" * 30] * 12))
    lab.write_nb("plain.ipynb", ["1"])
    lab.run(1)
    waiting(lab)
    lab.wait_button("Allow")
    assert lab.page.locator(TOAST).count() == 0
    toast = lab.page.locator(TOAST, has_text="touch made")
    lab._js("await notebook.scrollToItem(13);")
    toast.wait_for()
    lab._js("await notebook.scrollToItem(1);")
    toast.wait_for(state="detached")
    open_ = "path => { window.jupyterapp.commands.execute('docmanager:open', {path}); }"
    lab.page.evaluate(open_, "plain.ipynb")
    toast.wait_for()
    status = lab.page.locator(".jp-AgentStatus", has_text="1 waiting in n.ipynb")
    status.wait_for()
    shoot(lab, "waiting-elsewhere")
    status.click()
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.path === 'n.ipynb'")
    toast.wait_for(state="detached")
    assert lab._js("return notebook.activeCellIndex;") == 1
    lab.page.keyboard.press("Control+Shift+D")
    waiting(lab, False)
    lab.page.evaluate(open_, "plain.ipynb")
    lab.page.locator(".jp-AgentStatus:visible").wait_for(state="detached")


@pytest.mark.parametrize("wanted", [True, False], ids=["on", "off"])
def test_a_hidden_page_notifies_the_desktop_where_a_person_wants_it(open_lab, wanted: bool) -> None:
    settings = {"jupyter-agenttools:prompts": {"desktopNotifications": wanted}}
    lab = open_lab("lab", overrides=settings)
    lab.page.add_init_script(HIDDEN_JS)
    opened(lab, ASK)
    lab.page.evaluate("window.hidden_ = true")
    lab.run(1)
    waiting(lab)
    told = lab.page.evaluate("window.told")
    assert told == ([["Bash asks", "$ touch made"]] if wanted else [])
    lab.page.keyboard.press("Control+Shift+D")
    waiting(lab, False)


@pytest.mark.parametrize(("key", "status"), [("y", "ok"), ("d", "denied")])
def test_notebook_7_answers_by_keyboard(open_lab, key: str, status: str) -> None:
    lab = opened(open_lab("notebook"), ASK)
    lab.run(1)
    waiting(lab)
    if key == "y":
        may_allow(lab)
    lab.page.keyboard.press(f"Control+Shift+{key.upper()}")
    waiting(lab, False)
    lab.wait_text(1, status)
    assert not lab.errors


def test_notebook_7_answers_from_the_panel(open_lab, shoot) -> None:
    lab = opened(open_lab("notebook"), ASK)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    lab.run(1)
    panel = lab.page.get_by_role("region", name="Agent tools")
    allow = panel.get_by_role("button", name="Allow Bash $ touch made")
    allow.wait_for()
    shoot(lab, "panel-notebook-7")
    allow.click()
    lab.wait_text(1, "ok")
    assert not lab.errors


def test_notebook_7_shows_the_trace_below_the_notebook(open_lab, shoot) -> None:
    lab = opened(open_lab("notebook"), "%tool Bash ls")
    lab.run(1, wait=True)
    lab._js("notebook.activeCellIndex = 1;")
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:show-trace')")
    lab.page.locator(".jp-AgentTrace-page summary", has_text="1 Bash: ok").wait_for()
    shoot(lab, "trace-notebook-7")
    assert not lab.errors
