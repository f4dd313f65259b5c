"""What is odd about rules that a person is about to keep: one that is not needed, or that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.prompting import PermissionRequest, RuleScope
from ..permissions.rule_check import PlacedRule, check_rules
from ..permissions.rules import make_rule
from ..pipeline.permission import judge
from .deciding import asked_state
from .policy import policy_rules

if TYPE_CHECKING:
    from .session import Session


def with_rules(state: CallState, rules: Sequence[str], scope: RuleScope) -> CallState:
    """The call as it would be judged if these allow rules were kept as well."""
    permission = state.context.permission
    for rule in rules:
        permission = permission.with_rule("allow", scope, rule)
    return state.but(context=replace(state.context, state=replace(state.context.state, permission=permission)))


async def remarks_on(
    session: Session, rules: Sequence[str], request: PermissionRequest, scope: RuleScope
) -> tuple[str, ...]:
    """A sentence for each odd thing about these allow rules, kept because of the call that is asked about.

    Raises:
        UsageError: a rule that cannot be read.
    """
    still = await _still_asked(session, rules, request, scope)
    found = await anyio.to_thread.run_sync(lambda: dict(_findings(session, rules, scope)))
    needless = [rule for rule in _needless(session, rules, request) if rule not in found]
    told = (f"{rule}: {text}" for rule, text in found.items() if not still or len(rules) > 1)
    return (*still, *(f"{rule} is not needed for this call." for rule in needless), *told)


async def _still_asked(
    session: Session, rules: Sequence[str], request: PermissionRequest, scope: RuleScope
) -> tuple[str, ...]:
    """Whether the very call that is asked about would be asked about again, or denied."""
    tool = session.find_tool(request.tool_name)
    if tool is None or not session.rule_covers(rules, request):
        return ()
    state = asked_state(request, tool, session.call_context(request.tool_use_id, Cancellation()))
    decision = await judge(with_rules(state, rules, scope))
    by_hook = request.decision.decided_by == "hook"
    if decision.behavior == "allow" and not by_hook:
        return ()
    reason = request.decision.reason if decision.behavior == "allow" else decision.reason
    what = "denied" if decision.behavior == "deny" else "asked about"
    return (f"This very call would still be {what} next time: {reason}",)


def _needless(session: Session, rules: Sequence[str], request: PermissionRequest) -> Iterator[str]:
    """The rules without which the others cover the call as well."""
    for rule in rules if len(rules) > 1 else ():
        if session.rule_covers([other for other in rules if other != rule], request):
            yield rule


def _findings(session: Session, rules: Sequence[str], scope: RuleScope) -> Iterator[tuple[str, str]]:
    """What a check of the whole policy says of the new rules."""
    new = [PlacedRule(make_rule(rule, scope, "allow")) for rule in rules]
    texts = {id(placed): rule for placed, rule in zip(new, rules, strict=True)}
    kept = [each.placed for each in policy_rules(session) if each.counts]
    context = session.call_context("", Cancellation())
    for finding in check_rules((*kept, *new), session.call_environment().tools, context, only=new):
        if finding.kind != "broad":  # which is told with an example of what it allows
            yield texts[id(finding.placed)], finding.text
