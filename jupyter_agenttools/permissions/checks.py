"""The checks of the gate, each of which looks at one thing and may decide.

A check takes a :class:`Question` and the plan of its tool and returns what it found; ``None`` is "nothing".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ..core.decision import PermissionResult
from ..core.errors import AgentToolsError
from .command.coverage import Coverage, coverage
from .modes import is_plan_file, mode_allows, needs_person, plan_mode_refusal
from .powershell import powershell_coverage
from .protected import critical_command, names_literally, protected_part, protected_words
from .question import Question
from .roots import is_inside
from .rules import PermissionRule
from .suggestions import suggestions_for
from .table import RuleTest, ToolPlan

_CHANGES_PROGRAMS = frozenset({"PATH", "LD_PRELOAD", "RIPGREP_CONFIG_PATH"})
"""With one of these exported before, a call that usually only reads may be something else."""


class Found(NamedTuple):
    """What a check decided.

    Attributes:
        behavior, reason, rule, decided_by: as in ``Decision``; ``rule`` is the rule itself.
        suggestions: rules that would allow the call. hardened: run it in its safest form.
    """

    behavior: Literal["allow", "ask", "deny"]
    reason: str
    decided_by: str
    rule: PermissionRule | None = None
    suggestions: tuple[str, ...] = ()
    hardened: bool = False


def check_deny_rules(question: Question, plan: ToolPlan) -> Found | None:
    rule = _first_match(plan.deny, question)
    return None if rule is None else Found("deny", f"denied by the rule {rule.label}", "rule", rule)


def check_plan_mode(question: Question, plan: ToolPlan) -> Found | None:
    # Directly after the deny rules: nothing further on, not even a person's answer, may make plan mode write.
    refusal = plan_mode_refusal(question)
    return None if refusal is None else Found("deny", refusal, "mode")


def check_hook(question: Question, plan: ToolPlan) -> Found | None:
    hook = question.hook
    if hook.behavior in (None, "allow"):
        return None
    reason = f"hook {hook.hook or 'without a name'}: {hook.reason or hook.behavior}"
    return Found("deny" if hook.behavior == "deny" else "ask", reason, "hook")


def check_ask_rules(question: Question, plan: ToolPlan) -> Found | None:
    if plan.faults:
        return Found("ask", f"a rule cannot be understood, so everything asks: {plan.faults[0]}", "rule")
    rule = _first_match(plan.ask, question)
    return None if rule is None else Found("ask", f"the rule {rule.label} wants a person to decide", "rule", rule)


async def check_tool(question: Question) -> Found | None:
    """Ask the tool itself; a fault in its check makes the call ask. A question to a person is put to a person."""
    found = await _opinion(question)
    hook = question.hook
    is_answered = hook.behavior == "allow" and hook.updated_input is not None
    if (found is None or found.behavior == "ask") and needs_person(question.tool, question.input) and not is_answered:
        return Found("ask", question.opinion.reason or f"{question.tool.name} is a question to a person", "tool")
    return found


async def _opinion(question: Question) -> Found | None:
    check = question.tool.check_permissions
    if check is None:
        return None
    opinion = await check(question.input, question.context)
    if not isinstance(opinion, PermissionResult):
        raise TypeError(f"check_permissions returned {type(opinion).__name__}, not a PermissionResult")
    if opinion.behavior not in ("allow", "ask", "deny", "passthrough"):
        raise ValueError(f"check_permissions said {opinion.behavior!r}, which is no decision")
    question.opinion = opinion
    if opinion.behavior in ("deny", "ask"):
        reason = opinion.reason or f"{question.tool.name} itself says {opinion.behavior}"
        return Found(opinion.behavior, reason, "tool", suggestions=opinion.suggestions)
    if opinion.updated_input is not None:
        return Found("ask", f"{question.tool.name} wants to run with another input than it was given", "tool")
    return None


def check_protected(question: Question, plan: ToolPlan) -> Found | None:
    """Protected files and critical removals: neither a mode, nor a hook, nor a broad rule is enough."""
    family, permission = question.tool.rule_family, question.permission
    if family == "command" and question.command is not None:
        place = critical_command(question.command, question.cwd)
        if place is not None:
            return Found("ask", f"this may destroy or change {place}", "rule")
        if permission.mode == "bypassPermissions" and not question.is_read_only:
            part = protected_words(question.command)
            return None if part is None else Found("ask", f"the command names the protected {part}", "rule")
        return None
    watched = family == "edit" or (permission.mode == "bypassPermissions" and not question.is_read_only)
    part = protected_part(question.paths, question.base) if watched and question.paths is not None else None
    if part is None or is_plan_file(question) or any(
        names_literally(test.rule.specifier, part) and test.matches(question)
        for test in plan.allow
        if test.rule.specifier is not None
    ):
        return None
    return Found("ask", f"{part} is protected: it decides what runs", "rule", suggestions=_suggest(question))


def check_mode(question: Question, plan: ToolPlan) -> Found | None:
    why = mode_allows(question)
    return None if why is None else Found("allow", why, "mode")


def check_approval(question: Question, plan: ToolPlan) -> Found | None:
    """What a hook or the tool itself allows, now that nothing stands against it."""
    hook, opinion = question.hook, question.opinion
    if hook.behavior == "allow":
        return Found("allow", f"hook {hook.hook or 'without a name'}: {hook.reason or 'allow'}", "hook")
    if opinion.behavior == "allow":
        reason = opinion.reason or f"{question.tool.name} itself allows it"
        return Found("allow", reason, "tool", hardened=opinion.hardened)
    return None


def check_allow_rules(question: Question, plan: ToolPlan) -> Found | None:
    rule = _first_match(plan.allow, question)
    if rule is not None:
        return Found("allow", f"allowed by the rule {rule.label}", "rule", rule)
    if plan.allow_commands and question.command is not None:
        found = _covered(question, plan, question.command)
        if found.covered:
            labels = " and ".join(rule.label for rule in found.rules)
            return Found("allow", f"allowed by the rule {labels}", "rule", found.rules[0])
    return None


def _covered(question: Question, plan: ToolPlan, command: str) -> Coverage:
    if not question.is_bash:
        rules = tuple((rule.specifier, rule) for _, rule in plan.allow_commands if rule.specifier is not None)
        used, missing = powershell_coverage(command, rules)
        return Coverage(bool(used), used, missing)
    may_mix = _CHANGES_PROGRAMS.isdisjoint(question.context.state.shell_env)
    return coverage(command, plan.allow_commands, cwd=question.cwd, roots=question.roots, may_mix=may_mix)


def check_read_only(question: Question, plan: ToolPlan) -> Found | None:
    tool, paths = question.tool, question.paths
    if tool.rule_family not in ("read", "name") or tool.is_mcp or not question.is_read_only:
        return None
    if paths is None:
        return Found("allow", f"{tool.name} only reads", "tool")
    if is_inside(paths.resolved, question.roots):
        return Found("allow", "it only reads, inside the working directories", "tool")
    if is_inside(paths.resolved, question.own_results):
        return Found("allow", "it only reads a result of this session again", "tool")
    return None


def check_person(question: Question, plan: ToolPlan) -> Found:
    """Nothing allowed it: a person has to."""
    suggestions = _suggest(question)
    why = f" ({question.opinion.reason})" if question.opinion.reason else ""
    remedy = f"; {suggestions[0]} would" if suggestions else ""
    return Found("ask", f"{_what_is_missing(question, plan)}{why}{remedy}", "", suggestions=suggestions)


def _what_is_missing(question: Question, plan: ToolPlan) -> str:
    if question.command is not None and len(question.parsed.commands) > 1:
        missing = _covered(question, plan, question.command).missing
        if missing:
            return f"no rule allows `{missing}`"
    return "no rule allows it"


def _suggest(question: Question) -> tuple[str, ...]:
    return question.opinion.suggestions or suggestions_for(question)


def _first_match(tests: Iterable[RuleTest], question: Question) -> PermissionRule | None:
    """The first rule that is about the call. A test that fails is reported only if no other one decides.

    Raises:
        AgentToolsError: a test could not be made, and nothing else decided.
    """
    fault: Exception | None = None
    for rule, matches in tests:
        try:
            if matches(question):
                return rule
        except Exception as error:  # the rules after it still have to be looked at
            fault = AgentToolsError(f"rule {rule.label} could not be tested: {type(error).__name__}: {error}")
    if fault is not None:
        raise fault
    return None
