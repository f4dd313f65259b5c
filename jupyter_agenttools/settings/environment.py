"""Settings that a run is started with: a file that the environment names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import SettingsError
from .files import parse_file, read_file

SETTINGS_VARIABLE = "JUPYTER_AGENTTOOLS_SETTINGS"
"""Names a file in the schema of ``settings.json``; the way to approve calls of a run that nobody watches."""


def environment_settings() -> Mapping[str, Any]:
    """The settings in the file that the environment names; empty when it names none.

    Raises:
        SettingsError: the file is missing or broken: a run that was to be restricted by it must not start without.
    """
    name = os.environ.get(SETTINGS_VARIABLE)
    if not name:
        return {}
    path = Path(name).expanduser()
    data = read_file(path)
    if data is None:
        raise SettingsError(f"{SETTINGS_VARIABLE} names {path}, and there is no such file")
    return parse_file(path, data)
