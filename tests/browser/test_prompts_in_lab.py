"""Questions of the gate in a page with the extension: by keyboard, from the panel, by a toast, after a reload."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.browser import LabPage
from tests.support.questions import may_allow, waiting

pytestmark = pytest.mark.browser

LOAD = "%load_ext jupyter_agenttools"
ASK = "out = %tool Bash touch made\nprint(out.status)"


@pytest.fixture
def lab(open_lab) -> LabPage:
    return open_lab("lab")


PRESS_AGAIN_JS = """() => {
    const button = document.querySelector('[aria-label="Allow Bash $ touch two"]');
    button?.click();
    document.querySelector('.jp-cell-toolbar [data-command="jupyter-agenttools:allow-cell"]')?.click();
    button && document.body.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}));
    button && window.jupyterapp.commands.execute('jupyter-agenttools:allow');
    return button !== null;
}"""
"""Press whatever allows the second question, as soon as it is there."""


def opened(lab: LabPage, *cells: str) -> LabPage:
    lab.write_nb("q.ipynb", [LOAD, *cells])
    lab.open("q.ipynb")
    lab.page.wait_for_selector("body.jp-mod-agenttoolsReady", state="attached")
    lab.run(0, wait=True)
    return lab


@pytest.mark.parametrize(("key", "status"), [("y", "ok"), ("d", "denied")])
def test_a_key_answers_from_the_editor_of_another_cell(lab: LabPage, key: str, status: str) -> None:
    opened(lab, ASK, "x = 1")
    lab.run(1)
    waiting(lab)
    lab.page.locator(".jp-Notebook .jp-CodeCell").nth(2).locator(".cm-content").click()
    if key == "y":
        may_allow(lab)
    lab.page.keyboard.press(f"Control+Shift+{key.upper()}")
    lab.wait_text(1, status)
    waiting(lab, False)


def test_a_key_that_is_held_or_pressed_in_a_dialog_answers_nothing_more(lab: LabPage) -> None:
    opened(lab, "one = %tool Bash touch one\ntwo = %tool Bash touch two\nprint(one.status, two.status)")
    lab.run(1)
    keyboard = lab.page.keyboard
    lab.page.get_by_role("button", name="Allow once").wait_for()
    may_allow(lab)
    for key in ("Control", "Shift", "Y"):
        keyboard.down(key)
    lab.wait_text(1, "touch two")
    waiting(lab)
    may_allow(lab)
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
    opened(lab, "one = %tool Bash touch one\ntwo = %tool Bash touch two\nprint(one.status, two.status)")
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    lab.run(1)
    lab._js("notebook.activeCellIndex = 1;")
    panel = lab.page.get_by_role("region", name="Agent tools")
    panel.get_by_role("button", name="Allow Bash $ touch one").click()
    lab.page.wait_for_function(PRESS_AGAIN_JS)  # a question that has just come into the place of the other
    panel.get_by_role("button", name="Deny Bash $ touch two").click()
    lab.wait_text(1, "ok denied")
    assert (lab.server.root / "one").exists() and not (lab.server.root / "two").exists()
    panel.get_by_text("No question is open.").wait_for()


BOTH = """import asyncio
from jupyter_agenttools.notebook import get_session
session = get_session()
calls = [session.call("Bash", {"command": f"touch {name}"}) for name in ("one", "two")]
print(*[each.status for each in await asyncio.gather(*calls)])"""
NOT_YET_JS = """(button) => button.getAttribute('aria-disabled') === 'true' && !button.disabled
    && getComputedStyle(button).opacity === '0.5' && document.activeElement === button"""


def test_a_button_of_the_panel_that_is_to_wait_again_keeps_the_keyboard(lab: LabPage) -> None:
    opened(lab, BOTH)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    lab.run(1)
    panel = lab.page.get_by_role("region", name="Agent tools")
    one = panel.get_by_role("button", name="Allow Bash $ touch one")
    two = panel.get_by_role("button", name="Deny Bash $ touch two")
    two.wait_for()
    lab.page.wait_for_function("button => button.getAttribute('aria-disabled') === 'false'", arg=one.element_handle())
    one.focus()
    two.evaluate("button => button.click()")
    lab.page.wait_for_function(NOT_YET_JS, arg=one.element_handle())
    lab.page.keyboard.press("Enter")
    two.wait_for(state="detached")
    may_allow(lab)
    assert not (lab.server.root / "one").exists(), "it was pressed before anybody could have read what is there now"
    lab.page.keyboard.press("Enter")
    lab.wait_text(1, "ok denied")
    assert (lab.server.root / "one").exists() and not (lab.server.root / "two").exists()


def test_the_tab_is_badged_and_the_file_keeps_its_name(lab: LabPage) -> None:
    opened(lab, ASK)
    lab.run(1)
    waiting(lab)
    lab.page.wait_for_selector(".lm-TabBar-tab.jp-mod-agentQuestion")
    assert (lab.server.root / "q.ipynb").exists()
    may_allow(lab)
    lab.page.keyboard.press("Control+Shift+Y")
    lab.page.wait_for_selector(".lm-TabBar-tab.jp-mod-agentQuestion", state="detached")
    assert (lab.server.root / "q.ipynb").exists()


OPEN_COPY_JS = """
const made = await app.commands.execute('docmanager:open', {path: 'copy.ipynb', kernel: {id: arg}});
await made.context.ready;
await made.sessionContext.ready;
app.shell.activateById(made.id);
"""
ALLOW_CELL = ".jp-cell-toolbar [data-command='jupyter-agenttools:allow-cell']:visible"


def test_a_copy_on_the_same_kernel_has_nothing_of_a_cell_that_it_did_not_run(lab: LabPage) -> None:
    opened(lab, ASK)
    copy = json.loads((lab.server.root / "q.ipynb").read_text())
    kept = [{"output_type": "stream", "name": "stdout", "text": ["kept"]}]
    copy["cells"][1] |= {"source": "kept()", "outputs": kept, "execution_count": 7}
    (lab.server.root / "copy.ipynb").write_text(json.dumps(copy))
    lab.run(1)
    waiting(lab)
    lab.page.evaluate("window.jupyterapp.commands.execute('jupyter-agenttools:open-panel')")
    kernel = lab._js("return panel.sessionContext.session.kernel.id;")
    lab._js("panel.dispose();")  # of two connections of a page to one kernel only the first one hears of us
    lab._js(OPEN_COPY_JS, kernel)
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.path === 'copy.ipynb'")
    lab._js("notebook.activeCellIndex = 1;")
    deny = lab.page.get_by_role("button", name="Deny Bash $ touch made")
    deny.wait_for()
    may_allow(lab)
    assert lab.page.locator(ALLOW_CELL).count() == 0
    assert lab.page.locator(".jp-Cell.jp-mod-agentQuestion").count() == 0
    deny.click()
    waiting(lab, False)
    assert lab.text(1) == "kept" and lab.prompt(1) == "7"


GOES_ON = """
print("before")
out = %tool Bash touch made; for i in 1 2 3; do echo line $i; sleep 0.3; done
print(out.status)
out.status * 2
"""
ASKS_ALONE = """
from jupyter_agenttools.notebook import get_session
out = await get_session().call("Bash", {"command": "touch made"})
print(out.status)
"""


def reload_while_waiting(lab: LabPage, cell: str, *, saved: bool = False) -> None:
    opened(lab, cell)
    lab.run(1)
    waiting(lab)
    if saved:
        lab.save()
    sent: list[str] = []
    lab.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    lab.reload(wait_kernel=False)
    waiting(lab)
    # JupyterLab holds a page's messages back for 3 s when the kernel is busy; what we say is not among them.
    assert any('"hello"' in each for each in sent)
    late = next((at for at, each in enumerate(sent) if "history_request" in each), len(sent))
    assert any('"hello"' in each for each in sent[:late])


@pytest.mark.parametrize(
    ("app", "saved"), [("lab", True), ("lab", False), ("notebook", False)], ids=["saved", "not saved", "Notebook 7"]
)
def test_a_reload_brings_the_question_back_and_the_output_goes_on_to_its_end(
    open_lab: Any, app: str, saved: bool, shoot: Any
) -> None:
    lab = open_lab(app)
    reload_while_waiting(lab, GOES_ON, saved=saved)
    lab.wait_button("Allow once")
    assert "touch made" in lab.text(1) and lab.prompt(1) == "*"
    shoot(lab, f"reload_{app}_{saved}")
    lab.click_button("Allow once")
    lab.wait_done(1)
    waiting(lab, False)
    outputs = lab.outputs(1)
    # What was printed before the reload is there when it was saved; nothing is there twice.
    begin = [("stream", "before\n")] if saved else []
    rest = [(each["output_type"], each.get("text", "")) for each in outputs]
    assert rest == [*begin, ("display_data", ""), ("stream", "ok\n"), ("execute_result", "")]
    assert "application/vnd.jupyter-agenttools.trace+json" in outputs[len(begin)]["data"]
    assert outputs[-1]["data"]["text/plain"] == "'okok'"


def test_a_question_of_the_python_api_comes_back_after_a_reload(lab: LabPage) -> None:
    reload_while_waiting(lab, ASKS_ALONE)
    may_allow(lab)
    lab.page.keyboard.press("Control+Shift+Y")  # also while JupyterLab still holds back what a page says
    lab.wait_done(1)
    assert [each["output_type"] for each in lab.outputs(1)] == ["display_data", "stream"]
    assert "allow" in lab.text(1) and lab.text(1).endswith("ok")
