"""The look-out itself: it sees a changed file, a printed token, and runs only what is allowed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.corpus.commands import EVERYDAY
from tests.support.bash_project import TOKEN, build_project
from tests.support.bubblewrap import HOME, REPOSITORY, sandbox, try_commands

_PROBE = """
import anyio, json
from tests.support.run_allowed import look_after
print(json.dumps(anyio.run(look_after, {commands!r})))
"""


def test_harm_is_seen(tmp_path: Path) -> None:
    build_project(tmp_path)
    commands = [
        "touch made",
        "cat ../secret/token.txt",
        "echo x >> notes.txt",
        "rm data/b64.txt",
        "ls",
        "git config a.b c",
    ]
    words = [*sandbox(tmp_path), sys.executable, "-c", _PROBE.format(commands=commands)]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "HOME": HOME, "AGENT_API_KEY": TOKEN}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=True)
    assert [row["command"] for row in json.loads(done.stdout)] == [c for c in commands if c != "ls"]


def test_everyday_commands_do_no_harm(tmp_path: Path) -> None:
    few = [row.command for row in EVERYDAY][::6]
    trial = try_commands([*few, "touch made"], tmp_path)
    assert "touch made" not in trial.allowed and len(trial.allowed) > len(few) * 0.9
    assert not trial.harms
