"""One rule against one call: what hooks filter by, and what a person is told before a rule is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..core.call import CallState
from ..core.context import RuleSource, ToolPermissionContext
from ..core.errors import RuleSyntaxError
from .checks import check_allow_rules
from .matchers import matcher_for
from .question import Question
from .rules import make_rule
from .table import table_of


def rule_matches(rule: str, state: CallState) -> bool:
    """Is this call one that the rule is about? For a hook's ``if``.

    A command is meant when any part of it matches, a path where an allow rule would mean it.

    Raises:
        RuleSyntaxError: the rule cannot be read.
    """
    question = _question(state)
    behavior = "ask" if question.tool.rule_family == "command" else "allow"
    matcher = matcher_for(make_rule(rule, "session", behavior), question.tool, None)
    return matcher is not None and matcher(question)


def rule_allows(rule: str | Sequence[str], state: CallState) -> bool:
    """Would an allow rule of this text, or several, cover the whole call? A rule that cannot be read covers nothing.

    Alone, or with the allow rules that there are where those without it do not.
    """
    rules = (rule,) if isinstance(rule, str) else tuple(rule)
    kept = state.context.permission.always_allow_rules
    session = (*kept.get("session", ()), *rules)
    if _allowed({"session": rules}, state):
        return True
    return _allowed({**kept, "session": session}, state) and not _allowed(kept, state)


def _allowed(rules: Mapping[RuleSource, tuple[str, ...]], state: CallState) -> bool:
    permission = replace(state.context.permission, always_allow_rules=rules, always_ask_rules={}, always_deny_rules={})
    question = _question(state, permission)
    try:
        return check_allow_rules(question, table_of(permission).plan_for(question.tool)) is not None
    except RuleSyntaxError:
        return False


def _question(state: CallState, permission: ToolPermissionContext | None = None) -> Question:
    assert state.tool is not None and state.observed is not None
    context = state.context
    if permission is not None:
        context = replace(context, state=replace(context.state, permission=permission))
    return Question(state.tool, state.input, state.observed, context, state.pre_hooks)
