"""The whole policy of a session: every rule with where it is written, whether it counts and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..core.cancel import Cancellation
from ..core.context import RuleBehavior, RuleSource
from ..core.errors import SettingsError, UsageError
from ..permissions.rule_check import Finding, PlacedRule, check_rules
from ..permissions.rules import make_rule
from ..settings import SettingsLayer
from ..settings.files import line_of, read_file

if TYPE_CHECKING:
    from .session import Session

ORDER: tuple[RuleBehavior, ...] = ("deny", "ask", "allow")
"""In which rules are looked at."""


class PolicyRule(NamedTuple):
    """A rule of the policy.

    Attributes:
        placed: the rule and its place.
        note: why it does not count, or what is special about it, ``""`` for an ordinary one.
        counts: whether the gate looks at it.
    """

    placed: PlacedRule
    note: str = ""
    counts: bool = True


def policy_rules(session: Session) -> tuple[PolicyRule, ...]:
    """Every rule in the order deny, ask, allow: those of the files, the strongest first, and of the session."""
    written = list(_written(session))
    places = {(each.placed.rule.source, each.placed.rule.behavior, each.placed.rule.text) for each in written}
    others = [
        each
        for behavior in ORDER
        for source, texts in session.state.permission.rules(behavior).items()
        for text in texts
        if (each := _of_session(source, behavior, text)) is not None
        and (source, behavior, each.placed.rule.text) not in places
    ]
    rank = {behavior: at for at, behavior in enumerate(ORDER)}
    return tuple(sorted((*others, *written), key=lambda each: rank[each.placed.rule.behavior]))


def check_policy(session: Session) -> tuple[Finding, ...]:
    """What is the matter with the rules that count?"""
    rules = [each.placed for each in policy_rules(session) if each.counts]
    return check_rules(rules, session.call_environment().tools, session.call_context("", Cancellation()))


def _of_session(source: RuleSource, behavior: RuleBehavior, text: str) -> PolicyRule | None:
    try:
        return PolicyRule(PlacedRule(make_rule(text, source, behavior)))
    except UsageError:
        return None  # the gate notes it as a fault, and everything asks


def _written(session: Session) -> Iterator[PolicyRule]:
    """The rules of the settings files, the strongest file first."""
    permission = session.state.permission
    for layer in reversed(session.settings.layers):
        data = _bytes_of(layer)
        lists = layer.data.get("permissions") or {}
        for behavior in ORDER:
            counting = permission.rules(behavior).get(layer.source, ())
            for index, text in enumerate(lists.get(behavior) or ()):
                try:
                    rule = make_rule(text, layer.source, behavior)
                except UsageError:
                    continue
                line = line_of(data, ("permissions", behavior, index)) if data else 0
                placed = PlacedRule(rule, f"{layer.path}:{line}" if line else str(layer.path))
                counts = rule.text in counting
                yield PolicyRule(placed, "" if counts else _why_not(layer, session), counts)


def _bytes_of(layer: SettingsLayer) -> bytes | None:
    try:
        return read_file(layer.path)
    except SettingsError:
        return None


def _why_not(layer: SettingsLayer, session: Session) -> str:
    if not layer.trusted:
        return "not used: nobody has approved this file as it is now (%agent trust)"
    if session.settings.managed_rules_only:
        return "not used: only the managed settings of this machine may allow calls"
    return "not used in this session"
