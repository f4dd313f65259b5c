"""Where this project keeps what it remembers about a person's machine."""

from __future__ import annotations

import os
from functools import cache

HOME_VARIABLE = "JUPYTER_AGENTTOOLS_HOME"
"""Names another folder than the platform's usual one."""


def agenttools_home() -> str:
    """The absolute path of our own data folder; it need not exist."""
    return os.path.abspath(os.path.expanduser(os.environ.get(HOME_VARIABLE) or _platform_folder()))


@cache
def _platform_folder() -> str:
    import platformdirs

    return platformdirs.user_data_dir("jupyter_agenttools", appauthor=False)
