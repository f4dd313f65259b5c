"""A kernel that is killed in the middle of a call: nothing of the call lives on, and what happened is on disk."""

from __future__ import annotations

import json
import time
from pathlib import Path

import psutil
import pytest

from tests.support.kernels import KernelDied
from tests.support.widget_front_end import WidgetFrontEnd

pytestmark = pytest.mark.kernel

MARKER = "LEFT_BY_A_KILLED_KERNEL"


def marked() -> list[psutil.Process]:
    """The processes that carry the marker in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARKER) == "yes" and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue  # gone, or not ours to look at
    return found


def test_nothing_lives_on_and_the_transcript_is_there(start_kernel, tmp_path: Path) -> None:
    kernel = start_kernel(env={"JUPYTER_AGENTTOOLS_HOME": str(tmp_path)})
    front_end = WidgetFrontEnd(kernel)
    kernel.run("%load_ext jupyter_agenttools")
    command = f"export {MARKER}=yes; (setsid sleep 3600 &) ; sleep 3600 & bash -c 'echo up; sleep 3600'"
    cell = kernel.start(f"%tool Bash {command}", allow_stdin=True)
    front_end.click("Allow once")
    kernel.pump_until(lambda: len(marked()) >= 3, 20, "the processes of the command")
    (transcript,) = tmp_path.glob("sessions/*/transcript.jsonl")
    kernel.kill()
    with pytest.raises(KernelDied):
        cell.wait(10)
    deadline = time.monotonic() + 10
    while marked() and time.monotonic() < deadline:
        psutil.wait_procs(marked(), timeout=0.1)
    assert marked() == []
    lines = [json.loads(line) for line in transcript.read_bytes().splitlines()]
    assert lines[0]["type"] == "session" and "call_start" in {line["type"] for line in lines}
    assert {"permission_request", "permission_answer"} <= {line["type"] for line in lines}
    assert [line["stage"] for line in lines if line["type"] == "stage"][-1] == "permission"
