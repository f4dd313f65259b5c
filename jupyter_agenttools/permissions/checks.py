"""The checks of the gate, each of which looks at one thing and may decide.

A check takes a :class:`Question` and the plan of its tool and returns what it found; ``None`` is "nothing".
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..core.decision import PermissionResult
from ..core.errors import AgentToolsError
from ..core.faults import faults
from .command.coverage import Coverage, Overview, coverage, is_flat, left_open, overview
from .command.suggest import are_together
from .left_open import PART_CHARS, what_is_open
from .matchers import written_against
from .modes import is_plan_file, mode_allows, needs_person, plan_mode_refusal
from .powershell import powershell_coverage
from .protected import critical_command, names_literally, protected_part, protected_words
from .protected_commands import protected_write
from .question import Question
from .redirections import could_redirect_to, may_redirect_to
from .roots import is_inside
from .rule_tests import RuleTests
from .rules import PermissionRule, make_rule
from .suggestions import suggestions_for
from .table import ToolPlan

_CHANGES_PROGRAMS = frozenset({"PATH", "LD_PRELOAD", "RIPGREP_CONFIG_PATH"})
"""With one of these exported before, a call that usually only reads may be something else."""


class Found(NamedTuple):
    """What a check decided.

    Attributes:
        behavior, reason, rule, decided_by: as in ``Decision``; ``rule`` is the rule itself.
        suggestions: rules that would allow the call. hardened: run it in its safest form.
        together: all of the suggestions are needed, not only one. spans: where in the main text the matter is.
        only_person: nobody but a person may answer.
    """

    behavior: Literal["allow", "ask", "deny"]
    reason: str
    decided_by: str
    rule: PermissionRule | None = None
    suggestions: tuple[str, ...] = ()
    hardened: bool = False
    together: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    only_person: bool = False


def check_deny_rules(question: Question, plan: ToolPlan) -> Found | None:
    rule = _first_match(plan.deny, question)
    if rule is None:
        return None
    reason, write = f"denied by the rule {rule.label}", written_against(rule, question)
    if write is None:
        return Found("deny", reason, "rule", rule)
    part = _part_of(question.command or "", write.start, write.end)
    return Found("deny", f"{reason}: {part} would change {write.path}", "rule", rule, spans=((write.start, write.end),))


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
        reason = question.opinion.reason or f"{question.tool.name} is a question to a person"
        return Found("ask", reason, "tool", only_person=True)
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
        only_person = opinion.behavior == "ask" and opinion.only_person
        return Found(opinion.behavior, reason, "tool", suggestions=opinion.suggestions, only_person=only_person)
    if opinion.updated_input is not None:
        reason = f"{question.tool.name} wants to run with another input than it was given"
        return Found("ask", reason, "tool", only_person=True)
    return None


def check_protected(question: Question, plan: ToolPlan) -> Found | None:
    """Protected files and critical removals: neither a mode, nor a hook, nor a broad rule is enough."""
    family, permission = question.tool.rule_family, question.permission
    if question.command is not None:
        place = critical_command(question.command, question.cwd)
        if place is not None:
            return Found("ask", f"this may destroy or change {place}", "rule")
        if (permission.mode == "bypassPermissions" or not question.is_bash) and not question.is_read_only:
            part = protected_words(question.command)
            if part is not None:
                return Found("ask", f"the command names the protected {part}", "rule")
        return _protected_by_command(question, plan) if question.is_bash else None
    watched = family == "edit" or (permission.mode == "bypassPermissions" and not question.is_read_only)
    part = protected_part(question.paths, question.base) if watched and question.paths is not None else None
    if (
        part is None
        or is_plan_file(question)
        or any(
            names_literally(test.rule.specifier, part) and test.matches(question)
            for test in plan.allow
            if test.rule.specifier is not None
        )
    ):
        return None
    return Found("ask", f"{part} is protected: it decides what runs", "rule", suggestions=_suggest(question))


def _protected_by_command(question: Question, plan: ToolPlan) -> Found | None:
    found = protected_write(question)
    if found is None or (command := question.command) is None:
        return None
    if any(_is_this_command(rule, command) for _, rule in plan.allow_commands):
        return None  # a person said yes to this very command
    shown = _part_of(found.shown, 0, len(found.shown))
    if found.part is not None:
        offered = check_person(question, plan).suggestions
        enough = tuple(text for text in offered if _is_this_command(make_rule(text, "session", "allow"), command))
        reason = f"{shown} may change {found.part}, which is protected: it decides what runs"
        return Found("ask", reason, "rule", suggestions=enough)
    # Whatever asks anyhow asks with its own reason, and with rules that would answer it.
    if not any(check(question, plan) for check in (check_mode, check_approval, check_allow_rules)):
        return None
    return Found(
        "ask", f"what {shown} writes cannot be known beforehand, so it may be a place that is protected", "rule"
    )


def _is_this_command(rule: PermissionRule, command: str) -> bool:
    """Whether a rule spells a whole command out, without a wildcard."""
    return rule.specifier == command.strip() and "*" not in command


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
    if question.command is not None and (plan.allow_commands or (question.is_bash and ">" in question.command)):
        found = _covered(question, plan, question.command)
        if found.covered:
            by = [f"the rule {rule.label}" for rule in found.rules]
            by += ["a rule or mode about editing for what it writes"] if found.writes else []
            rule = found.rules[0] if found.rules else None
            return Found("allow", f"allowed by {' and '.join(by)}", "rule", rule)
    return None


def _covered(question: Question, plan: ToolPlan, command: str) -> Coverage:
    """What the allow rules say of the command, worked out once."""
    if (seen := _overview(question, plan, command)) is not None:
        return seen.coverage
    if question.coverage is None:
        question.coverage = _coverage(question, plan, command)
    return question.coverage


def _overview(question: Question, plan: ToolPlan, command: str) -> Overview | None:
    """The same with what is left open; ``None`` where the two have to be looked for one by one."""
    if question.overview is None and question.is_bash and _may_mix(question) and is_flat(command):
        question.overview = overview(
            command,
            plan.allow_commands,
            cwd=question.cwd,
            roots=question.roots,
            may_write=lambda given, resolved: may_redirect_to(question, given, resolved),
            could_write=lambda given, resolved: could_redirect_to(question, given, resolved),
        )
    return question.overview


def _may_mix(question: Question) -> bool:
    """Whether calls that only read need no rule beside those that a rule covers."""
    return _CHANGES_PROGRAMS.isdisjoint(question.context.state.shell_env)


def _coverage(question: Question, plan: ToolPlan, command: str) -> Coverage:
    if not question.is_bash:
        rules = tuple((rule.specifier, rule) for _, rule in plan.allow_commands if rule.specifier is not None)
        used, missing = powershell_coverage(command, rules)
        return Coverage(bool(used), used, missing)
    return coverage(
        command,
        plan.allow_commands,
        cwd=question.cwd,
        roots=question.roots,
        may_mix=_may_mix(question),
        may_write=lambda given, resolved: may_redirect_to(question, given, resolved),
    )


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
    command = question.command
    seen = None if command is None else _left_open(question, plan, command)
    suggestions = question.opinion.suggestions or suggestions_for(question, plan.allow_commands, seen)
    together = question.command is not None and are_together(suggestions, question.command)
    told = what_is_open(question, seen, _covered(question, plan, command) if command is not None else None)
    enough = suggestions if together else suggestions[:1]
    remedy = f"; {' and '.join(enough)} would" if enough else ""
    reason = f"no rule allows {told.words}{remedy}"
    return Found("ask", reason, "", suggestions=suggestions, together=together, spans=told.spans)


def _left_open(question: Question, plan: ToolPlan, command: str) -> Overview | None:
    """What the allow rules leave open of a command for bash."""
    seen = _overview(question, plan, command)
    if seen is not None or not question.is_bash:
        return seen
    return left_open(
        command,
        plan.allow_commands,
        cwd=question.cwd,
        roots=question.roots,
        may_mix=True,
        may_write=lambda given, resolved: may_redirect_to(question, given, resolved),
        could_write=lambda given, resolved: could_redirect_to(question, given, resolved),
    )


def _part_of(command: str, start: int, end: int) -> str:
    """A part of a command as a reason names it: in one line, and short."""
    text = " ".join(command[start:end].split())
    return f"`{text if len(text) <= PART_CHARS else text[: PART_CHARS - 1] + '…'}`"


def _suggest(question: Question) -> tuple[str, ...]:
    return question.opinion.suggestions or suggestions_for(question)


def _first_match(tests: RuleTests, question: Question) -> PermissionRule | None:
    """The first rule that is about the call. A test that fails is reported only if no other one decides.

    Raises:
        AgentToolsError: a test could not be made, and nothing else decided.
    """
    fault: Exception | None = None
    for rule, matches in tests.likely(question):
        try:
            if matches(question):
                return rule
        except faults() as error:  # the rules after it still have to be looked at
            fault = AgentToolsError(f"rule {rule.label} could not be tested: {type(error).__name__}: {error}")
    if fault is not None:
        raise fault
    return None
