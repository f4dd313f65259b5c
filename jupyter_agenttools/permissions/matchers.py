"""From a rule to a test of one call, by the family of the tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..core.names import REPL_TOOL_NAME
from ..core.tool import Tool
from .command.matching import compile_command_pattern, fires
from .command.writes import Write
from .domains import PREFIX, HostPattern, domain_matches
from .names import OLD_NAMES, name_matches
from .params import param_matches, split_param
from .paths import PathPattern, Reach, compile_path_pattern, path_forms
from .patterns import Wildcard, compile_wildcard
from .powershell import powershell_fires
from .question import Question
from .rules import PermissionRule


class Matcher(NamedTuple):
    """The test of one rule for calls of one tool.

    Attributes:
        test: whether the rule is about a call.
        subject: the pattern that the test compares a command, paths or a host with, where it does nothing else.
    """

    test: Callable[[Question], bool]
    subject: Wildcard | PathPattern | Reach | HostPattern | None = None

    def __call__(self, question: Question) -> bool:
        return self.test(question)


SEARCHES = frozenset({"Glob", "Grep", "LSP"})
"""Tools that read wherever they look; ``Read`` rules about paths are about them as well."""

PATH_RULES = frozenset({"Read", "Edit"})
"""Names of rules about paths, which govern other tools than those of that name as well."""

RULE_FIELDS = {"Agent": "subagent_type", "Skill": "skill"}
"""What rules of these names are about, whatever the first field of a tool of that name is."""

IGNORED_PATH_RULES = SEARCHES | {"Write", "NotebookEdit", "MultiEdit"}
"""Tools whose paths ``Edit`` and ``Read`` rules govern: an allow rule with a path of their own has no effect."""


CODE_TOOLS = frozenset({REPL_TOOL_NAME})
"""Tools that run a program text: with a `*` an allow rule would let anything pass that begins harmlessly, so it means
exactly its own text there. Rules that deny or ask may have one."""


always = Matcher(lambda question: True)
"""The matcher of a rule about a whole tool."""


def matcher_for(rule: PermissionRule, tool: Tool, root: str | None) -> Matcher | None:
    """The test of this rule for calls of ``tool``, ``None`` when it is not about them.

    Args:
        root: the folder that ``/path`` in this rule starts from, ``None`` for the one where the session began.

    Raises:
        RuleSyntaxError: the specifier cannot be read.
    """
    if not name_matches(rule.tool_name, tool, rule.behavior):
        return _implied_matcher(rule, tool, root)
    if rule.specifier is None:
        return always
    matcher = _specifier_matcher(rule, rule.specifier, tool, root)
    param = split_param(rule.specifier) if rule.behavior != "allow" else None
    if param is None or (tool.rule_family == "command" and param[1].strip() == "*"):
        return matcher
    if tool.rule_family == "domain" and param[0].lower() == PREFIX.rstrip(":"):
        return matcher
    field, pattern = param

    def by_param(question: Question) -> bool:
        return param_matches(field, pattern, question.observed)

    return Matcher(by_param if matcher is None else lambda question: by_param(question) or matcher(question))


def _specifier_matcher(rule: PermissionRule, specifier: str, tool: Tool, root: str | None) -> Matcher | None:
    family = tool.rule_family
    if family == "command":
        return _command_matcher(specifier) if rule.behavior != "allow" else None
    if family in ("read", "edit"):
        if rule.behavior == "allow" and rule.tool_name in IGNORED_PATH_RULES:
            return None
        return _path_matcher(rule, specifier, root)
    if family == "domain":
        return _domain_matcher(rule, specifier)
    return None if family == "mcp" else _text_matcher(rule, specifier, tool)


def _implied_matcher(rule: PermissionRule, tool: Tool, root: str | None) -> Matcher | None:
    """What rules about reading and editing say of other tools. A search shows what is in files: what must not be read
    at all, or only when somebody was asked, must not be searched either."""
    family, behavior = tool.rule_family, rule.behavior
    read_covers_search = rule.tool_name == "Read" and tool.name in SEARCHES
    edits = family == "command" and behavior == "deny" and rule.tool_name == "Edit"
    if rule.specifier is None:
        whole = Matcher(lambda question: bool(question.writes)) if edits else None
        return always if read_covers_search and behavior != "allow" else whole
    if read_covers_search:
        return _path_matcher(rule, rule.specifier, root)
    edit_implies_read = family == "read" and behavior == "allow" and rule.tool_name == "Edit"
    read_blocks_edit = family == "edit" and behavior == "deny" and rule.tool_name == "Read"
    if edit_implies_read or read_blocks_edit:
        return _path_matcher(rule, rule.specifier, root)
    if edits:
        return _writes_matcher(rule, rule.specifier, root)
    if family == "command" and behavior != "allow" and rule.tool_name == "Read":
        return _command_reads_matcher(rule, rule.specifier, root)
    return None


def _command_matcher(specifier: str) -> Matcher:
    pattern = compile_command_pattern(specifier)

    def matches(question: Question) -> bool:
        if question.command is None:
            return False
        return fires(pattern, question.command) if question.is_bash else powershell_fires(specifier, question.command)

    return Matcher(matches, pattern)


def _path_matcher(rule: PermissionRule, specifier: str, root: str | None) -> Matcher:
    pattern, is_allowing = compile_path_pattern(specifier, rule.behavior), rule.behavior == "allow"

    def matches(question: Question) -> bool:
        paths, base = question.paths_to_allow if is_allowing else question.paths, question.base
        return paths is not None and pattern.matches(paths, source_root=root or base, cwd=base)

    return Matcher(matches, pattern)


def written_against(rule: PermissionRule, question: Question) -> Write | None:
    """What a command writes that this rule denies editing of; ``None`` when the rule is about something else."""
    if question.tool.rule_family != "command" or rule.tool_name != "Edit":
        return None
    if rule.specifier is None:
        return next(iter(question.writes), None)
    base = question.base
    is_about = compile_path_pattern(rule.specifier, rule.behavior).test(
        source_root=question.permission.rule_roots.get(rule.source) or base, cwd=base
    )
    for write in (*question.writes, *question.other_writes):
        if any(is_about(path_forms(path, question.cwd)) for path in write.forms()):
            return write
    return None


def _writes_matcher(rule: PermissionRule, specifier: str, root: str | None) -> Matcher:
    """The test of a rule about editing for what a command certainly writes."""
    pattern = compile_path_pattern(specifier, rule.behavior)

    def matches(question: Question) -> bool:
        base = question.base
        return any(pattern.matches(form, source_root=root or base, cwd=base) for form in question.edited_paths)

    return Matcher(matches, pattern)


def _command_reads_matcher(rule: PermissionRule, specifier: str, root: str | None) -> Matcher:
    pattern = compile_path_pattern(specifier, rule.behavior)

    def matches(question: Question) -> bool:
        return any(
            pattern.matches(p, source_root=root or question.base, cwd=question.base) for p in question.command_paths
        )

    return Matcher(matches, pattern)


def doubt_matcher_for(rule: PermissionRule, tool: Tool, root: str | None) -> Matcher | None:
    """For a deny or ask rule about paths: may a command do what the rule is about, so that a person has to look?

    It may when it reads a whole folder in which a rule about reading finds something, or when a program that is not
    known to only read is given a path that a rule about editing is about.
    """
    if tool.rule_family != "command" or rule.tool_name not in PATH_RULES or rule.specifier is None:
        return None
    pattern = compile_path_pattern(rule.specifier, rule.behavior)

    def may_edit(question: Question) -> bool:
        base = question.base
        paths = (*question.possible_paths, *question.reached_paths)
        is_about = pattern.test(source_root=root or base, cwd=base)
        return question.may_write_anything or any(map(is_about, paths))

    def may_read(question: Question) -> bool:
        base = question.base
        return any(pattern.could_reach_below(tree, source_root=root or base, cwd=base) for tree in question.trees)

    return Matcher(may_read, Reach(pattern, root)) if rule.tool_name == "Read" else Matcher(may_edit, pattern)


def _domain_matcher(rule: PermissionRule, specifier: str) -> Matcher:
    wanted = HostPattern(specifier[len(PREFIX) :]) if specifier.lower().startswith(PREFIX) else None
    strict = rule.behavior != "allow"

    def matches(question: Question) -> bool:
        host = question.host if strict else question.host_to_allow
        if wanted is None:
            return False
        return strict if host is None else domain_matches(wanted, host)

    return Matcher(matches, wanted)


def _text_matcher(rule: PermissionRule, specifier: str, tool: Tool) -> Matcher:
    """The tool's own matcher, or the field that plain text goes to, compared as a whole.

    Rules of some names are about a field of their own. Where a tool of that name has no such field, what the rule
    forbids cannot be told from anything else, and it holds for every call.
    """
    is_exact = rule.behavior == "allow" and tool.name in CODE_TOOLS
    pattern = compile_wildcard(specifier, word_boundary=True)
    field = RULE_FIELDS.get(OLD_NAMES.get(rule.tool_name, rule.tool_name), tool.primary_field or "")
    if field != (tool.primary_field or "") and tool.prepare_permission_matcher is None:
        is_told = rule.behavior == "allow" or split_param(specifier) is not None
        if not is_told and field not in tool.json_schema.get("properties", {}):
            return always

    def matches(question: Question) -> bool:
        if tool.prepare_permission_matcher is not None:
            return bool(tool.prepare_permission_matcher(question.input)(specifier))
        observed: Mapping[str, object] = question.observed
        value = observed.get(field)
        if is_exact:
            return isinstance(value, str) and value.strip() == specifier.strip()
        return isinstance(value, str) and pattern.matches(value)

    return Matcher(matches)
