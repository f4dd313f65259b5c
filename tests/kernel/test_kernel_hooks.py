"""Hooks in a real kernel: from settings and from cells, listed, tried out, and interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kernel.notebooks import notebook

pytestmark = pytest.mark.kernel


def test_hooks_of_settings_and_of_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"type": "command", "command": "echo not this one >&2; exit 2"}
    note = {"type": "command", "command": 'printf \'{"systemMessage": "mind the step"}\''}
    settings = tmp_path / "settings.json"
    hooks = [{"matcher": "Bash", "hooks": [entry]}, {"matcher": "Glob", "hooks": [note]}]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_SETTINGS", str(settings))
    with notebook() as book:
        book.run(
            'from jupyter_agenttools import hook\n@hook("PreToolUse", matcher="Write")\ndef guard(event): return "deny"'
        )
        listed = book.run("%agent hooks").text
        assert "3 of 3 run" in listed and "guard" in listed and str(settings) in listed
        denied = book.run("%tool Bash touch made")
        assert "not this one" in denied.text and not Path(book.kernel.cwd, "made").exists()
        tried = book.run('%agent hooks test guard Write {"file_path": "x", "content": "y"}')
        assert "it would be blocked" in tried.text and not Path(book.kernel.cwd, "x").exists()
        tried = book.run('%agent hooks test 1 Bash {"command": "ls"}').text
        assert "exit code 2" in tried and "not this one" in tried and '"command": "ls"' in tried
        assert "mind the step" in book.run("%tool Glob pattern=*").text
        wrong = book.run("%agent hooks test 7")
        assert wrong.status == "error" and "no hook is meant by '7'" in (wrong.error or "")
