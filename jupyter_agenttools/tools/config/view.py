"""How Config looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.texts import visible
from ...core.views import Density, TextBlockView, ToolView

if TYPE_CHECKING:
    from .tool import ConfigOutput

NAME = "Config"


def summary(input: Mapping[str, Any]) -> str:
    """``permissionMode = plan``; works while the input is still incomplete."""
    setting, value = input.get("setting"), input.get("value")
    named = visible(setting) if isinstance(setting, str) else ""
    return named if value is None else f"{named} = {visible(str(value))}"


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"{NAME} {summary(input)}".rstrip())


def render_result(output: ConfigOutput, density: Density) -> ToolView:
    before = "" if output.previous is None else f" (before: {output.previous})"
    shown = ", ".join(map(str, output.value)) if isinstance(output.value, tuple) else str(output.value)
    blocks = () if density == "condensed" else (TextBlockView(f"{shown}{before}"),)
    return ToolView(f"{NAME} {output.setting}", blocks=blocks)
