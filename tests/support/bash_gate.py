"""The gate's answers for the real Bash tool, in a real project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jupyter_agenttools.core import Decision
from jupyter_agenttools.core.schema import parse_input
from jupyter_agenttools.permissions import decide
from jupyter_agenttools.tools.bash import bash_tool
from tests.support.gate import context_of, permission_of


async def ask_bash(command: str, project: Path, rules: Mapping[str, Sequence[str]] | None = None) -> Decision:
    """What the gate says of ``command`` in ``project`` under rules in the settings schema."""
    observed = {"command": command}
    context = context_of(permission_of(project, **{k: list(v) for k, v in (rules or {}).items()}), project)
    return await decide(bash_tool, parse_input(bash_tool, observed), observed, context)
