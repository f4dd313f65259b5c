"""The kernel driver itself: a test that rests on it must be able to trust it."""

from __future__ import annotations

import psutil
import pytest

from tests.support.environments import EVERY_KERNEL, MATRIX, ON_SUBSHELL
from tests.support.kernels import KernelDied, KernelSession, ipykernel_env
from tests.support.widget_front_end import WidgetFrontEnd

pytestmark = pytest.mark.kernel

CLICK_CELL = """
import asyncio, ipywidgets
button, box = ipywidgets.Button(description="Allow"), ipywidgets.VBox()
box.children, box._view_count = [button], 0
clicked = []
button.on_click(lambda _: clicked.append(box._view_count))
display(box)
for _ in range(400):
    if clicked: break
    await asyncio.sleep(0.025)
print("views when clicked:", clicked)
box.close()
"""


def test_outputs_are_folded_as_a_notebook_holds_them(start_kernel):
    kernel = start_kernel()
    first = kernel.run("print('a'); print('b'); h = display({'text/plain': 'old'}, raw=True, display_id='x'); 6 * 7")
    assert [o["output_type"] for o in first.outputs] == ["stream", "display_data", "execute_result"]
    assert first.outputs[0]["text"] == "a\nb\n"
    kernel.run("h.update({'text/plain': 'new', 'text/html': '<b>new</b>'}, raw=True)")
    assert first.data("text/plain") == ["new", "42"]
    assert first.data("text/html") == ["<b>new</b>"]
    assert first.status == "ok" and first.execution_count == 1


def test_clear_output_and_errors(start_kernel):
    kernel = start_kernel()
    cleared = kernel.run("from IPython.display import clear_output\nprint('a'); clear_output(wait=True); print('b')")
    assert cleared.text == "b\n"
    failed, queued = kernel.start("1 / 0"), kernel.start("print('never')")
    assert failed.wait().error == "ZeroDivisionError: division by zero"
    assert queued.wait().status == "aborted"


def test_input_is_answered_and_refused(start_kernel):
    kernel = start_kernel()
    answered = kernel.run("print(input('name? '))", on_input=lambda prompt, password: prompt.upper())
    assert answered.prompts == ["name? "] and answered.text == "NAME? \n"
    assert kernel.run("input()").error.startswith("StdinNotImplementedError")


def test_interrupt_and_kill(start_kernel):
    kernel = start_kernel()
    running = kernel.start("print('up', flush=True)\nimport time\nwhile True: time.sleep(0.05)").wait_text("up")
    kernel.interrupt()
    assert running.wait(10).error.startswith("KeyboardInterrupt")
    hanging = kernel.start("print('up', flush=True)\nwhile True: time.sleep(0.05)").wait_text("up")
    kernel.kill()
    with pytest.raises(KernelDied):
        hanging.wait(10)
    kernel.restart()
    assert kernel.run("2 + 2").text == "4"


def test_nothing_is_left_running():
    with KernelSession() as kernel:
        child = kernel.run(
            "import subprocess\np = subprocess.Popen(['sleep', '60'], start_new_session=True)\nprint(p.pid)"
        ).text
        left = [kernel.process, psutil.Process(int(child))]
    assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in left)


@pytest.mark.parametrize(("version", "subshells"), [("7.4.0", True), ("7.4.0", False)])
def test_a_click_reaches_an_awaiting_cell(start_kernel, version, subshells):
    kernel = start_kernel(version)
    front_end = WidgetFrontEnd(kernel, subshells=subshells)
    cell = kernel.start(CLICK_CELL)
    front_end.click("Allow")
    assert cell.wait(15).text.endswith("views when clicked: [1]\n")
    assert front_end.visible() == [] and front_end.closed


@pytest.mark.skipif(ON_SUBSHELL not in MATRIX, reason=f"{EVERY_KERNEL} is not set")
def test_without_subshells_a_click_waits_for_the_end_of_the_cell_on_7_3(start_kernel):
    kernel = start_kernel(ON_SUBSHELL)
    front_end = WidgetFrontEnd(kernel, subshells=False)
    cell = kernel.start(CLICK_CELL.replace("range(400)", "range(40)"))
    front_end.click("Allow")
    assert cell.wait(15).text.endswith("views when clicked: []\n")


def test_a_click_waits_for_the_end_of_the_cell_on_6_31(start_kernel):
    kernel = start_kernel("6.31.0")
    front_end = WidgetFrontEnd(kernel)
    assert front_end.subshell_id is None
    cell = kernel.start(CLICK_CELL.replace("range(400)", "range(40)"))
    front_end.click("Allow")
    assert cell.wait(15).text.endswith("views when clicked: []\n")


def test_a_console_counts_no_views(start_kernel):
    kernel = start_kernel()
    front_end = WidgetFrontEnd(kernel, renders=False)
    cell = kernel.run("import ipywidgets\nbox = ipywidgets.HTML('hello')\nbox._view_count = 0\ndisplay(box)")
    kernel.run("pass")
    assert kernel.run("print(box._view_count)").text == "0\n"
    assert front_end.visible() == [] and cell.data("application/vnd.jupyter.widget-view+json")


def test_values_travel_both_ways(start_kernel):
    kernel = start_kernel()
    front_end = WidgetFrontEnd(kernel)
    kernel.run("import ipywidgets\ntext = ipywidgets.Text(description='Why', value='old')\ndisplay(text)")
    assert front_end.find("Why").state["value"] == "old" and front_end.text() == "old"
    front_end.set_value("Why", "new")
    assert kernel.run("print(text.value); text.value = 'third'").text == "new\n"
    kernel.pump_until(lambda: front_end.text() == "third", 5, "the kernel's own change")
    with pytest.raises(LookupError, match="no widget 'Nope'"):
        front_end.find("Nope")


def test_the_environment_has_the_version_that_was_asked_for(start_kernel):
    kernel = start_kernel("6.31.0")
    assert kernel.run("import ipykernel; print(ipykernel.__version__)").text == "6.31.0\n"
    assert ipykernel_env("6.31.0") == ipykernel_env("6.31.0")
