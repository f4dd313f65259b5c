"""Where sessions lie on disk."""

from __future__ import annotations

from pathlib import Path

from ..core.home import agenttools_home


def session_folder(session_id: str) -> Path:
    """The folder of one session: ``transcript.jsonl`` and ``tool-results/``. Not made yet."""
    return sessions_folder() / session_id


def sessions_folder() -> Path:
    """The folder of all sessions. Not made yet."""
    return Path(agenttools_home(), "sessions")
