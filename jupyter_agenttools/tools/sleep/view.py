"""How waiting looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.texts import visible
from ...core.views import Badge, Density, ToolView

if TYPE_CHECKING:
    from .tool import SleepOutput

NAME = "Sleep"


def summary(input: Mapping[str, Any]) -> str:
    """``90 s: the build``; works while the input is still incomplete."""
    seconds, reason = input.get("seconds"), input.get("reason")
    time = f"{seconds:g} s" if isinstance(seconds, (int, float)) else ""
    return ": ".join(filter(None, (time, visible(reason) if isinstance(reason, str) else "")))


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"{NAME} {summary(input)}".rstrip())


def render_result(output: SleepOutput, density: Density) -> ToolView:
    badges = (Badge("woken", "info"),) if output.woken else ()
    return ToolView(f"{NAME} {output.seconds:.1f} s", badges)
