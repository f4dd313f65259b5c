"""Do two rules say the same, although they are written differently?"""

from __future__ import annotations

from collections.abc import Hashable

from ..core.errors import RuleSyntaxError
from .command.matching import compile_command_pattern
from .domains import PREFIX
from .names import OLD_NAMES
from .rule_cover import COMMAND_NAMES
from .rules import parse_rule


def rule_meaning(text: str) -> Hashable:
    """Something that is equal for rules that are about the same calls: ``Bash(a *)`` and ``Bash(a:*)``, ``Task(x)`` and
    ``Agent(x)``, ``WebFetch(domain:*)`` and ``WebFetch``. A text that is no rule means itself."""
    try:
        name, specifier = parse_rule(text)
    except RuleSyntaxError:
        return text
    name = OLD_NAMES.get(name, name)
    if specifier is None:
        return (name, None)
    if name in COMMAND_NAMES:
        return (name, compile_command_pattern(specifier))
    if name == "WebFetch" and specifier.lower().startswith(PREFIX):
        host = specifier[len(PREFIX) :].lower()
        return (name, None if host == "*" else PREFIX + host)
    return (name, specifier)
