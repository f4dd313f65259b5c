"""What may be set about many calls: how many run at once, and whether a failed command stops those beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_MAX_CONCURRENCY = 10
"""The field's default for calls that run at the same time."""

SIBLING_ABORT_VARIABLE = "JUPYTER_AGENTTOOLS_SIBLING_ABORT"
OFF = frozenset(("0", "false", "no", "off"))
NOTHING: Mapping[str, str] = MappingProxyType({})


def max_concurrency(env: Mapping[str, str] = NOTHING) -> int:
    """How many calls may run at once, from the environment or the default. A value that is no number is not used.

    Args:
        env: the settings' variables, stronger than those of the process.
    """
    for name in ("JUPYTER_AGENTTOOLS_MAX_TOOL_USE_CONCURRENCY", "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"):
        value = _value(name, env)
        if value.isdigit() and int(value) > 0:
            return int(value)
    return DEFAULT_MAX_CONCURRENCY


def siblings_are_aborted(env: Mapping[str, str] = NOTHING) -> bool:
    """Whether a command that failed stops the calls of the same message. ``…_SIBLING_ABORT=off`` turns it off.

    Args:
        env: as above.
    """
    return _value(SIBLING_ABORT_VARIABLE, env).lower() not in OFF


def _value(name: str, env: Mapping[str, str]) -> str:
    return env.get(name, os.environ.get(name, "")).strip()
