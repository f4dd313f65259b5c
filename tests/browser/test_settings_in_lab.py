"""What a person can set, all at once in one page, and how it reads in the settings editor."""

from __future__ import annotations

import pytest

from tests.browser.test_live_documents import edit, ids
from tests.browser.test_notifications_in_lab import HIDDEN_JS, TOAST, opened, waiting

pytestmark = pytest.mark.browser

ASK = "out = %tool Bash touch made\nprint(out.status)"
ALLOW = (
    "from jupyter_agenttools.notebook import get_session\n"
    "get_session().reload_settings({'permissions': {'allow': ['NotebookEdit']}})"
)
SETTINGS = {
    "jupyter-agenttools:prompts": {
        "toasts": False,
        "desktopNotifications": True,
        "scrollToCell": True,
        "marks": False,
    },
    "jupyter-agenttools:live-documents": {"saveAfterEdit": True},
    "jupyter-agenttools:changes": {"showMarks": False},
    "jupyter-agenttools:trace": {"place": "below"},
    "@jupyterlab/application-extension:shell": {
        "layout": {"multiple": {"jupyter-agenttools-panel": {"area": "left"}}}  # as "Switch Sidebar Side" sets it
    },
}
OPEN_SETTINGS = "window.jupyterapp.commands.execute('settingeditor:open', {query: 'Agent tools'})"
TITLES = [
    "Agent tools: changes of cells",
    "Agent tools: open notebooks",
    "Agent tools: traces",
    "Agent tools: what waits for you",
]


def test_every_setting_works(open_lab) -> None:
    lab = open_lab("lab", overrides=SETTINGS)
    lab.page.add_init_script(HIDDEN_JS)
    opened(lab, ASK, *(["\n" * 30] * 6), ALLOW, "placeholder", "x = 1", "%tool Bash ls")
    lab._js("notebook.activeCellIndex = 7; await notebook.scrollToItem(7);")
    lab.page.evaluate("window.hidden_ = true")
    lab._js("app.commands.execute('notebook:enter-command-mode');")
    lab._js("notebook.activeCellIndex = 1; app.commands.execute('notebook:run-cell'); notebook.activeCellIndex = 7;")
    waiting(lab)
    lab.page.wait_for_function("window.told.length === 1")
    in_view = "(() => { const node = notebook.widgets[1].node.getBoundingClientRect(); return node.bottom > 0; })()"
    lab._wait(in_view, None, 20)
    assert lab.page.locator(TOAST).count() == 0
    assert lab.page.locator(".jp-mod-agentQuestion").count() == 0
    lab.page.keyboard.press("Control+Shift+D")
    waiting(lab, False)
    lab.run(8, wait=True)
    lab._js(
        "notebook.widgets[9].model.sharedModel.setSource(arg);", edit("n.ipynb", cell_id=ids(lab)[10], new_source="y")
    )
    lab.run(9, wait=True)
    assert "and saved" in lab.text(9)
    assert lab.page.locator(".jp-AgentChange").count() == 1
    assert lab.page.locator(".jp-AgentChange:visible").count() == 0
    lab.run(11, wait=True)
    lab._js("notebook.activeCellIndex = 11; app.commands.execute('jupyter-agenttools:show-trace');")
    trace = lab.page.locator(".jp-AgentTrace-page")
    trace.wait_for()
    assert trace.bounding_box()["y"] > lab.page.locator(".jp-NotebookPanel").bounding_box()["y"] + 100
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    lab.page.locator("#jp-left-stack #jupyter-agenttools-panel").wait_for()
    assert not lab.errors


def test_the_settings_are_found_and_changed_in_the_settings_editor(open_lab, shoot) -> None:
    lab = opened(open_lab("lab"), ASK, *(["\n" * 30] * 12))
    lab.page.evaluate(OPEN_SETTINGS)
    listed = lab.page.locator(".jp-PluginList-entry")
    listed.filter(has_text=TITLES[0]).wait_for()
    assert [each for each in listed.all_inner_texts() if each in TITLES] == TITLES
    listed.filter(has_text=TITLES[3]).click()
    lab.page.get_by_label("Toasts").wait_for()
    shoot(lab, "settings-prompts")
    lab.page.get_by_label("Toasts").uncheck()
    lab.page.wait_for_function(
        "async () => (await window.jupyterapp.serviceManager.settings.fetch('jupyter-agenttools:prompts'))"
        ".raw.includes('\"toasts\": false')"
    )
    lab._js("app.shell.activateById([...app.shell.widgets('main')].find(each => each.context).id);")
    lab._wait("panel.context?.path === 'n.ipynb'", None, 20)
    lab.run(1)
    lab._js("notebook.activeCellIndex = 13; await notebook.scrollToItem(13);")
    waiting(lab)
    assert lab.page.locator(TOAST).count() == 0
    lab.page.keyboard.press("Control+Shift+D")
    waiting(lab, False)
    assert not lab.errors
