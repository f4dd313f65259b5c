"""How a search for files looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, ProgressBlockView, ToolView
from ...files.telling import shortened
from .prompt import result_text

if TYPE_CHECKING:
    from .tool import GlobOutput, GlobProgress


def summary(input: Mapping[str, Any]) -> str:
    pattern, path = (shortened(str(input.get(field) or "")) for field in ("pattern", "path"))
    return pattern + (f" in {path}" if path else "")


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"Glob {summary(input)}".rstrip())


def render_progress(payload: GlobProgress) -> ToolView:
    files, folders = f"{payload.found:,} file{_s(payload.found)}", f"{payload.folders:,} folder{_s(payload.folders)}"
    label = f"{files} in {folders} so far"
    return ToolView("Searching", (Badge(f"{payload.elapsed_ms / 1000:.0f} s", "info"),), (ProgressBlockView(label),))


def render_result(output: GlobOutput, density: Density) -> ToolView:
    count = output.total_matches
    badges = [Badge(f"{count:,} file{_s(count)}")]
    if output.stopped_after_s is not None:
        badges.append(Badge("incomplete", "warning"))
    blocks = () if density == "condensed" else (CodeBlockView(result_text(output)),)
    return ToolView(f"Glob {shortened(output.pattern)}", tuple(badges), blocks, collapsed=density == "condensed")


def extract_search_text(output: GlobOutput) -> str:
    return result_text(output)
