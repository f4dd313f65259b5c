"""The browser driver itself, in JupyterLab and in Notebook 7."""

from __future__ import annotations

import pytest

from tests.support.browser import LabServer
from tests.support.kernels import ipykernel_env

pytestmark = pytest.mark.browser

BUTTON_CELL = """
import asyncio, ipywidgets
button, clicked = ipywidgets.Button(description="Allow"), []
button.on_click(lambda _: clicked.append(1))
display(button)
for _ in range(400):
    if clicked: break
    await asyncio.sleep(0.025)
print("clicked:", len(clicked))
"""


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_cell_runs_and_a_click_reaches_it(open_lab, app):
    lab = open_lab(app)
    lab.write_nb("a.ipynb", ["print(6 * 7)", BUTTON_CELL, "1 / 0"])
    lab.open("a.ipynb")
    lab.run(0, wait=True)
    assert lab.text(0) == "42" and lab.outputs(0)[0]["text"] == "42\n"
    lab.run(1)
    lab.click_button("Allow")
    lab.wait_done(1)
    lab.wait_text(1, "clicked: 1")
    lab.run(2, wait=True)
    lab.save()
    assert [o.output_type for c in lab.read_nb().cells for o in c.outputs] == [
        "stream",
        "display_data",
        "stream",
        "error",
    ]
    assert lab.errors == []


def test_interrupt_and_reload(open_lab):
    lab = open_lab()
    lab.write_nb("b.ipynb", ["x = 5", "import time\nprint('up')\nwhile True: time.sleep(0.05)", "x"])
    lab.open("b.ipynb")
    lab.run_all()
    lab.wait_text(1, "up")
    assert lab.prompt(1) == "*"
    lab.interrupt()
    lab.wait_text(1, "KeyboardInterrupt")
    lab.save()
    lab.reload()
    assert "KeyboardInterrupt" in lab.text(1)
    lab.run(2, wait=True)
    assert lab.text(2) == "5"


def test_other_kernel_without_subshells(open_lab):
    lab = open_lab(kernels={"old": ipykernel_env("6.31.0")}, comms_over_subshells="disabled")
    lab.write_nb("c.ipynb", ["import ipykernel; print(ipykernel.__version__)"], kernel="old")
    lab.open("c.ipynb")
    lab.run(0, wait=True)
    assert lab.text(0) == "6.31.0"
    setting = lab.page.evaluate("""async () => {
        const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
        return [kernel.commsOverSubshells, kernel.supportsSubshells]; }""")
    assert setting == ["disabled", False]


def test_nothing_is_left_running(tmp_path):
    with LabServer(tmp_path) as server:
        server.api("/api/kernels", "POST", {"name": "python3"})
        family = [server.process, *server.process.children(recursive=True)]
        assert len(family) > 1 and str(server.home) in server.process.environ()["JUPYTER_CONFIG_DIR"]
    assert not any(p.is_running() for p in family)
