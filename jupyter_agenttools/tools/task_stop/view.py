"""How stopping a task looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, ToolView

if TYPE_CHECKING:
    from .tool import TaskStopResult


def summary(input: Mapping[str, Any]) -> str:
    """``Stopping bash_1``; works while the input is still incomplete."""
    return f"Stopping {input.get('task_id') or input.get('shell_id') or 'a task'}"


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(summary(input))


def render_result(output: TaskStopResult, density: Density) -> ToolView:
    badge = Badge(output.words, "error" if output.state == "running" else "ok")
    blocks = () if density == "condensed" else (CodeBlockView(output.command, "bash"),)
    return ToolView(_title(output), (badge,), blocks)


def _title(output: TaskStopResult) -> str:
    return f"{output.task_id} {'was over already' if output.was_over else 'stopped'}"


def extract_search_text(output: TaskStopResult) -> str:
    """Exactly what :func:`render_result` shows."""
    return "\n".join((_title(output), output.words, output.command))
