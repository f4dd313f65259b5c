"""Commands in the background of a kernel: typed answers, the button, the notes, and a kernel that is killed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.kernel.test_kernel_killed import MARKER, marked
from tests.support.widget_front_end import WidgetFrontEnd

pytestmark = pytest.mark.kernel


@pytest.fixture
def kernel(start_kernel, tmp_path: Path):
    started = start_kernel(env={"JUPYTER_AGENTTOOLS_HOME": str(tmp_path)})
    started.run("%load_ext jupyter_agenttools")
    return started


def test_a_person_answers_and_moves(kernel) -> None:
    page = WidgetFrontEnd(kernel)
    asking = kernel.start("%tool Bash read -p 'Name: ' name; echo hello $name > said; cat said", allow_stdin=True)
    page.click("Allow once")
    page.wait_button("Send")
    page.set_value("Your answer", "Ada")
    page.click("Send")
    assert "hello Ada" in str(asking.wait(20).outputs)
    moved = kernel.start("%tool Bash touch begun; sleep 300", allow_stdin=True)
    page.click("Allow once")
    page.click("Background")
    assert "bash_1" in str(moved.wait(20).outputs)
    assert "running" in str(kernel.run("%agent tasks").outputs)
    assert "killed (stopped by the person)" in str(kernel.run("%agent stop bash_1").outputs)
    assert "touch begun; sleep 300" in str(kernel.run("%agent tasks bash_1").outputs)
    for line, says in (
        ("%agent stop", "no turn runs"),
        ("%agent stop bash_9", "bash_1"),
        ("%agent tasks a b", "one ID"),
    ):
        assert says in str(kernel.run(line).outputs)


def test_a_killed_kernel_leaves_no_job(kernel) -> None:
    page = WidgetFrontEnd(kernel)
    command = f"export {MARKER}=yes; setsid sleep 3600 & sleep 3600"
    cell = kernel.start(f'%tool --json Bash {{"command": "{command}", "run_in_background": true}}', allow_stdin=True)
    page.click("Allow once")
    cell.wait(20)
    kernel.pump_until(lambda: len(marked()) >= 2, 20, "the processes of the job")
    kernel.kill()
    deadline = time.monotonic() + 10
    while marked() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marked() == []


def test_lines_of_a_watched_command_stay_when_it_is_over(kernel) -> None:
    command = "for n in 1 2 3; do echo ERROR $((n * 111)); sleep 1.1; done"
    watched = kernel.run(f"%tool Monitor command='{command}' description='errors of the build'")
    kernel.pump_until(lambda: "completed, exit code 0" in str(watched.outputs), 20, "its end")
    assert all(f"ERROR {n}" in str(watched.outputs) for n in (111, 222, 333))


def test_what_a_command_printed_stands_below_its_own_cell_when_it_is_over(kernel) -> None:
    command = "for n in $(seq 1 20); do echo line-$n.; sleep 0.03; done"
    started = kernel.run(f'%tool --json Bash {{"command": "{command}", "run_in_background": true}}')
    other = kernel.run("print('other')")
    kernel.pump_until(lambda: "completed, exit code 0" in str(started.outputs), 20, "its end")
    shown = str(started.outputs)
    places = [shown.index(f"line-{n}.") for n in range(1, 21)]
    assert places == sorted(places) and "line-" not in str(other.outputs)


def test_the_status_names_what_runs_in_the_background(kernel) -> None:
    assert "in the background: nothing" in kernel.run("%agent status").text
    kernel.run('%tool --json Monitor {"command": "sleep 300", "description": "nothing at all", "persistent": true}')
    assert "in the background: monitor_1" in kernel.run("%agent status").text
    kernel.run("%agent stop monitor_1")
    assert "in the background: nothing" in kernel.run("%agent status").text
