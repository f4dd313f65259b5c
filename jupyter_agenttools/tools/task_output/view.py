"""How the output of a task looks to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...core.views import Badge, CodeBlockView, Density, TextBlockView, Tone, ToolView, ViewBlock

if TYPE_CHECKING:
    from .tool import TaskOutputResult

CONDENSED_LINES = 10
TONES: Mapping[str, Tone] = {"running": "info", "completed": "ok", "failed": "error", "killed": "warning"}


def _id(input: Mapping[str, Any]) -> str:
    """The task as far as an input that still streams names it."""
    return str(input.get("task_id") or "")


def render_tool_use(input: Mapping[str, Any], density: Density) -> ToolView:
    return ToolView(f"Output of {_id(input) or 'a task'}")


def state_badge(state: str, words: str) -> Badge:
    return Badge(words, TONES.get(state, "error"))


def render_result(output: TaskOutputResult, density: Density) -> ToolView:
    lines = output.output.split("\n")
    omitted = max(0, len(lines) - CONDENSED_LINES) if density == "condensed" else 0
    text = "\n".join(lines[omitted:])
    blocks: list[ViewBlock] = [CodeBlockView(text, "terminal", omitted=omitted)] if text else []
    blocks += [TextBlockView(note, tone="info") for note in output.notes]
    badges = (state_badge(output.state, output.words), Badge(f"{output.elapsed_ms / 1000:.1f} s"))
    return ToolView(f"{output.task_id}: {output.description or output.command}", badges, tuple(blocks))


def extract_search_text(output: TaskOutputResult) -> str:
    """Exactly what :func:`render_result` shows."""
    title = f"{output.task_id}: {output.description or output.command}"
    return "\n".join(filter(None, (title, output.words, output.output, *output.notes)))


def summary(input: Mapping[str, Any]) -> str:
    return f"Output of {_id(input)}"


def activity(input: Mapping[str, Any]) -> str:
    return f"Waiting for {_id(input) or 'a task'}"
