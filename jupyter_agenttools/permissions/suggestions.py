"""Which rules would let this very call pass without asking?"""

from __future__ import annotations

import os

from .command.suggest import suggest_rules
from .domains import PREFIX
from .matchers import SEARCHES
from .names import names_of
from .paths import escape_path
from .question import Question
from .rules import ParsedRule, format_rule

_RULE_NAMES = {"edit": "Edit", "read": "Read"}


def suggestions_for(question: Question) -> tuple[str, ...]:
    """Allow rules for this call, the narrowest first; empty when no rule can be written for it."""
    tool = question.tool
    if tool.rule_family == "command":
        name = "Bash" if "Bash" in names_of(tool) else tool.name
        if question.command is None:
            return (tool.name,)
        if not question.is_bash:
            return suggest_rules(question.command, name)
        return suggest_rules(question.command, name, cwd=question.cwd, roots=question.roots, may_mix=True)
    if tool.rule_family in ("read", "edit") and question.paths is not None:
        return _path_rules(question)
    if tool.rule_family == "domain":
        return (format_rule(ParsedRule(tool.name, PREFIX + question.host)),) if question.host else ()
    return (tool.name,)


def _path_rules(question: Question) -> tuple[str, ...]:
    """The rule for the path. Where links are on the way it has to hold for both ways to write the path, or none is."""
    assert question.paths is not None
    name = _RULE_NAMES[question.tool.rule_family]
    if name not in names_of(question.tool) and question.tool.name not in SEARCHES:
        name = question.tool.name
    given, resolved = question.paths
    below = "/**" if os.path.isdir(resolved) else ""
    if given == resolved:
        return (format_rule(ParsedRule(name, escape_path(given) + below)),)
    inner, real_inner = _relative(given, question.base), _relative(resolved, os.path.realpath(question.base))
    if inner is None or inner != real_inner:
        return ()
    return (format_rule(ParsedRule(name, escape_path("/" + inner)[1:] + below)),)


def _relative(path: str, folder: str) -> str | None:
    return path[len(folder) + 1 :] if path.startswith(folder.rstrip("/") + "/") else None
