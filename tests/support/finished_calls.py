"""Finished calls for tests of what shows them: outcomes with a whole walk, made without running anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_agenttools.core import (
    CallState,
    Cancellation,
    ContextState,
    Decision,
    DecisionStep,
    Outcome,
    StageEvent,
    Tool,
    ToolOptions,
    ToolPermissionContext,
    ToolResult,
    ToolResultBlock,
    ToolUse,
    ToolUseContext,
    ToolView,
    build_tool,
)
from jupyter_agenttools.core.blocks import ToolResultBlock as Block
from jupyter_agenttools.core.views import Density, ViewBlock

STAGES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("parse_input", ("tool_use",), ("tool", "input")),
    ("validate_input", ("input",), ()),
    ("speculate", ("input",), ("speculation",)),
    ("observe", ("input",), ("observed",)),
    ("pre_hooks", ("observed",), ("pre_hooks", "input", "observed")),
    ("permission", ("observed",), ("decision",)),
    ("call", ("input",), ("result",)),
    ("post_hooks", ("result",), ("post_hooks", "result")),
    ("map_result", ("result",), ("block",)),
)
ALLOWED = Decision(
    "allow",
    "a rule allows it",
    "Bash(git *)",
    (
        DecisionStep("deny rules", "passthrough", "none of 2 rules matches"),
        DecisionStep("ask rules", "passthrough"),
        DecisionStep("tool", "passthrough", "no opinion"),
        DecisionStep("mode", "passthrough", "default"),
        DecisionStep("allow rules", "allow", "matches", "Bash(git *) [session]"),
    ),
    "rule",
)
DENIED = Decision(
    "deny",
    "a rule denies it: Bash(rm *)",
    "Bash(rm *)",
    (DecisionStep("deny rules", "deny", "matches", "Bash(rm *) [projectSettings]"),),
    "rule",
)


async def _never(input: Any, context: ToolUseContext) -> str:
    raise AssertionError("a finished call is not run again")


def shown_tool(name: str = "Bash", *blocks: ViewBlock, view: ToolView | None = None, **fields: Any) -> Tool:
    """A tool whose result is shown as ``blocks`` (or as ``view``), whatever it is."""

    def render_result(output: Any, density: Density) -> ToolView:
        return view or ToolView(name, blocks=blocks)

    defaults = {"input_json_schema": {"type": "object"}, "render_result": render_result}
    return build_tool(name=name, call=_never, **{**defaults, **fields})


def finished(
    tool: Tool | None,
    input: Mapping[str, Any],
    text: str = "done",
    *,
    output: Any = None,
    status: str = "ok",
    decision: Decision | None = ALLOWED,
    error: BaseException | None = None,
    name: str = "",
    is_error: bool = False,
) -> Outcome:
    """The outcome of a call that walked through all its stages, or as far as its status says."""
    use = ToolUse(name or (tool.name if tool else "Nope"), input, id="toolu_0123456789abcdef01234567")
    context = ToolUseContext(
        use.id, ContextState(ToolPermissionContext(), "/work/dir"), ToolOptions(), Path("/session"), Cancellation()
    )
    result = ToolResult(text if output is None else output, is_error=is_error) if status in ("ok", "error") else None
    result = None if error is not None else result
    block: Block = ToolResultBlock(use.id, text, is_error=status != "ok")
    gained = {"tool": tool, "input": input, "observed": input, "decision": decision, "result": result, "block": block}
    last = {"denied": 6, "interrupted": 7}.get(status, 9) if error is None else 7
    return Outcome(
        tool_use=use,
        status=status,  # type: ignore[arg-type]
        block=block,
        output=None if result is None else result.data,
        decision=decision,
        events=_walk(CallState(use, context), gained, last, status) if tool else (),
        tool=tool,
        input=input,
        error=error,
        result=result,
        duration_ms=123.4,
    )


def _walk(state: CallState, gained: Mapping[str, Any], last: int, status: str) -> tuple[StageEvent, ...]:
    events = []
    for number, (stage, reads, writes) in enumerate(STAGES[:last], 1):
        after = state._replace(**{name: gained[name] for name in writes if gained.get(name) is not None})
        how = status if number == last and status != "ok" else "ok"
        reason = {"permission": "a rule allows it", "pre_hooks": "no hook matches"}.get(stage, "")
        events.append(StageEvent(state.tool_use.id, stage, how, state, after, reads, writes, reason, 1.7e9, 0.42))  # type: ignore[arg-type]
        state = after
    return tuple(events)
