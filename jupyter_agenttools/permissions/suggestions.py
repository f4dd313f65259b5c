"""Which rules would let this very call pass without asking?"""

from __future__ import annotations

import os

from .command.coverage import Overview, Rules
from .command.suggest import suggest_rules
from .domains import PREFIX
from .matchers import SEARCHES
from .names import names_of
from .paths import PathForms, escape_path
from .powershell import suggest_powershell_rules
from .question import Question
from .redirections import could_redirect_to, may_redirect_to
from .rules import ParsedRule, format_rule

_RULE_NAMES = {"edit": "Edit", "read": "Read"}


def suggestions_for(
    question: Question, rules: Rules = (), seen: Overview | None = None, *, wide: bool = False
) -> tuple[str, ...]:
    """Allow rules for this call, the narrowest first; empty when no rule can be written for it.

    Args:
        rules: the allow rules about commands that there are already. seen: what they leave open, if that is known.
        wide: of a command with several parts, the rules that allow each part with any words.
    """
    tool = question.tool
    if tool.rule_family == "command":
        name = "Bash" if "Bash" in names_of(tool) else tool.name
        if question.command is None:
            return (tool.name,)
        if not question.is_bash:
            return suggest_powershell_rules(question.command, name)
        return suggest_rules(
            question.command,
            name,
            cwd=question.cwd,
            roots=question.roots,
            may_mix=True,
            rules=rules,
            may_write=lambda given, resolved: may_redirect_to(question, given, resolved),
            could_write=lambda given, resolved: could_redirect_to(question, given, resolved),
            seen=seen,
            wide=wide,
        )
    if tool.rule_family in ("read", "edit") and question.paths is not None:
        return _path_rules(question)
    if tool.rule_family == "domain":
        host = question.host_to_allow
        return (format_rule(ParsedRule(tool.name, PREFIX + host)),) if host else ()
    return (tool.name,)


def _path_rules(question: Question) -> tuple[str, ...]:
    """The rule for the path. Where links are on the way it has to hold for both ways to write the path, or none is."""
    paths = question.paths_to_allow
    assert paths is not None
    name = _RULE_NAMES[question.tool.rule_family]
    if name not in names_of(question.tool) and question.tool.name not in SEARCHES:
        name = question.tool.name
    text = _specifier(question, paths)
    if text is None:
        return ()
    specifier = text + ("/**" if os.path.isdir(paths.resolved) else "")
    return (format_rule(ParsedRule(name, specifier)),)


def _specifier(question: Question, paths: PathForms) -> str | None:
    if paths.given == paths.resolved:
        return escape_path(paths.given.rstrip("/"))
    inner = _relative(paths.given, question.base)
    real_inner = _relative(paths.resolved, os.path.realpath(question.base))
    return None if inner is None or inner != real_inner else escape_path("/" + inner)[1:]


def _relative(path: str, folder: str) -> str | None:
    return path[len(folder) + 1 :] if path.startswith(folder.rstrip("/") + "/") else None
