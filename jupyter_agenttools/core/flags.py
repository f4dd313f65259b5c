"""Which optional tools and modes does a session have? Decided once, when it begins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields

_VARIABLES = {
    "simple": ("JUPYTER_AGENTTOOLS_SIMPLE", "CLAUDE_CODE_SIMPLE"),
    "repl_mode": ("JUPYTER_AGENTTOOLS_REPL_MODE", "CLAUDE_CODE_REPL"),
    "sleep": ("JUPYTER_AGENTTOOLS_SLEEP",),
    "brief": ("JUPYTER_AGENTTOOLS_BRIEF",),
}


@dataclass(frozen=True)
class ToolFlags:
    """The flags of a session.

    Args:
        simple: there is nothing but Bash, Read and Edit.
        repl_mode: the primitives are hidden from the model and live as functions inside of REPL.
        sleep, brief: there is a tool of that name.
    """

    simple: bool = False
    repl_mode: bool = False
    sleep: bool = False
    brief: bool = False


NO_FLAGS = ToolFlags()


def is_env_truthy(value: str | None) -> bool:
    """Whether the value of an environment variable means yes."""
    return (value or "").strip().lower() in ("1", "true", "yes", "on")


def resolve_flags(env: Mapping[str, str] = os.environ, *, repl_mode: bool | None = None) -> ToolFlags:
    """The flags that these variables set.

    Args:
        env: variables; one that is set, also to a no, counts before an older name of it and before the settings.
        repl_mode: what the settings say, ``None`` when they do not.
    """
    said = {each.name: _said(_VARIABLES[each.name], env) for each in fields(ToolFlags)}
    if said["repl_mode"] is None:
        said["repl_mode"] = repl_mode
    return ToolFlags(**{name: bool(value) for name, value in said.items()})


def _said(names: tuple[str, ...], env: Mapping[str, str]) -> bool | None:
    value = next((env[name] for name in names if env.get(name, "").strip()), None)
    return None if value is None else is_env_truthy(value)
