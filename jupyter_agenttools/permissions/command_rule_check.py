"""Why an allow rule about commands lets nothing pass, where that can be said for certain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.blocks import ToolUse
from ..core.call import CallState
from ..core.schema import parse_input
from .command.matching import compile_command_pattern, covers
from .command.parse import parse_command
from .command.wrappers import WRAPPERS
from .patterns import Wildcard
from .rules import PermissionRule
from .single_rule import rule_allows

if TYPE_CHECKING:
    from ..core.context import ToolUseContext
    from ..core.tool import Tool

_TAKEN_OFF = frozenset("builtin command nice nohup noglob stdbuf time timeout xargs".split())
_WORDS = ("x", "-x", "5 x", "./x", "x y", "")
"""What a star is tried with."""


def command_problem(rule: PermissionRule, tool: Tool, context: ToolUseContext) -> str | None:
    """Why ``rule`` can never matter; ``None`` when it may, or nothing certain can be said."""
    text = rule.specifier or ""
    if ":*" in text[:-2]:
        return "`:*` stands for any words only at the very end; elsewhere the colon is an ordinary sign"
    why = _why(text) if rule.behavior == "allow" else None
    if why is None:
        return None
    commands = (command for command in _examples(text) if " " in command)  # alone such a program does nothing
    return None if any(_lets_pass(rule, command, tool, context) for command in commands) else why


def passes_too(wide: PermissionRule, narrow: PermissionRule, tool: Tool, context: ToolUseContext) -> bool:
    """Whether what ``narrow`` lets pass passes by ``wide`` alone, as far as examples show it.

    A rule with a star does not vouch for all that its text fits: a program that runs another one, for example.
    """
    is_shown = False
    alike = not (_pattern(wide).exact or _pattern(narrow).exact)
    for command in _examples(narrow.specifier or ""):
        if alike and _fits(wide, command):  # all else that is looked at is the same for both rules
            is_shown = is_shown or _lets_pass(narrow, command, tool, context)
        elif _lets_pass(narrow, command, tool, context):
            if not _lets_pass(wide, command, tool, context):
                return False
            is_shown = True
    return is_shown


def _why(text: str) -> str | None:
    words = text.replace(":*", " *").split()
    if not words or "*" not in text:
        return None
    first = words[0]
    if first in _TAKEN_OFF:
        return f"{first} is taken off before rules are compared: write a rule about what it runs"
    if first in WRAPPERS:
        return f"{first} runs another program, which a rule with a star cannot vouch for: write the whole command"
    if any(sign in words for sign in ("&&", "||", ";", "|", "&")):
        return "each command of a line is compared alone: write a rule for each of them"
    return None


def _examples(text: str) -> Iterator[str]:
    """Commands that fit the text of a rule, each once."""
    pattern = compile_command_pattern(text)
    starts = [(word, word.join(pattern.pieces).strip()) for word in _WORDS]
    longer = [f"{start} {word}".strip() for word, start in starts if pattern.boundary]
    return iter(dict.fromkeys((*(start for _, start in starts), *longer)))


def _pattern(rule: PermissionRule) -> Wildcard:
    return compile_command_pattern(rule.specifier or "")


def _fits(rule: PermissionRule, command: str) -> bool:
    """Whether a rule with a star may vouch for the command; cheaper than :func:`_lets_pass`, which asks for more."""
    parsed = parse_command(command)
    if parsed.kind != "simple" or parsed.operators or len(parsed.commands) != 1:
        return True
    return covers(_pattern(rule), parsed.commands[0])


def _lets_pass(rule: PermissionRule, command: str, tool: Tool, context: ToolUseContext) -> bool:
    if not command or not (_pattern(rule).exact or _fits(rule, command)):
        return False
    parsed = parse_input(tool, {"command": command})
    state = CallState(ToolUse(tool.name, {"command": command}), context, tool, parsed, {"command": command})
    return rule_allows(rule.text, state, alone=True)
