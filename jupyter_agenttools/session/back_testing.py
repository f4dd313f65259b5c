"""What would allow rules have done to the calls of this session? Told before a person keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import anyio.lowlevel

from ..core.call import CallState
from ..core.decision import Behavior
from ..core.errors import UsageError
from ..core.faults import faults
from ..core.outcome import Outcome
from ..core.prompting import PermissionRequest, RuleScope
from ..core.views import Badge, TableBlockView, TextBlockView, ToolView
from ..permissions import rule_allows, split_rules
from ..permissions.rules import make_rule
from ..pipeline.permission import judge
from .breadth import breadth_of
from .rule_remarks import remarks_on, with_rules

if TYPE_CHECKING:
    from .session import Session

Was = Literal["allowed", "asked", "denied"]
"""How a call went: nobody was asked, somebody was and allowed it, or it was denied."""

SHOWN_CALLS = 8


class PastMatch(NamedTuple):
    """A call of the session that the rules cover.

    Attributes:
        title: what it did.
        was: how it went then.
        now: what the gate would say to it with the rules. why: the reason, where that is not ``allow``.
    """

    title: str
    was: Was
    now: Behavior
    why: str = ""

    @property
    def is_new(self) -> bool:
        """Whether only the rules would let it run without asking."""
        return self.was != "allowed" and self.now == "allow"


class BackTest(NamedTuple):
    """What rules would have done.

    Attributes:
        rules: the rules.
        calls: how many calls of the session were looked at; the latest, as many as are at hand.
        matches: those that the rules cover, the new ones first, else in their order.
        warnings: what the rules allow besides, one sentence each.
        remarks: what is odd about the rules themselves, one sentence each: one that is not needed, or has no effect.
    """

    rules: tuple[str, ...]
    calls: int
    matches: tuple[PastMatch, ...] = ()
    warnings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def new(self) -> tuple[PastMatch, ...]:
        return tuple(match for match in self.matches if match.is_new)

    @property
    def is_harmless(self) -> bool:
        """Whether nobody has to look at it twice: it would have let nothing else through, is not broad
        and not odd."""
        return not self.new and not self.warnings and not self.remarks


def read_rules(text: str) -> tuple[str, ...]:
    """The allow rules that a person typed, with a comma between two or each on a line of its own.

    Raises:
        UsageError: there is none, or one that cannot be read or cannot allow anything.
    """
    rules = split_rules(text)
    if not rules:
        raise UsageError("write a rule, for example Bash(git status) or Edit(src/**)")
    for rule in rules:
        make_rule(rule, "session", "allow")
    return rules


async def back_test(
    session: Session, rules: Sequence[str], request: PermissionRequest, scope: RuleScope = "session"
) -> BackTest:
    """Which calls of the session would these rules have allowed, and how broad are they?

    Every call is judged again by the gate itself, under the session's rights with the rules added.

    Args:
        request: the call that is asked about. scope: where the rules would be kept.

    Raises:
        UsageError: a rule that cannot be read.
    """
    for rule in rules:
        make_rule(rule, "session", "allow")
    states = [(outcome, state) for outcome in session.outcomes if (state := _judged_state(outcome)) is not None]
    found = []
    for outcome, state in states:
        await anyio.lowlevel.checkpoint()  # a long list must not keep the loop from a click
        if (match := await _match(session, rules, scope, outcome, state)) is not None:
            found.append(match)
    found.sort(key=lambda match: not match.is_new)
    remarks = await remarks_on(session, rules, request, scope)
    return BackTest(tuple(rules), len(states), tuple(found), breadth_of(session, rules, request), remarks)


def _judged_state(outcome: Outcome) -> CallState | None:
    """The call as the gate saw it, ``None`` when it never got there."""
    for event in reversed(outcome.events):
        if event.stage == "permission":
            return event.before if event.before.observed is not None else None
    return None


async def _match(
    session: Session, rules: Sequence[str], scope: RuleScope, outcome: Outcome, state: CallState
) -> PastMatch | None:
    now = replace(session.state, cwd=state.context.cwd)
    state = state.but(approved=None, context=replace(state.context, state=now))
    if not rule_allows(rules, state):
        return None
    decision = await judge(with_rules(state, rules, scope))
    why = "" if decision.behavior == "allow" else decision.reason
    return PastMatch(_title(outcome), _was(outcome), decision.behavior, why)


def _was(outcome: Outcome) -> Was:
    decision = outcome.decision
    if outcome.status == "denied" or (decision is not None and decision.behavior == "deny"):
        return "denied"
    people = ("person", "prompter")
    asked = decision is not None and any(s.check in people and s.outcome == "allow" for s in decision.trace)
    return "asked" if asked else "allowed"


def _title(outcome: Outcome) -> str:
    try:
        assert outcome.tool is not None
        return outcome.tool.render_tool_use(outcome.tool_use.input, "condensed").title
    except faults():  # a tool whose own renderer fails still was called
        return outcome.tool_use.name


# ---- for people


def back_test_view(test: BackTest, waiting: int = 0) -> ToolView:
    """The result for a person.

    Args:
        waiting: how many other questions that are open now the rules would answer too.
    """
    notes = tuple(TextBlockView(note, tone="warning") for note in (*test.warnings, *test.remarks))
    also = (TextBlockView(_waiting_words(waiting, len(test.rules))),) if waiting else ()
    shown = test.matches[:SHOWN_CALLS]
    with_it = "with it" if len(test.rules) == 1 else "with them"
    table = (TableBlockView(("call", "then", with_it), tuple(map(_row, shown)), kinds=("code", "text", "text")),)
    more = len(test.matches) - len(shown)
    rest = (TextBlockView(f"… and {more} more"),) if more else ()
    badges = (Badge("broad", "warning"),) if test.warnings else ()
    title = f"Back-test {test.rules[0] if len(test.rules) == 1 else f'{len(test.rules)} rules together'}"
    words = TextBlockView(back_test_words(test))
    return ToolView(title, badges, (*notes, words, *(table if shown else ()), *rest, *also))


def back_test_words(test: BackTest) -> str:
    """The result in a sentence."""
    if not test.calls:
        return "No call of this session has been judged yet, so there is nothing to compare with."
    is_one, found, new = len(test.rules) == 1, len(test.matches), len(test.new)
    subject, covers = ("The rule", "covers") if is_one else ("The rules", "cover")
    if test.calls == 1:
        does = covers if found else f"{'does' if is_one else 'do'} not cover"
        told = f"{subject} {does} the only call of this session so far"
    else:
        count = "all" if found == test.calls else found or "none"
        told = f"{subject} {covers} {count} of the last {test.calls} calls of this session"
    if not found:
        return f"{told}."
    if not new:
        return f"{told}; nothing would run without asking that did not before."
    who = "It" if found == 1 else "All of them" if new == found else f"{new} of them"
    verb = "was" if new == 1 else "were"
    return f"{told}. {who} {verb} asked about or denied then, and would run without asking."


def _waiting_words(waiting: int, rules: int) -> str:
    questions = "question that waits" if waiting == 1 else "questions that wait"
    return f"{waiting} more {questions} would be answered by {'it' if rules == 1 else 'them'}."


def _row(match: PastMatch) -> tuple[str, str, str]:
    now = {"allow": "allowed", "ask": "still asked", "deny": "still denied"}[match.now]
    new = "NEW: " if match.is_new else ""
    return match.title, match.was, f"{new}{now}" + (f" ({match.why})" if match.why else "")
