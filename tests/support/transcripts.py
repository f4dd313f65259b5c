"""Sessions that leave a transcript, for tests of what is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jupyter_agenttools import ScriptedModel, Session
from jupyter_agenttools.core import ToolUse
from tests.support.tools import echo_tool

ALLOWED = {"permissions": {"allow": ["Echo"]}}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a transcript, each of which has to be whole."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def kinds_of(path: Path) -> list[str]:
    return [line["type"] for line in lines_of(path)]


def echo(text: str, id: str = "") -> ToolUse:
    return ToolUse("Echo", {"text": text}, id) if id else ToolUse("Echo", {"text": text})


def session_in(folder: Path, turns: list[Any] | None = None, **arguments: Any) -> Session:
    """A session with the Echo tool, allowed, whose model plays these turns."""
    values = {"cwd": folder, "tools": [echo_tool()], "settings": ALLOWED, **arguments}
    return Session(model=ScriptedModel(turns or ["Done."]), **values)


async def ask(session: Session, prompt: str) -> None:
    """One query from its beginning to its end."""
    async for _ in session.query(prompt):
        pass


async def finished(folder: Path, turns: list[Any] | None = None, prompt: str = "Go", **arguments: Any) -> Session:
    """A session that was asked once and is over."""
    session = session_in(folder, turns, **arguments)
    await ask(session, prompt)
    await session.aclose()
    return session
