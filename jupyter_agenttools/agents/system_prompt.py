"""What a model is told before the conversation begins."""

from __future__ import annotations

from ..core.context import ToolOptions
from ..core.names import EXIT_PLAN_MODE_TOOL_NAME
from ..core.tool import Tool

INTRODUCTION = (
    "You work inside a person's Jupyter kernel through the tools below. The person sees every call and may refuse it; "
    "a refusal comes back to you as a tool result with the reason. Answer in Markdown."
)

BRIEFLY = (
    "# Short answers\n"
    "The person wants short answers: the result and what they have to know, in a few sentences at most, without an "
    "introduction and without a summary of what you did."
)

PLANNING = (
    "# Plan mode is on\n"
    "Calls can only read now; whatever may change something is denied. Find out what is needed, ask the person what is "
    "unclear, and write a plan. It can be kept in {file}, the one file that can be written. When it is ready call "
    f"{EXIT_PLAN_MODE_TOOL_NAME}: the person approves it, or says what is missing."
)


def build_effective_system_prompt(
    tools: tuple[Tool, ...], options: ToolOptions, cwd: str, custom: str = "", *, plan_file: str | None = None
) -> str:
    """The system prompt: an introduction (or ``custom`` in its place), how each tool is used, then the place.

    The order of the tools is the pool's, and what changes from turn to turn (a ``cd`` moves the place) stands last, so
    that the text before it stays the same and a provider's cache of it is used.

    Args:
        plan_file: in plan mode the file that the plan may be written to; told at the end, so that what stands before it
            stays the same.
    """
    guidance = (f"## {tool.name}\n{text}" for tool in tools if (text := tool.prompt(options).strip()))
    planning = () if plan_file is None else (PLANNING.format(file=plan_file),)
    brief = (BRIEFLY,) if options.brief else ()
    return "\n\n".join((custom or INTRODUCTION, *guidance, f"Working directory: {cwd}", *planning, *brief))
