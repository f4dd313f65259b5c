"""The settings file that a run is started with: the environment names it."""

from __future__ import annotations

import os
from pathlib import Path

SETTINGS_VARIABLE = "JUPYTER_AGENTTOOLS_SETTINGS"
"""Names a file in the schema of ``settings.json``; the way to approve calls of a run that nobody watches."""


def environment_file() -> Path | None:
    """The absolute path of the settings file that the environment names, ``None`` when it names none."""
    name = os.environ.get(SETTINGS_VARIABLE)
    return Path(os.path.abspath(os.path.expanduser(name))) if name else None
