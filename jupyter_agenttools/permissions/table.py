"""All rules of one permission context, sorted once by the tools that they are about."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple, get_args

from ..core.context import PermissionMode, RuleBehavior, ToolPermissionContext
from ..core.decision import Decision, DecisionStep
from ..core.errors import RuleSyntaxError
from ..core.tool import Tool
from .command.coverage import CommandRules
from .command.matching import compile_command_pattern
from .matchers import PATH_RULES, always, doubt_matcher_for, matcher_for
from .names import name_matches
from .path_rules import Access, PathRules
from .patterns import Wildcard
from .rule_tests import RuleTest, RuleTests
from .rules import PermissionRule, make_rule

MAX_PLANS = 1_000
"""Tools that one context keeps plans for; more than any pool has."""


class ToolPlan(NamedTuple):
    """What one context's rules say of one tool, ready to be asked.

    Attributes:
        tool: the tool; kept so that its identity stays its own.
        deny, ask, allow: the rules with their tests.
        allow_commands: for command tools: pattern and label of each allow rule about some commands.
        faults: why rules about this tool, or of no readable kind, could not be understood.
        settled: the answer when it is the same for every input, else ``None``.
        by_flag: for a tool of which only its read-only flag matters: the answers that were worked out, by that flag;
            ``None`` when more matters.
    """

    tool: Tool
    deny: RuleTests
    ask: RuleTests
    allow: RuleTests
    allow_commands: CommandRules
    faults: tuple[str, ...]
    settled: Decision | None = None
    by_flag: dict[bool, Decision] | None = None


class RuleTable:
    """The compiled rules of one context. Made by :func:`table_of`."""

    def __init__(self, permission: ToolPermissionContext) -> None:
        self.faults: list[str] = []
        self._roots = permission.rule_roots
        self._mode = permission.mode
        self.rules: dict[RuleBehavior, tuple[PermissionRule, ...]] = {
            behavior: tuple(self._read(permission, behavior)) for behavior in get_args(RuleBehavior)
        }
        self._named: dict[RuleBehavior, dict[str, list[int]]] = {}
        for behavior, rules in self.rules.items():
            named = self._named[behavior] = {}
            for at, rule in enumerate(rules):
                named.setdefault(rule.tool_name, []).append(at)
        self._plans: dict[int, ToolPlan] = {}
        self._path_rules: dict[tuple[Access, RuleBehavior, str], PathRules] = {}

    def _read(self, permission: ToolPermissionContext, behavior: RuleBehavior) -> Iterator[PermissionRule]:
        for source, texts in permission.rules(behavior).items():
            for text in texts:
                try:
                    yield make_rule(text, source, behavior)
                except RuleSyntaxError as error:
                    if behavior != "allow":  # an allow rule that cannot be read allows nothing
                        self.faults.append(f"{behavior} rule [{source}]: {error}")

    def plan_for(self, tool: Tool) -> ToolPlan:
        """The plan of ``tool``, made when it is first asked for."""
        plan = self._plans.get(id(tool))
        if plan is None:
            if len(self._plans) >= MAX_PLANS:
                self._plans.clear()
            plan = self._plans[id(tool)] = self._make_plan(tool)
        return plan

    def path_rules(self, access: Access, behavior: RuleBehavior, also: str = "") -> PathRules:
        """The rules about reading or editing paths, put together when they are first asked for.

        Args:
            access, behavior, also: as for :class:`PathRules`.

        Raises:
            RuleSyntaxError: a pattern cannot be read.
        """
        key = (access, behavior, also)
        found = self._path_rules.get(key)
        if found is None:
            found = self._path_rules[key] = PathRules(self.rules[behavior], access, behavior, also)
        return found

    def _make_plan(self, tool: Tool) -> ToolPlan:
        faults = list(self.faults)
        deny = self._tests("deny", tool, faults)
        ask = self._tests("ask", tool, faults)
        for rule in (*self._about("deny", tool), *self._about("ask", tool)):
            if (matcher := doubt_matcher_for(rule, tool, self._roots.get(rule.source))) is not None:
                ask.append(RuleTest(rule, matcher))
        allow = self._tests("allow", tool, [])
        plan = ToolPlan(
            tool, RuleTests(deny), RuleTests(ask), RuleTests(allow), CommandRules(self._commands(tool)), tuple(faults)
        )
        return plan._replace(settled=_settled(plan, self._mode), by_flag={} if _only_flag_matters(plan) else None)

    def _about(self, behavior: RuleBehavior, tool: Tool) -> Iterator[PermissionRule]:
        """The rules that may say something of ``tool``, in their order: by its name, or because they are of paths."""
        rules, named = self.rules[behavior], self._named[behavior]
        lists = [places for name, places in named.items() if name in PATH_RULES or name_matches(name, tool, behavior)]
        return (rules[at] for at in sorted(chain.from_iterable(lists)))

    def _tests(self, behavior: RuleBehavior, tool: Tool, faults: list[str]) -> list[RuleTest]:
        tests = []
        for rule in self._about(behavior, tool):
            try:
                matcher = matcher_for(rule, tool, self._roots.get(rule.source))
            except RuleSyntaxError as error:
                faults.append(f"{behavior} rule {rule.label}: {error}")
                continue
            if matcher is not None:
                tests.append(RuleTest(rule, matcher))
        return tests

    def _commands(self, tool: Tool) -> Iterator[tuple[Wildcard, PermissionRule]]:
        if tool.rule_family == "command":
            for rule in self._about("allow", tool):
                if rule.specifier is not None and name_matches(rule.tool_name, tool, "allow"):
                    yield compile_command_pattern(rule.specifier), rule


_tables: dict[int, tuple[weakref.ref[ToolPermissionContext], RuleTable]] = {}


def table_of(permission: ToolPermissionContext) -> RuleTable:
    """The compiled rules of ``permission``, made once for as long as it lives."""
    key = id(permission)
    entry = _tables.get(key)
    if entry is not None and entry[0]() is permission:
        return entry[1]
    table = RuleTable(permission)
    _tables[key] = (weakref.ref(permission, lambda _: _tables.pop(key, None)), table)
    return table


STEPS: dict[str, str] = {
    "deny_rules": "no deny rule is about this call",
    "plan_mode": "not in plan mode, or the call only reads",
    "hook": "no hook denies it or wants it asked",
    "ask_rules": "no ask rule is about this call",
    "tool": "the tool has no opinion",
    "protected": "nothing protected is touched",
    "mode": "the mode allows nothing by itself",
    "approval": "neither a hook nor the tool allows it",
    "allow_rules": "no allow rule covers it",
    "read_only": "it does not only read inside the working directories",
    "person": "",
}
"""Every check of the gate in its order, with what is said when it finds nothing."""

PASSED = {check: DecisionStep(check, "passthrough", said) for check, said in STEPS.items()}
_NOT_NEEDED = tuple(DecisionStep(check, "skipped", "decided before") for check in STEPS)


def complete_trace(steps: list[DecisionStep], last: DecisionStep | None = None) -> tuple[DecisionStep, ...]:
    """Every check in its order: those that were made, and the ones that were not needed any more.

    Args:
        steps: the checks that were made, each once, from the first on.
        last: what became of the question at the very end, instead of its own last step.
    """
    if last is None:
        return (*steps, *_NOT_NEEDED[len(steps) :])
    kept = steps[: len(STEPS) - 1]
    return (*kept, *_NOT_NEEDED[len(kept) : -1], last)


def _only_flag_matters(plan: ToolPlan) -> bool:
    tool = plan.tool
    tests = (*plan.faults, *plan.deny, *plan.ask, *plan.allow)
    return not tests and tool.check_permissions is None and tool.rule_family == "name"


def _settled(plan: ToolPlan, mode: PermissionMode) -> Decision | None:
    """The answer that no input can change, if rules about the whole tool give one."""
    if plan.faults:
        return None
    denied = next((test.rule for test in plan.deny if test.matches is always), None)
    if denied is not None:
        step = DecisionStep("deny_rules", "deny", f"{denied.text} denies every call of {plan.tool.name}", denied.label)
        reason = f"denied by the rule {denied.label}"
        return Decision("deny", reason, denied.text, complete_trace([step]), "rule")
    allowed = next((test.rule for test in plan.allow if test.matches is always), None)
    tool = plan.tool
    depends_on_input = (
        plan.deny or plan.ask or tool.check_permissions is not None or tool.rule_family in ("edit", "command")
    )
    if allowed is None or depends_on_input or mode in ("plan", "bypassPermissions"):
        return None
    before = list(STEPS)[: list(STEPS).index("allow_rules")]
    step = DecisionStep("allow_rules", "allow", f"{allowed.text} allows every call of {tool.name}", allowed.label)
    reason = f"allowed by the rule {allowed.label}"
    return Decision("allow", reason, allowed.text, complete_trace([*(PASSED[c] for c in before), step]), "rule")
