"""How entering plan mode looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Density, TextBlockView, ToolView

if TYPE_CHECKING:
    from .tool import EnterPlanModeOutput

NAME = "Plan mode"


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"{NAME}: on")


def render_result(output: EnterPlanModeOutput, density: Density) -> ToolView:
    said = "It only reads until you have approved a plan. `%agent mode default` ends that at once."
    blocks = () if density == "condensed" else (TextBlockView(said, markdown=True),)
    return ToolView(f"{NAME}: on{' already' if output.was_on else ''}", blocks=blocks)
