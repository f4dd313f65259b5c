"""May this call run? The gate, which never asks anybody itself.

The order is fixed here and nowhere else: deny rules, plan mode, a hook's deny or ask, ask rules, the tool's own check,
protected places, the mode, what a hook or the tool allows, allow rules, reading inside the working directories, and at
last a person. The first check that decides ends the walk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.call import NO_EFFECTS, HookEffects
from ..core.context import ToolPermissionContext, ToolUseContext
from ..core.decision import Decision, DecisionStep
from ..core.faults import faults
from ..core.tool import Tool
from . import checks
from .checks import Found
from .look import OneLook
from .modes import needs_person
from .question import Question
from .table import PASSED, STEPS, ToolPlan, complete_trace, table_of

_BEFORE_TOOL = {
    "deny_rules": checks.check_deny_rules,
    "plan_mode": checks.check_plan_mode,
    "hook": checks.check_hook,
    "ask_rules": checks.check_ask_rules,
}
_AFTER_TOOL = {
    "protected": checks.check_protected,
    "mode": checks.check_mode,
    "approval": checks.check_approval,
    "allow_rules": checks.check_allow_rules,
    "read_only": checks.check_read_only,
    "person": checks.check_person,
}
assert [*_BEFORE_TOOL, "tool", *_AFTER_TOOL] == list(STEPS)


async def decide(
    tool: Tool,
    input: Any,
    observed: Mapping[str, Any],
    context: ToolUseContext,
    hook: HookEffects = NO_EFFECTS,
) -> Decision:
    """What do the rules, the mode, the hooks and the tool say about one call?

    Args:
        tool: the tool. input: its parsed input. observed: the back-filled copy of it that rules are matched with.
        context: whose ``permission`` and ``cwd`` are judged by.
        hook: what the hooks before the call added up to.

    Returns:
        allow, ask or deny with the whole trace. A fault anywhere makes it ask; where nobody can be asked, that is deny.
    """
    with OneLook():
        return await _decide(tool, input, observed, context, hook)


async def _decide(
    tool: Tool, input: Any, observed: Mapping[str, Any], context: ToolUseContext, hook: HookEffects
) -> Decision:
    permission = context.permission
    trace: list[DecisionStep] = []
    question: Question | None = None
    try:
        plan = table_of(permission).plan_for(tool)
        by_person = needs_person(tool, input)
        if plan.settled is not None and hook.behavior is None and not (by_person and plan.settled.behavior == "allow"):
            return plan.settled
        question = Question(tool, input, observed, context, hook)
        is_plain = hook.behavior is None and not by_person and tool.get_path(observed) is None
        by_flag = plan.by_flag if is_plain else None
        if by_flag is not None and (known := by_flag.get(question.is_read_only)) is not None:
            return known
        found = await _walk(question, plan, trace)
        if by_flag is not None:
            return by_flag.setdefault(question.is_read_only, _finish(found, permission, trace))
    except faults() as error:  # a fault in a check must never widen anything
        found = _fault(error, trace)
    decision = _finish(found, permission, trace)
    return decision if question is None else _with_own_steps(decision, question.opinion.steps)


def _with_own_steps(decision: Decision, steps: tuple[DecisionStep, ...]) -> Decision:
    """The decision with the steps of the tool's own check behind its step ``tool``."""
    if not steps:
        return decision
    at = list(STEPS).index("tool") + 1
    return decision._replace(trace=(*decision.trace[:at], *steps, *decision.trace[at:]))


async def _walk(question: Question, plan: ToolPlan, trace: list[DecisionStep]) -> Found:
    for name, check in _BEFORE_TOOL.items():
        if (found := _note(name, check(question, plan), trace)) is not None:
            return found if found.behavior != "ask" else await _or_refusal(found, question, trace)
    if (found := _note("tool", await checks.check_tool(question), trace)) is not None:
        return found
    for name, check in _AFTER_TOOL.items():
        if (found := _note(name, check(question, plan), trace)) is not None:
            return found
    raise AssertionError("the last check always decides")


async def _or_refusal(asked: Found, question: Question, trace: list[DecisionStep]) -> Found:
    """The question, or the tool's own no: what it refuses is put before nobody, and no yes can let it pass."""
    try:
        own = await checks.check_tool(question)
    except faults():  # whoever wants a person to decide is not passed because of it
        return asked
    if own is None or own.behavior != "deny":
        return asked
    between = list(STEPS)[len(trace) : list(STEPS).index("tool")]
    trace += [DecisionStep(check, "skipped", "decided before") for check in between]
    return _note("tool", own, trace) or own


def _note(name: str, found: Found | None, trace: list[DecisionStep]) -> Found | None:
    if found is None:
        trace.append(PASSED[name])
    else:
        label = found.rule.label if found.rule is not None else None
        trace.append(DecisionStep(name, found.behavior, found.reason, label, found.spans))
    return found


def _fault(error: Exception, trace: list[DecisionStep]) -> Found:
    check = list(STEPS)[len(trace)]
    said = f"the check {check} failed, so nothing is allowed: {type(error).__name__}: {error}"
    trace.append(DecisionStep(check, "ask", said))
    return Found("ask", said, "tool" if check == "tool" else "rule", only_person=True)


def _finish(found: Found, permission: ToolPermissionContext, trace: list[DecisionStep]) -> Decision:
    behavior, reason, decided_by = found.behavior, found.reason, found.decided_by
    if behavior == "ask" and permission.mode == "dontAsk":
        behavior, reason, decided_by = "deny", f"the mode dontAsk denies what would ask: {reason}", "mode"
    elif behavior == "ask" and permission.mode == "auto" and decided_by in ("", "tool") and not found.only_person:
        pass  # a classifier is asked before anybody else
    elif behavior == "ask" and permission.should_avoid_permission_prompts:
        behavior, reason, decided_by = "deny", f"nobody can be asked here: {reason}", decided_by or "prompter"
    last = DecisionStep("person", "deny", reason) if behavior != found.behavior else None
    rule = found.rule.text if found.rule is not None else None
    steps, offered = complete_trace(trace, last), found.suggestions
    only_person = behavior == "ask" and found.only_person
    return Decision(behavior, reason, rule, steps, decided_by, offered, found.hardened, found.together, only_person)


def deny_rule_for_tool(tool: Tool, permission: ToolPermissionContext) -> str | None:
    """The deny rule, with its source, that forbids every call of ``tool``; ``None`` when there is none."""
    settled = table_of(permission).plan_for(tool).settled
    if settled is None or settled.behavior != "deny":
        return None
    return settled.trace[0].rule


def filter_denied(tools: tuple[Tool, ...], permission: ToolPermissionContext) -> tuple[Tool, ...]:
    """The tools that are not denied outright, in their order: the model never sees the others."""
    return tuple(tool for tool in tools if deny_rule_for_tool(tool, permission) is None)
