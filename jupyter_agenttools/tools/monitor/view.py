"""How watching a command looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, TextBlockView, ToolView

if TYPE_CHECKING:
    from .tool import MonitorOutput


def summary(input: Mapping[str, Any]) -> str:
    """``Watching: errors in the log``; works while the input is still incomplete."""
    text = str(input.get("description") or input.get("command") or "a command")
    return f"Watching: {' '.join(text.split())}"


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    command = input.get("command")
    if density == "condensed" or not isinstance(command, str):
        return ToolView(summary(input))
    limit = "until it is stopped" if input.get("persistent") is True else "in the background"
    return ToolView(summary(input), (Badge(limit, "info"),), (CodeBlockView(command, "bash"),))


def render_result(output: MonitorOutput, density: Density) -> ToolView:
    blocks = () if density == "condensed" else (TextBlockView(f"Output: {output.output_path}", tone="info"),)
    return ToolView(_title(output), (Badge(output.task_id, "info"),), blocks)


def _title(output: MonitorOutput) -> str:
    return f"Watching: {output.description}"


def extract_search_text(output: MonitorOutput) -> str:
    """Exactly what :func:`render_result` shows."""
    return f"{_title(output)}\nOutput: {output.output_path}"
