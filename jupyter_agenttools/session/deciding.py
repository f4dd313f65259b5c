"""What would the gate say to a call? Nothing is run and nobody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core import schema
from ..core.blocks import ToolUse
from ..core.call import CallState
from ..core.context import ToolUseContext
from ..core.decision import Decision, DecisionStep
from ..core.errors import ToolValidationError
from ..core.faults import faults
from ..core.prompting import PermissionRequest
from ..core.tool import Tool
from ..hooks import HookSet
from ..permissions import rule_allows
from ..pipeline import CallEnvironment, observe, parse_input, validate_input
from ..pipeline.permission import judge


async def decide(state: CallState, env: CallEnvironment, hooks: HookSet) -> Decision:
    """The gate's decision on the call that ``state`` begins with. An input that does not fit is a ``deny``."""
    notes: list[DecisionStep] = []
    for stage in (parse_input, validate_input, observe):
        try:
            state = (await stage.run(state, env)).state
        except ToolValidationError as problem:
            if stage is observe:  # no path that a rule could be about
                step = DecisionStep("observe", "deny", str(problem))
                return Decision("deny", str(problem), trace=(*notes, step), decided_by="schema")
            notes.append(DecisionStep("validate_input", "skipped", f"the call would fail: {problem}"))
        except faults() as problem:
            step = DecisionStep("parse_input", "deny", str(problem))
            return Decision("deny", str(problem), trace=(step,), decided_by="schema")
    notes += _hooks_that_would_run(state, hooks)
    decision = await judge(state)
    return decision._replace(trace=(*notes, *decision.trace))


def covers(rules: Sequence[str], request: PermissionRequest, tool: Tool, context: ToolUseContext) -> bool:
    """Would allow rules of these texts cover the call that is asked about?"""
    return rule_allows(rules, asked_state(request, tool, context))


def asked_state(request: PermissionRequest, tool: Tool, context: ToolUseContext) -> CallState:
    """The call that is asked about, as the gate sees it."""
    use = ToolUse(tool.name, request.input, request.tool_use_id)
    parsed = schema.parse_input(tool, use.input)
    observed = observe.observed_input(tool, parsed, context)
    return CallState(use, context, tool, parsed, observed)


def _hooks_that_would_run(state: CallState, hooks: HookSet) -> Iterable[DecisionStep]:
    matching = hooks.matching("PreToolUse", state)
    return [DecisionStep("pre_hooks", "skipped", f"hook {h.name} would have its say first") for h in matching]
