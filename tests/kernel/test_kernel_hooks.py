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
        assert "3 of 3 run" in listed and "guard" in listed
        assert str(settings)[:60] in listed, "a long path is cut, and how much of it is said"
        denied = book.run("%tool Bash touch made")
        assert "not this one" in denied.text and not Path(book.kernel.cwd, "made").exists()
        tried = book.run('%agent hooks test guard Write {"file_path": "x", "content": "y"}')
        assert "it would be blocked" in tried.text and not Path(book.kernel.cwd, "x").exists()
        tried = book.run('%agent hooks test 1 Bash {"command": "ls"}').text
        assert "exit code 2" in tried and "not this one" in tried and '"command": "ls"' in tried
        assert "mind the step" in book.run("%tool Glob pattern=*").text
        wrong = book.run("%agent hooks test 7")
        assert wrong.status == "error" and "no hook is meant by '7'" in (wrong.error or "")


GUARDS = """
from jupyter_agenttools import hook

@hook("PreToolUse", matcher="Edit|Write", if_="Edit(src/**)")
def in_src(event):
    return {"permissionDecision": "deny", "permissionDecisionReason": "VERSION of " + event["tool_name"]}

@hook("PreToolUse", matcher="Write")
async def told(event):
    import anyio
    await anyio.lowlevel.checkpoint()
    heard.append(event["tool_input"]["file_path"])
"""
FAILING = """
@hook("PreToolUse", matcher="Glob", on_failure="CHOICE")
def broken(event):
    raise RuntimeError("a broken guard")
"""


def test_hooks_written_in_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"permissions": {"allow": ["Edit"]}}))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_SETTINGS", str(settings))
    with notebook() as book:
        project = Path(book.kernel.cwd)
        book.run("heard = []\n" + GUARDS.replace("VERSION", "first"))
        assert "first of Write" in book.run("%tool Write file_path=src/a.py content=x").text
        listed = book.run("%agent hooks").text
        assert "2 of 2 run" in listed and "in_src" in listed and "Edit(src/**)" in listed and "python" in listed
        book.run(GUARDS.replace("VERSION", "second"))  # run again, changed: it takes the place of the first
        assert "2 of 2 run" in book.run("%agent hooks").text
        denied = book.run("%tool Write file_path=src/a.py content=x").text
        assert "second of Write" in denied and "first of" not in denied
        assert not (project / "src").exists()
        book.run("%tool Write file_path=docs.txt content=x")  # not in src: only the other one hears of it
        assert book.run("print(len(heard), heard[-1].endswith('docs.txt'))").text.strip() == "3 True"
        book.run(FAILING.replace("CHOICE", "block"))
        assert "a broken guard" in book.run("%tool Glob pattern=*").text
        assert "3 of 3 run" in book.run("%agent hooks").text
        book.run(FAILING.replace("CHOICE", "pass"))
        assert "3 of 3 run" in book.run("%agent hooks").text
        assert "denied" not in book.run("%tool Glob pattern=*").text
        book.run('@hook("PostToolUse", matcher="Glob")\ndef in_src(event): return None')  # another event, another cell
        assert "4 of 4 run" in book.run("%agent hooks").text
        assert "second of Write" in book.run("%tool Write file_path=src/a.py content=x").text
