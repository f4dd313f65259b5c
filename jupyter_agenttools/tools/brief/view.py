"""How Brief looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Density, ToolView

if TYPE_CHECKING:
    from .tool import BriefOutput

NAME = "Brief"
_WORDS = {True: "short answers", False: "answers as usual"}


def summary(input: Mapping[str, Any]) -> str:
    """What is wished; works while the input is still incomplete."""
    enabled = input.get("enabled")
    return _WORDS[enabled] if isinstance(enabled, bool) else ""


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"{NAME} {summary(input)}".rstrip())


def render_result(output: BriefOutput, density: Density) -> ToolView:
    return ToolView(f"{NAME} {_WORDS[output.brief]}")
