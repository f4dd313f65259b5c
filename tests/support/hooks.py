"""Settings with hooks, and sessions that have them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from jupyter_agenttools import Session
from jupyter_agenttools.core.events import HookNote

ALLOWED = {"allow": ["Bash(touch *)", "Bash(echo *)", "Echo"]}


def hook_settings(event: str, *entries: dict[str, Any], matcher: str | None = "", **settings: Any) -> dict[str, Any]:
    """Settings in which ``entries`` are the hooks of ``event``; calls that tests make are allowed."""
    group = {"hooks": list(entries)} if matcher is None else {"matcher": matcher, "hooks": list(entries)}
    return {"permissions": ALLOWED, "hooks": {event: [group]}, **settings}


def command(text: str, **fields: Any) -> dict[str, Any]:
    """A command hook."""
    return {"type": "command", "command": text, **fields}


def says(answer: Any, **fields: Any) -> dict[str, Any]:
    """A command hook that prints this answer."""
    return command(f"printf %s {shlex.quote(json.dumps(answer))}", **fields)


def python_script(folder: Path, source: str) -> str:
    """The command that runs this Python program."""
    script = folder / "hook script.py"
    script.write_text(source)
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"


class Notes:
    """An observer that keeps what hooks want a person to know."""

    def __init__(self, session: Session) -> None:
        self.seen: list[HookNote] = []
        session.observers.attach(self)

    def on_hook_note(self, note: HookNote) -> None:
        self.seen.append(note)
