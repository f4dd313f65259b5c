"""Hooks that are for a tool which nobody has, with a typing error in its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.errors import RuleSyntaxError
from ..hooks import Hook
from ..hooks.events import TOOL_EVENTS
from ..hooks.matching import is_pattern
from ..hooks.shown import shortened
from ..permissions.names import meant_name
from ..permissions.rules import parse_rule

_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
SAME_BUT_FOR_CAPITALS = 1.0
SHOWN_CHARS = 60


def remarks_on(hook: Hook) -> Iterator[str]:
    """What a person should know of the names in the ``matcher`` and the ``if`` of this hook.

    A hook that is never met looks like one that is: a name that no tool has, and that is nearly one, is said.
    """
    if hook.event not in TOOL_EVENTS:
        return
    for key, written, names, likeness in _names(hook):
        for name in names:
            if meant := meant_name(name, likeness):
                told, name = shortened(written, SHOWN_CHARS), shortened(name, SHOWN_CHARS)
                yield (
                    f"the {key} `{told}` of the {hook.event} hook `{hook.name}`: no tool is called {name}, unless one "
                    f"of your own is; did you mean {meant}?"
                )


def _names(hook: Hook) -> Iterator[tuple[str, str, list[str], float]]:
    if is_pattern(hook.matcher):  # its words may be parts of names
        yield "matcher", hook.matcher, _WORD.findall(hook.matcher), SAME_BUT_FOR_CAPITALS
    elif hook.matcher != "*":
        yield "matcher", hook.matcher, [part.strip() for part in re.split(r"[|,]", hook.matcher)], 0.8
    try:
        name = parse_rule(hook.if_ or "*").tool_name
    except RuleSyntaxError:
        return  # such a hook runs always
    yield "if", hook.if_ or "", [] if "*" in name else [name], 0.8
