"""The whole policy of a session: every rule with where it is written, whether it counts and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..core.cancel import Cancellation
from ..core.context import RuleBehavior, RuleSource, ToolUseContext
from ..core.errors import UsageError
from ..permissions.rule_check import Finding, PlacedRule, check_rules
from ..permissions.rules import PermissionRule, make_rule
from ..settings import SettingsLayer
from ..settings.files import Lines
from .breadth import breadth_of_rule

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


def check_policy(session: Session, only: Callable[[PermissionRule], bool] = lambda rule: True) -> tuple[Finding, ...]:
    """What is the matter with the rules that count, and which of them allow far more than they seem to?

    Args:
        only: of which rules something shall be said; each is compared with all of them.

    Returns:
        at most one finding for each, in their order.
    """
    rules = [each.placed for each in policy_rules(session) if each.counts]
    asked = [placed for placed in rules if only(placed.rule)]
    context = session.call_context("", Cancellation())
    found = check_rules(rules, session.call_environment().tools, context, only=asked)
    faults = {id(finding.placed): finding for finding in found}
    checked = (faults.get(id(placed)) or _broad(session, placed, context) for placed in asked)
    return tuple(finding for finding in checked if finding is not None)


def _broad(session: Session, placed: PlacedRule, context: ToolUseContext) -> Finding | None:
    if placed.rule.behavior != "allow" or not (said := breadth_of_rule(session, placed.rule.text, context)):
        return None
    return Finding(placed, "broad", said)


def _of_session(source: RuleSource, behavior: RuleBehavior, text: str) -> PolicyRule | None:
    try:
        return PolicyRule(PlacedRule(make_rule(text, source, behavior)))
    except UsageError:
        return None  # the gate notes it as a fault, and everything asks


def _written(session: Session) -> Iterator[PolicyRule]:
    """The rules of the settings files, the strongest file first."""
    permission = session.state.permission
    held = {file.path: content.data for file, content in session.settings.contents.files.items()}
    for layer in reversed(session.settings.layers):
        lines = Lines(held.get(layer.path) or b"")
        lists = layer.data.get("permissions") or {}
        for behavior in ORDER:
            counting = frozenset(permission.rules(behavior).get(layer.source, ()))
            for index, text in enumerate(lists.get(behavior) or ()):
                try:
                    rule = make_rule(text, layer.source, behavior)
                except UsageError:
                    continue
                placed = PlacedRule(rule, f"{layer.path}:{lines.of(('permissions', behavior, index))}")
                counts = rule.text in counting
                yield PolicyRule(placed, "" if counts else _why_not(layer, session), counts)


def _why_not(layer: SettingsLayer, session: Session) -> str:
    if not layer.trusted:
        return "not used: nobody has approved this file as it is now (%agent trust)"
    if session.settings.managed_rules_only:
        return "not used: only the managed settings of this machine may allow calls"
    return "not used in this session"
