"""The person's way through it, in a real browser: questions, answers, interrupts, reloads, what is left in the file."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.support.browser import LabPage
from tests.support.kernels import MATRIX, NEWEST, ipykernel_env

pytestmark = pytest.mark.browser

REPOSITORY = Path(__file__).resolve().parents[2]
LOAD = "%load_ext jupyter_agenttools"
TRACE_MIME_TYPE = "application/vnd.jupyter-agenttools.trace+json"
VIEW_MIME_TYPE = "application/vnd.jupyter.widget-view+json"
CELL_TIMEOUT_S = 120.0

TWO_TOOLS = '''
from jupyter_agenttools import tool

@tool(is_concurrency_safe=True)
async def both(text: str) -> str:
    """May run beside another."""
    return text.upper()
'''
TWO_AT_ONCE = """%%agent --script -
[{"tool_uses": [{"name": "both", "input": {"text": "one"}}, {"name": "both", "input": {"text": "two"}}]},
 "All **done**."]
"""


def opened(open_lab, cells: list[str], app: str = "lab", **options: object) -> LabPage:
    """A page on a notebook of these cells, its extension loaded by the first."""
    kernel = options.pop("kernel", "python3")
    lab = open_lab(app, **options)
    lab.write_nb("a.ipynb", [LOAD, *cells], kernel=kernel)
    lab.open("a.ipynb")
    lab.run(0, wait=True)
    return lab


def mime_types(lab: LabPage, index: int) -> set[str]:
    return {mime for output in lab.outputs(index) for mime in output.get("data", {})}


def check_record(lab: LabPage, index: int) -> None:
    """What is left of a call: one static output in every form, and no widget."""
    types = mime_types(lab, index)
    assert {"text/html", "text/plain", "text/markdown", TRACE_MIME_TYPE} <= types
    assert VIEW_MIME_TYPE not in types


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_approving_streams_and_leaves_a_record(open_lab, app: str) -> None:
    lab = opened(open_lab, ["%tool Bash touch made; for i in 1 2 3 4; do echo line $i; sleep 0.5; done"], app)
    lab.run(1)
    lab.wait_text(1, "Bash asks to run")
    assert "for i in 1 2 3 4" in lab.text(1), "the whole command is shown"
    lab.click_button("Allow once")
    lab.wait_text(1, "line 2")
    assert lab.prompt(1) == "*", "output is there while the command still runs"
    lab.wait_done(1)
    lab.wait_text(1, "line 4")
    assert "exit 0" in lab.text(1)
    check_record(lab, 1)
    assert lab.errors == []


def test_a_card_stays_in_its_cell_whatever_it_shows(open_lab) -> None:
    wide = "x" * 400
    script = [{"text": f"Look: {wide}", "tool_uses": [{"name": "Edit", "input": {"file_path": "long.py"}}]}]
    script[0]["tool_uses"][0]["input"].update(old_string="first", new_string=wide)
    cells = ["%tool Read long.py", f"%%agent --script -\n{json.dumps(script)}", f"%tool Bash touch {wide}"]
    lab = opened(open_lab, cells)
    (lab.server.root / "long.py").write_text(f'first = "{wide}"\n')
    lab.run(1, wait=True)
    lab.run(2)
    lab.wait_button("Allow once")
    check_width(lab, 2)
    lab.click_button("Deny")
    lab.click_button("Send denial")
    lab.wait_done(2)
    lab.run(3)
    lab.wait_button("Allow once")
    check_width(lab, 3)


def check_width(lab: LabPage, index: int) -> None:
    """Nothing of a card that is shown reaches beyond its cell: what is longer is scrolled in a box, or broken."""
    for width in (700, 1280):
        lab.page.set_viewport_size({"width": width, "height": 1100})
        assert overflowing(lab, index) == []


def overflowing(lab: LabPage, index: int) -> list[str]:
    return lab.cell(index).evaluate(
        """cell => {
            const edge = cell.querySelector('.jp-OutputArea-output').getBoundingClientRect().right;
            const parts = [...cell.querySelectorAll('.widget-html-content, .widget-html-content *')];
            const wide = parts.filter(node => !node.closest('pre') && (
                node.getBoundingClientRect().right > edge + 1
                || (!node.matches('.agt-box') && node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1)));
            return parts.length ? wide.map(node => node.outerHTML.slice(0, 80)) : ['no card'];
        }"""
    )


def test_denying_tells_the_reason(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool Bash touch made", "print(x.status, '|', x.text)"])
    lab.run(1)
    lab.click_button("Deny")
    reason = lab.page.get_by_label("Reason")
    reason.fill("not in this folder")
    reason.press("Enter")
    lab.wait_done(1)
    lab.run(2, wait=True)
    assert lab.text(2).startswith("denied |") and "not in this folder" in lab.text(2)
    assert not (lab.server.root / "made").exists()
    check_record(lab, 1)


def test_always_allow_shows_the_rule_and_keeps_it(open_lab) -> None:
    lab = opened(open_lab, ["%tool Bash touch one.txt", "%tool Bash touch two.txt", "%agent permissions"])
    lab.run(1)
    lab.click_button("Always allow")
    rule = lab.page.get_by_label("Rule", exact=True)
    assert rule.input_value() == "Bash(touch one.txt)"
    rule.fill("Bash(rm *)")
    lab.click_button("Save & allow")
    lab.wait_text(1, "would not allow this call")
    rule.fill("Bash(touch *)")
    lab.click_button("Save & allow")
    lab.wait_done(1)
    lab.run(2, wait=True)
    assert (lab.server.root / "two.txt").exists(), "the second call asked nobody"
    lab.run(3, wait=True)
    assert "Bash(touch *)" in lab.text(3)


def test_two_questions_at_once_are_answered_in_any_order(open_lab) -> None:
    lab = opened(open_lab, [TWO_TOOLS, TWO_AT_ONCE])
    lab.run(1, wait=True)
    lab.run(2)
    buttons = lab.page.locator(".jp-Notebook button:visible", has_text="Allow once")
    buttons.nth(1).wait_for()
    assert buttons.count() == 2
    buttons.nth(1).click()
    lab.page.wait_for_function("document.querySelectorAll('.jp-Notebook button').length > 0")
    lab.click_button("Allow once")
    lab.wait_done(2)
    lab.wait_text(2, "All done.")
    trace = next(o["data"][TRACE_MIME_TYPE] for o in lab.outputs(2) if TRACE_MIME_TYPE in o.get("data", {}))
    assert "ONE" in json.dumps(lab.outputs(2)) and "TWO" in json.dumps(lab.outputs(2)) and trace


def test_interrupting_a_question_is_a_visible_denial(open_lab) -> None:
    lab = opened(open_lab, ["%tool Bash touch made", "print('alive')"])
    lab.run(1)
    lab.wait_button("Allow once")
    lab.interrupt()
    lab.wait_done(1, timeout_s=10)
    lab.wait_text(1, "interrupted")
    assert not (lab.server.root / "made").exists()
    check_record(lab, 1)
    lab.run(2, wait=True)
    assert lab.text(2) == "alive"


def test_stop_ends_the_command(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool Bash touch made; echo started; sleep 3600", "print(x.status, x.text)"])
    lab.run(1)
    lab.click_button("Allow once")
    lab.wait_text(1, "started")
    lab.click_button("Stop")
    lab.wait_done(1, timeout_s=10)
    lab.run(2, wait=True)
    assert "interrupted" in lab.text(2) and "started" in lab.text(2)


def test_a_question_survives_a_reload_of_the_page(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool Bash touch made", "print(x.status)"])
    lab.run(1)
    lab.wait_button("Allow once")
    lab.save()
    lab.reload(wait_kernel=False)
    lab.click_button("Allow once", timeout_s=60)
    lab.wait_idle()
    lab.run(2, wait=True)
    assert lab.text(2) == "ok"
    assert (lab.server.root / "made").exists()


def test_run_all_waits_at_the_question(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool Bash touch made", "print('then', x.status)"])
    lab.run_all()
    lab.wait_button("Allow once")
    assert lab.prompt(2) == "*" and lab.text(2) == ""
    lab.click_button("Allow once")
    lab.wait_done(2)
    assert lab.text(2) == "then ok"


def test_without_subshells_the_question_is_answered_too(open_lab) -> None:
    lab = opened(open_lab, ["%tool Bash touch made"], comms_over_subshells="disabled")
    lab.run(1)
    lab.click_button("Allow once")
    lab.wait_done(1)
    assert (lab.server.root / "made").exists()


@pytest.mark.parametrize("version", [v for v in MATRIX if v not in ("7.4.0", NEWEST)])
def test_other_lines_of_ipykernel(open_lab, version: str) -> None:
    lab = opened(open_lab, ["%tool Bash touch made"], kernels={"other": ipykernel_env(version)}, kernel="other")
    lab.run(1)
    lab.click_button("Allow once")
    lab.wait_done(1)
    check_record(lab, 1)


def test_the_saved_file_reads_well_without_a_kernel(open_lab) -> None:
    lab = opened(open_lab, ["%tool Bash touch made", "%tool Glob pattern=made", TWO_TOOLS])
    lab.run(1)
    lab.click_button("Allow once")
    lab.wait_done(1)
    lab.run(2, wait=True)
    lab.save()
    saved = json.loads((lab.server.root / "a.ipynb").read_text())
    assert "widgets" not in saved["metadata"]
    saved["metadata"].pop("kernelspec", None)
    (lab.server.root / "b.ipynb").write_text(json.dumps(saved))
    lab.open("b.ipynb", wait_kernel=False)
    lab.wait_text(1, "touch made")
    lab.wait_text(2, "made")
    details = lab.cell(1).locator("details").first
    details.locator("summary").first.click()
    assert "permission" in lab.text(1)


def test_nothing_that_is_shown_is_executed(open_lab) -> None:
    cells = [
        "from pathlib import Path\n_ = Path('<img src=x onerror=window.PWN=1>.txt').write_text('')",
        "%tool Glob pattern=*",
        "%%tool Bash\ntouch made; printf '<script>window.PWN=2</script>\\n\\033[31mred\\033[0m \\342\\200\\256bidi\\n'",
        "%%agent --script -\n"
        '["# Hi\\n\\n<img src=x onerror=window.PWN=3> [x](javascript:window.PWN=4) ![y](http://127.0.0.1:1/z.png)"]',
    ]
    lab = opened(open_lab, cells)
    lab.run(1, wait=True)
    lab.run(2, wait=True)
    lab.run(3)
    lab.wait_text(3, "window.PWN=2")
    lab.click_button("Allow once")
    lab.wait_done(3)
    lab.run(4, wait=True)
    assert "<script>window.PWN=2</script>" in lab.text(3)
    assert "onerror" in lab.text(2) and "onerror" in lab.text(4)
    assert lab.page.locator(".jp-OutputArea img").count() == 0
    assert lab.page.evaluate("window.PWN") is None
    lab.save()
    # Every cell ran here, so the saved file is trusted: opened again, its HTML is shown without being cleaned.
    lab.open("a.ipynb", wait_kernel=False)
    lab.wait_text(3, "window.PWN=2")
    assert lab.page.evaluate("window.PWN") is None


def test_dollar_signs_of_commands_are_no_mathematics(open_lab) -> None:
    cells = ["%tool Bash touch made; echo $((6 * 7)) and $HOME", '%%agent --script -\n["So $e^2$ it is."]']
    lab = opened(open_lab, cells)
    lab.run(1)
    lab.wait_text(1, "asks to run")
    lab.click_button("Deny")
    lab.click_button("Deny")
    lab.wait_done(1)
    lab.run(2, wait=True)
    lab.cell(2).locator("mjx-container").first.wait_for()
    assert lab.cell(1).locator("mjx-container").count() == 0
    assert "$((6 * 7)) and $HOME" in lab.text(1)


def test_a_flood_of_output_keeps_the_page_alive(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool Bash touch made; seq 1 100000", "print(x.output.total_lines)"])
    lab.run(1)
    lab.click_button("Allow once")
    lab.wait_done(1)
    lab.wait_text(1, "100000")
    lab.run(2, wait=True)
    assert lab.text(2) == "100000"
    assert len(json.dumps(lab.outputs(1))) < 50_000
    assert "rate exceeded" not in lab.server.log_path.read_text()


def test_stepping_through_a_call(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool --step Glob pattern=*.ipynb", "print(x.status, len(x.events))"])
    lab.run(1)
    hint = ""
    for _ in range(8):
        other = f".jp-Notebook button:visible:enabled:not([title={json.dumps(hint)}])"  # of the stop after the last one
        button = lab.page.locator(other, has_text="Next").first
        hint = button.get_attribute("title") or ""
        button.click()
    lab.wait_done(1)
    lab.run(2, wait=True)
    assert lab.text(2) == "ok 9"


def test_the_keyboard_alone_is_enough(open_lab) -> None:
    lab = opened(open_lab, ["x = %tool Bash touch made", "print(x.status)"])
    lab.run(1)
    lab.wait_button("Allow once").focus()
    lab.page.keyboard.press("Tab")
    assert "Always allow" in lab.page.evaluate("document.activeElement.innerText")
    lab.page.keyboard.press("Shift+Tab")
    lab.page.keyboard.press("Enter")
    lab.wait_done(1)
    lab.run(2, wait=True)
    assert lab.text(2) == "ok"


def test_completion_of_names_and_fields(open_lab) -> None:
    lab = opened(open_lab, ["%tool Notebook", "%tool Read file_"])
    for index, expected in ((1, "NotebookEdit"), (2, "file_path=")):
        lab.cell(index).locator(".cm-content").click()
        lab.page.keyboard.press("End")
        # JupyterLab drops an answer that takes over a second, as the first one of a kernel may: then one presses again.
        offered = any(_offered_by_tab(lab, index, expected) for _ in range(10))
        assert offered, f"Tab offers no {expected}"
        lab.page.keyboard.press("Escape")


def _offered_by_tab(lab: LabPage, index: int, expected: str) -> bool:
    lab.page.keyboard.press("Tab")
    try:
        lab.page.wait_for_function(
            "([i, t]) => window.jupyterapp.shell.currentWidget.content.widgets[i]"
            ".model.sharedModel.getSource().includes(t)"
            " || [...document.querySelectorAll('.jp-Completer-item')].some(n => n.innerText.includes(t))",
            arg=[index, expected],
            timeout=5_000,
        )
    except PlaywrightTimeoutError:
        return False
    return True


def test_the_quickstart_from_the_first_cell_to_the_last(open_lab) -> None:
    """As a newcomer runs it: cell by cell, saying yes to every question."""
    lab = open_lab()
    shutil.copytree(REPOSITORY / "notebooks", lab.server.root, dirs_exist_ok=True)
    lab.open("00_quickstart.ipynb")
    cells = json.loads((REPOSITORY / "notebooks/00_quickstart.ipynb").read_text())["cells"]
    asked = 0
    for index in (i for i, cell in enumerate(cells) if cell["cell_type"] == "code"):
        lab.run(index)
        done, until = re.compile(r"^\d+$"), time.monotonic() + CELL_TIMEOUT_S
        while not done.match(lab.prompt(index).strip()):
            assert time.monotonic() < until, f"the cell {index} does not end: {lab.text(index)}"
            for label in ("Allow once", "Next"):
                button = lab.page.locator(".jp-Notebook button:visible:enabled", has_text=label)
                if button.count():
                    asked += label == "Allow once"
                    button.first.click()
            lab.page.wait_for_timeout(50)
        kinds = [output["output_type"] for output in lab.outputs(index)]
        assert "error" not in kinds, lab.text(index)
    assert asked >= 7
    assert lab.errors == []
