"""Every notebook runs to its end with no key, no network and nobody there; the demo tells what its calls did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kernel

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def test_the_demo_prints_the_transcript_of_every_call() -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_AGENTTOOLS")}
    before = sorted(NOTEBOOKS.iterdir())
    command = [sys.executable, str(NOTEBOOKS / "run_demo.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=150)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert sorted(NOTEBOOKS.iterdir()) == before, "it runs in a copy"
    cells, _, transcript = done.stdout.partition("Transcript of session")
    assert "In [1]: %load_ext jupyter_agenttools" in cells and "step 10 of 10" in cells
    calls = [line.split()[0] for line in transcript.splitlines() if line[:1].isalpha()]
    tools = {"Read", "Bash", "Glob", "Grep", "Edit", "NotebookEdit", "Write", "TodoWrite", "dice"}
    assert tools <= set(calls)
    shown = ("slow.py", "time.sleep(0.05)", "image", "2 of 2 done", "Undo: What do", "Redo: What do", "mode: default")
    assert [words for words in shown if words not in cells] == []
    assert "allowed by the rule Bash(python slow.py)" in transcript
    assert "denied: nobody can be asked here" in transcript
    assert transcript.count("\n  = ") == len(calls), "each call ends once"
