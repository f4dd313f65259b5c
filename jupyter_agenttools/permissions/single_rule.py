"""One rule against one call: what hooks filter by, and what a person is told before a rule is kept."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace

from ..core.call import CallState
from ..core.context import ToolPermissionContext
from ..core.errors import RuleSyntaxError
from ..core.faults import faults
from .checks import check_allow_rules
from .matchers import matcher_for
from .question import Question
from .rules import make_rule
from .suggestions import suggestions_for
from .table import table_of

MAX_MADE = 16
"""Rights with a rule on trial that are kept ready."""


def rule_matches(rule: str, state: CallState) -> bool:
    """Is this call one that the rule is about? For a hook's ``if``.

    A command is meant when any part of it matches, a path where an allow rule would mean it, a host also where it
    cannot be told which one it is.

    Raises:
        RuleSyntaxError: the rule cannot be read.
    """
    question = _question(state)
    behavior = "ask" if question.tool.rule_family in ("command", "domain") else "allow"
    matcher = matcher_for(make_rule(rule, "session", behavior), question.tool, None)
    return matcher is not None and matcher(question)


def rule_allows(rule: str | Sequence[str], state: CallState, *, alone: bool = False) -> bool:
    """Would an allow rule of this text, or several, cover the whole call? A rule that cannot be read covers nothing.

    Alone, or with the allow rules that there are where those without it do not.

    Args:
        alone: look at nothing but the rule, as it is enough for one that is among those that there are.
    """
    rules = (rule,) if isinstance(rule, str) else tuple(rule)
    question = _question(state)
    if question.command is None:
        return any(_is_about(text, question) for text in rules)  # of other calls no two rules cover a part each
    if _allowed(rules, state):
        return True
    if alone or not any(state.context.permission.always_allow_rules.values()):
        return False
    return not _allowed((), state, beside=True) and _allowed(rules, state, beside=True)


def wide_rules(state: CallState) -> tuple[str, ...]:
    """The rules that would allow this call and others like it: each part of a command with any words behind it."""
    question = _question(state)
    plan = table_of(state.context.permission).plan_for(question.tool)
    return suggestions_for(question, plan.allow_commands, wide=True)


def _is_about(rule: str, question: Question) -> bool:
    root = question.permission.rule_roots.get("session")
    try:
        matcher = matcher_for(make_rule(rule, "session", "allow"), question.tool, root)
        return matcher is not None and matcher(question)
    except faults():  # the test may be the tool's own; one that fails vouches for nothing
        return False


def _allowed(rules: tuple[str, ...], state: CallState, *, beside: bool = False) -> bool:
    """Whether these rules cover the call, ``beside`` the allow rules that there are or without them."""
    question = _question(state, _allowing(state.context.permission, rules, beside))
    try:
        return check_allow_rules(question, table_of(question.permission).plan_for(question.tool)) is not None
    except RuleSyntaxError:
        return False


_made: dict[tuple[int, tuple[str, ...], bool], tuple[weakref.ref[ToolPermissionContext], ToolPermissionContext]] = {}


def _allowing(permission: ToolPermissionContext, rules: tuple[str, ...], beside: bool) -> ToolPermissionContext:
    """The rights with nothing but these allow rules, and those that there are; made once for the calls of a trial."""
    key = (id(permission), rules, beside)
    entry = _made.get(key)
    if entry is not None and entry[0]() is permission:
        return entry[1]
    kept = permission.always_allow_rules if beside else {}
    allow = {**kept, "session": (*kept.get("session", ()), *rules)}
    made = replace(permission, always_allow_rules=allow, always_ask_rules={}, always_deny_rules={})
    if len(_made) >= MAX_MADE:
        _made.clear()
    _made[key] = (weakref.ref(permission), made)
    return made


def _question(state: CallState, permission: ToolPermissionContext | None = None) -> Question:
    assert state.tool is not None and state.observed is not None
    context = state.context
    if permission is not None:
        context = replace(context, state=replace(context.state, permission=permission))
    return Question(state.tool, state.input, state.observed, context, state.pre_hooks)
