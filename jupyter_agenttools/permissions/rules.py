"""Permission rules as text and as data: ``Tool`` or ``Tool(specifier)``.

Inside the parentheses a backslash takes the special meaning from ``(``, ``)`` and ``\\``; before anything else it is a
plain backslash. ``Tool(*)`` says the same as ``Tool``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..core.context import RuleBehavior, RuleSource
from ..core.errors import RuleSyntaxError

_TOOL_NAME = re.compile(r"[A-Za-z0-9_*-]+")
_ESCAPED = re.compile(r"\\([()\\])")
_SPECIAL = re.compile(r"[()\\]")
_MCP_LITERAL_SERVER = re.compile(r"mcp__(?:(?!__)[^*])+__[^*]*\*.*")


class ParsedRule(NamedTuple):
    """What a rule's text says.

    Attributes:
        tool_name: a tool's name, an MCP server (``mcp__server``) or, in deny and ask rules, a name with stars.
        specifier: the text in the parentheses without its escapes, ``None`` when the rule is about the whole tool.
    """

    tool_name: str
    specifier: str | None = None


class PermissionRule(NamedTuple):
    """A rule with where it comes from and what it decides."""

    tool_name: str
    specifier: str | None
    source: RuleSource
    behavior: RuleBehavior

    @property
    def text(self) -> str:
        return format_rule(ParsedRule(self.tool_name, self.specifier))

    @property
    def label(self) -> str:
        """The text with its source, as traces show it: ``Bash(git *) [session]``."""
        return f"{self.text} [{self.source}]"


@lru_cache(maxsize=8192)
def parse_rule(text: str) -> ParsedRule:
    """What does this rule say?

    Raises:
        RuleSyntaxError: names the position of the fault and the way to write it.
    """
    if not isinstance(text, str):
        raise RuleSyntaxError(f"a rule is text such as `Bash(git *)`, not {type(text).__name__}: {text!r}")
    body = text.strip()
    name_match = _TOOL_NAME.match(body)
    name = name_match.group() if name_match else ""
    rest = body[len(name) :]
    if not name:
        raise _fault(text, 0, "a tool's name has to come first, as in `Bash(git *)`")
    if not rest:
        return ParsedRule(name)
    if rest[0] != "(":
        raise _fault(text, len(name), "after the tool's name only `(specifier)` may follow; names have no blanks")
    return _with_specifier(text, name, rest)


def _with_specifier(text: str, name: str, rest: str) -> ParsedRule:
    slashes = len(rest) - 1 - len(rest[:-1].rstrip("\\"))
    if rest[-1] != ")" or slashes % 2:
        raise _fault(text, len(name), f"this parenthesis is never closed; write `{name}(…)` with `)` as the last sign")
    specifier = _ESCAPED.sub(r"\1", rest[1:-1])
    if not specifier.strip():
        raise _fault(text, len(name), f"the parentheses are empty; for the whole tool write `{name}`")
    return ParsedRule(name, None if specifier.strip() == "*" else specifier)


def _fault(text: str, position: int, why: str) -> RuleSyntaxError:
    return RuleSyntaxError(f"rule {text!r}, position {position + 1}: {why}")


_BETWEEN_RULES = re.compile(r"\s*[,\n]\s*(?=[A-Za-z_][\w*-]*(?:\(|\s*(?:[,\n]|\Z)))")
_WHOLE_RULE = re.compile(r"[A-Za-z_][\w*-]*(?:\(.*(?<!\\)(?:\\\\)*\))?", re.DOTALL)


def split_rules(text: str) -> tuple[str, ...]:
    """The rules in a text in which a comma or a new line separates them, as they are shown to a person.

    What stands inside of a rule's parentheses separates nothing: a command may hold both.
    """
    rules, start = [], 0
    for between in _BETWEEN_RULES.finditer(text):
        before = text[start : between.start()].strip()
        if not before or _WHOLE_RULE.fullmatch(before):
            rules.append(before)
            start = between.end()
    return tuple(rule for rule in (*rules, text[start:].strip()) if rule)


def format_rule(rule: ParsedRule) -> str:
    """The text that :func:`parse_rule` reads as ``rule``."""
    if rule.specifier is None:
        return rule.tool_name
    escaped = _SPECIAL.sub(r"\\\g<0>", rule.specifier)
    return f"{rule.tool_name}({escaped})"


def make_rule(text: str, source: RuleSource, behavior: RuleBehavior) -> PermissionRule:
    """The rule that ``text`` means as a rule of this behaviour.

    Raises:
        RuleSyntaxError: it cannot be read, or says something that this behaviour may not say.
    """
    name, specifier = parse_rule(text)
    if behavior == "allow" and "*" in name and not _MCP_LITERAL_SERVER.fullmatch(name):
        raise _fault(text, name.index("*"), "an allow rule names its tool; `*` may stand only in `mcp__server__*`")
    return PermissionRule(name, specifier, source, behavior)
