"""Lines that are nothing but calls, of which every word is known as it is written."""

from __future__ import annotations

import re

from .parse import simple_command, understand
from .parsed import SimpleCommand, TooComplex
from .script import Node, Redirect

_JOINS = frozenset({"list", "pipeline"})

_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\{\}", re.DOTALL)
_ODD_SIGN = re.compile(r"[${}]")
"""Outside of quotes: expansions, texts with escapes of their own, and braces."""


def plain_calls(command: str) -> tuple[SimpleCommand, ...] | None:
    """The calls of a line without variables, substitutions, branches, loops, and redirections that touch a file.

    Returns:
        every call, in the order of the text; ``None`` for every other line, and for one that is not understood.
    """
    try:
        script = understand(command)
    except TooComplex:
        return None
    if not all(_is_plain(node) for node in script.nodes):
        return None
    calls = tuple(simple_command(node, command) for node in script.calls)
    if not calls or _goes_on(command) or any(call.dynamic or _has_odd_sign(call) for call in calls):
        return None
    return calls


def _goes_on(command: str) -> bool:
    """Whether a backslash may join two lines."""
    return any("\\\n" in found[0] for found in _QUOTED.finditer(command) if not found[0].startswith("'"))


def _has_odd_sign(call: SimpleCommand) -> bool:
    return any(_ODD_SIGN.search(_QUOTED.sub("_", word)) for word in call.raw)


def _is_plain(node: Node) -> bool:
    if node.kind == "call":
        known = all(assignment.word.literal is not None and not assignment.appends for assignment in node.assignments)
        return bool(node.words) and known and all(_touches_nothing(redirect) for redirect in node.redirects)
    return node.kind in _JOINS and not node.negated and not node.redirects


def _touches_nothing(redirect: Redirect) -> bool:
    if redirect.descriptor not in ("", "1", "2"):
        return False
    if redirect.operator in (">", ">>", "&>", "&>>"):
        return redirect.target.literal == "/dev/null"
    return redirect.operator == ">&" and redirect.target.literal in ("1", "2")
