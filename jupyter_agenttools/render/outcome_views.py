"""Which views tell what became of a call? A view that cannot be made never hides the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core import default_views
from ..core.blocks import ToolUse
from ..core.faults import faults
from ..core.names import TODO_WRITE_TOOL_NAME
from ..core.outcome import Outcome
from ..core.tool import Tool
from ..core.views import Badge, ChecklistBlockView, Density, TextBlockView, ToolView, ViewBlock


def observed_input(outcome: Outcome) -> Mapping[str, Any]:
    """The input as hooks and rules saw it: back-filled where the call got that far with the input that it has now."""
    for event in reversed(outcome.events):
        if event.after.observed is not None and event.after.tool_use.input == outcome.tool_use.input:
            return event.after.observed
    return outcome.tool_use.input


def use_view(outcome: Outcome, density: Density) -> ToolView:
    """What was asked."""
    tool, name = outcome.tool, outcome.tool_use.name
    if tool is None:
        return default_views.tool_use(name, outcome.tool_use.input, density)
    observed = observed_input(outcome)
    return _made(
        lambda: tool.render_tool_use(observed, density),
        lambda: default_views.tool_use(name, observed, density),
    )


def use_title(outcome: Outcome) -> str:
    """What was asked, in one line: of the input that was judged and run."""
    return use_view(outcome, "condensed").title or outcome.tool_use.name


def title_of_call(tool: Tool | None, call: ToolUse, input: Mapping[str, Any]) -> str:
    """The same of a call that is not over."""

    def plain() -> ToolView:
        return default_views.tool_use(call.name, call.input, "condensed")

    view = plain() if tool is None else _made(lambda: tool.render_tool_use(input, "condensed"), plain)
    return view.title or call.name


def result_view(outcome: Outcome, density: Density) -> ToolView:
    """What came of it: the tool's result, or why there is none."""
    tool, name = outcome.tool, outcome.tool_use.name
    if tool is None:
        return ToolView(name, blocks=(TextBlockView(outcome.text, tone="error"),))
    if outcome.result is not None and outcome.status in ("ok", "error", "interrupted"):
        return _made(
            lambda: tool.render_result(outcome.output, density),
            lambda: default_views.result(name, outcome.text, density),
        )
    observed = observed_input(outcome)
    if outcome.status == "denied":
        reason = outcome.decision.reason if outcome.decision is not None else outcome.text
        return _made(
            lambda: tool.render_rejected(observed, reason or outcome.text),
            lambda: default_views.rejected(name, observed, outcome.text),
        )
    error = outcome.error or RuntimeError(outcome.text)
    return _made(
        lambda: tool.render_error(observed, error),
        lambda: default_views.error(name, observed, error),
    )


def last_todos(outcomes: Sequence[Outcome], title: str = "") -> tuple[ViewBlock, ...]:
    """The todo list as the last of these calls left it; nothing where none of them wrote one.

    Args:
        title: what the list itself says that it is, where nothing around it does.
    """
    for outcome in reversed(outcomes):
        if outcome.status == "ok" and outcome.tool is not None and outcome.tool.name == TODO_WRITE_TOOL_NAME:
            blocks = result_view(outcome, "transcript").blocks
            if not title:
                return blocks
            return tuple(replace(block, title=title) for block in blocks if isinstance(block, ChecklistBlockView))
    return ()


def grouped_title(outcomes: Sequence[Outcome]) -> str:
    """The title of several calls of one tool, as the tool puts it."""
    tool = outcomes[0].tool
    assert tool is not None and tool.render_grouped is not None
    grouped = tool.render_grouped
    inputs = tuple(observed_input(outcome) for outcome in outcomes)
    return _made(lambda: grouped(inputs), lambda: ToolView(outcomes[0].tool_use.name)).title


def _made(own: Callable[[], ToolView], default: Callable[[], ToolView]) -> ToolView:
    """The tool's own view; the default one, with a badge that says so, when making it fails."""
    try:
        view = own()
        if isinstance(view, ToolView):
            return view
        problem = f"its view is a {type(view).__name__}"
    except faults() as fault:  # a tool's author may err; the record of the call must stand all the same
        problem = f"its view failed: {type(fault).__name__}"
    view = default()
    return ToolView(view.title, (*view.badges, Badge(problem, "warning")), view.blocks, view.collapsed)
