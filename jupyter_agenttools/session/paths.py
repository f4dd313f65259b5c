"""Where sessions lie on disk."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def data_home() -> Path:
    """The folder of everything this package keeps: ``$JUPYTER_AGENTTOOLS_HOME``, or the platform's data folder."""
    home = os.environ.get("JUPYTER_AGENTTOOLS_HOME")
    return Path(home).expanduser() if home else Path(platformdirs.user_data_dir("jupyter_agenttools", appauthor=False))


def session_folder(session_id: str) -> Path:
    """The folder of one session: ``transcript.jsonl`` and ``tool-results/``. Not made yet."""
    return data_home() / "sessions" / session_id
