"""A kernel is killed in the middle of a turn, and another one goes on with the conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.kernels import KernelDied

pytestmark = pytest.mark.kernel

TURNS = [
    {"text": "I look.", "tool_uses": [{"name": "Bash", "input": {"command": "echo first"}}]},
    {"text": "And again.", "tool_uses": [{"name": "Bash", "input": {"command": "echo up; sleep 3600 | cat"}}]},
]
SESSION = "get_ipython().run_line_magic('agent', 'session')"


def test_another_kernel_goes_on_with_the_conversation(start_kernel, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash(sleep *)", "Bash(echo *)", "Bash(cat)"]}}))
    env = {"JUPYTER_AGENTTOOLS_HOME": str(tmp_path / "home"), "JUPYTER_AGENTTOOLS_SETTINGS": str(settings)}
    first = start_kernel(env=env)
    first.run("%load_ext jupyter_agenttools")
    cell = first.start(f"%%agent --script -\n{json.dumps(TURNS)}")

    def runs() -> bool:
        found = list((tmp_path / "home").glob("sessions/*/transcript.jsonl"))
        return bool(found) and b'"tail":"up\\n"' in found[0].read_bytes()

    first.pump_until(runs, 20, "the second command")
    first.kill()
    with pytest.raises(KernelDied):
        cell.wait(10)
    second = start_kernel(env=env)
    second.run("%load_ext jupyter_agenttools")
    shown = second.run("%agent resume last")
    assert "messages long" in str(shown.outputs), shown.outputs
    turns = json.dumps(["I go on."])
    second.run(f"%%agent --script -\n{turns}")
    told = str(second.run(f"[(m.role, m.text) for m in {SESSION}.messages]").outputs)
    assert told.index("I look.") < told.index("And again.") < told.index("I go on.")
    results = second.run(f"[b.text for m in {SESSION}.messages for b in m.content if b.type == 'tool_result']")
    assert "first" in str(results.outputs) and "nterrupted" in str(results.outputs)
