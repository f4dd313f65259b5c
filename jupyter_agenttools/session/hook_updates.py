"""Changes of the rights that a PermissionRequest hook asks for, in the form of the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from ..core.context import ContextState, PermissionMode, RuleBehavior
from ..core.errors import UsageError
from ..core.prompting import RuleScope, RuleUpdate

if TYPE_CHECKING:
    from .session import Session

NEVER_BY_A_HOOK: frozenset[str] = frozenset({"bypassPermissions", "auto"})
"""Modes that only a person chooses."""


async def apply_hook_updates(session: Session, updates: Sequence[Mapping[str, Any]]) -> None:
    """Carry them out: all of them, or none.

    Raises:
        UsageError: one of them cannot be read, is of a kind that hooks cannot ask for, or a rule cannot be kept.
    """
    rules: list[RuleUpdate] = []
    modes: list[PermissionMode] = []
    for update in updates:
        kind = update.get("type")
        if kind == "addRules":
            rules += _rules(update)
        elif kind == "setMode":
            modes.append(_mode(update))
        else:
            raise UsageError(f"hooks can ask for addRules and setMode, not for {kind!r}")
    await session.keep_rules(rules)
    for mode in modes:
        session.modify_state(lambda state, mode=mode: _in_mode(state, mode))


def _rules(update: Mapping[str, Any]) -> list[RuleUpdate]:
    behavior, destination = update.get("behavior", "allow"), update.get("destination", "session")
    if behavior not in get_args(RuleBehavior) or destination not in get_args(RuleScope):
        raise UsageError(f"addRules: {behavior!r} in {destination!r} is no behavior and destination of rules")
    rules = update.get("rules")
    if not isinstance(rules, (list, tuple)):
        raise UsageError("addRules: `rules` is a list")
    return [RuleUpdate(_text(rule), destination, behavior) for rule in rules]


def _text(rule: Any) -> str:
    name = rule.get("toolName") if isinstance(rule, Mapping) else None
    content = rule.get("ruleContent") if isinstance(rule, Mapping) else None
    if not isinstance(name, str) or not (content is None or isinstance(content, str)):
        raise UsageError('addRules: a rule is {"toolName": …, "ruleContent"?: …}')
    return name if content is None else f"{name}({content})"


def _mode(update: Mapping[str, Any]) -> PermissionMode:
    mode = update.get("mode")
    if mode not in get_args(PermissionMode) or mode in NEVER_BY_A_HOOK:
        raise UsageError(f"setMode: a hook cannot choose the mode {mode!r}")
    if update.get("destination", "session") != "session":
        raise UsageError("setMode: a hook chooses the mode of the session, and of nothing else")
    return mode


def _in_mode(state: ContextState, mode: PermissionMode) -> ContextState:
    return replace(state, permission=replace(state.permission, mode=mode))
