"""What a model is told before the conversation begins."""

from __future__ import annotations

from ..core.context import ToolOptions
from ..core.tool import Tool

INTRODUCTION = (
    "You work inside a person's Jupyter kernel through the tools below. The person sees every call and may refuse it; "
    "a refusal comes back to you as a tool result with the reason. Answer in Markdown."
)


def build_effective_system_prompt(tools: tuple[Tool, ...], options: ToolOptions, cwd: str, custom: str = "") -> str:
    """The system prompt: an introduction (or ``custom`` in its place), the place, then how each tool is used.

    The order of the tools is the pool's, so that the text stays the same from turn to turn.
    """
    guidance = (f"## {tool.name}\n{text}" for tool in tools if (text := tool.prompt(options).strip()))
    return "\n\n".join((custom or INTRODUCTION, f"Working directory: {cwd}", *guidance))
