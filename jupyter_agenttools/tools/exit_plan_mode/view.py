"""How a plan looks to a person."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.texts import visible
from ...core.views import Badge, Density, TextBlockView, ToolView

if TYPE_CHECKING:
    from .tool import ExitPlanModeOutput

NAME = "Plan"
TITLE_CHARS = 80


def summary(input: Mapping[str, Any]) -> str:
    """The plan's first line without its marks; works while the input is still incomplete."""
    plan = input.get("plan")
    lines = (line.strip("#*-> \t") for line in plan.splitlines()) if isinstance(plan, str) else iter(())
    first = visible(next(filter(None, lines), ""))
    return first if len(first) <= TITLE_CHARS else first[: TITLE_CHARS - 1] + "…"


def plan_view(plan: str, density: Density, *badges: Badge) -> ToolView:
    """The plan as Markdown below its first line."""
    about = re.sub(rf"(?i)^(the )?{NAME}\s*(:\s*|$)", "", summary({"plan": plan}))  # many a plan is headed by just that
    title = f"{NAME}: {about}".rstrip(": ")
    blocks = () if density == "condensed" or not plan else (TextBlockView(visible(plan), markdown=True),)
    return ToolView(title, badges, blocks)


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    plan = input.get("plan")
    return plan_view(plan if isinstance(plan, str) else "", density)


def render_result(output: ExitPlanModeOutput, density: Density) -> ToolView:
    return plan_view(output.plan, density, Badge("approved", "ok"), Badge(output.mode))
