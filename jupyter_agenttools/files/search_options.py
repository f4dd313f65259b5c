"""What the settings of a session say of searches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

TIME_LIMIT_S = 20.0
"""The field's limit for a search."""

Search = Literal["GLOB", "GREP"]

_TIMEOUTS = {
    "GLOB": ("JUPYTER_AGENTTOOLS_GLOB_TIMEOUT_SECONDS", "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS"),
    "GREP": ("JUPYTER_AGENTTOOLS_GREP_TIMEOUT_SECONDS", "CLAUDE_CODE_GLOB_TIMEOUT_SECONDS"),
}
_SWITCHES = {
    "GLOB": ("JUPYTER_AGENTTOOLS_GLOB_NO_IGNORE", "CLAUDE_CODE_GLOB_NO_IGNORE"),
    "GREP": ("JUPYTER_AGENTTOOLS_GREP_NO_IGNORE",),
}
_OFF = ("", "0", "false", "no", "off")


def time_limit_s(env: Mapping[str, str], search: Search) -> float:
    """Seconds that a search may take.

    Args:
        env: the session's variables; the kernel's own count as well.
    """
    try:
        seconds = float(_setting(env, _TIMEOUTS[search]))
    except ValueError:
        return TIME_LIMIT_S
    return seconds if 0 < seconds < float("inf") else TIME_LIMIT_S


def ignores_nothing(env: Mapping[str, str], search: Search) -> bool:
    """Whether ignore files are not to be asked."""
    return _setting(env, _SWITCHES[search]).lower() not in _OFF


def _setting(env: Mapping[str, str], names: tuple[str, ...]) -> str:
    """The first of these variables that is set."""
    return next((value for name in names if (value := env.get(name) or os.environ.get(name))), "")
