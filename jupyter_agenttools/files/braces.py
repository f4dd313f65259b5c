"""Which patterns do the ``{a,b}`` groups of a pattern stand for?"""

from __future__ import annotations

from ..core.errors import ToolValidationError
from .telling import quoted

MAX_ALTERNATIVES = 500
"""``{…}`` groups multiply; more than this is a mistake."""

MAX_EXPANDED_CHARS = 100_000
"""Of all alternatives together: each of them becomes a regular expression."""


def expand_braces(pattern: str) -> list[str]:
    """Every pattern that ``{a,b}`` groups stand for. A group without a comma, or never closed, is plain text, and so
    is what stands after a backslash.

    Takes time in proportion to the pattern and to what comes out.

    Raises:
        ToolValidationError: there are more than :data:`MAX_ALTERNATIVES`, or they are very long.
    """
    signs = _signs(pattern)
    if not signs:
        return [pattern]
    built: list[list[str]] = [[""]]  # of each group that is open, what its present option stands for
    options: list[list[str]] = []  # of each group that is open, what its options before that stand for
    position = 0
    for at in signs:
        text, sign = pattern[position:at], pattern[at]
        position = at + 1
        present = [before + text for before in built.pop()]
        if sign == "{":
            built += [present, [""]]
            options.append([])
        elif sign == ",":
            options[-1] += present
            built.append([""])
        else:
            inside = [*options.pop(), *present]
            outside = built.pop()
            _require_few(pattern, len(inside) * len(outside))
            built.append([before + option for before in outside for option in inside])
        _require_few(pattern, max(len(built[-1]), len(options[-1]) if options else 0))
    done = [before + pattern[position:] for before in built[0]]
    if sum(map(len, done)) > MAX_EXPANDED_CHARS:
        message = f"pattern {quoted(pattern)} stands for too many long patterns; use fewer {{…}} groups"
        raise ToolValidationError(message, check_id="glob-too-many")
    return done


def _require_few(pattern: str, count: int) -> None:
    if count > MAX_ALTERNATIVES:
        message = f"pattern {quoted(pattern)} stands for more than {MAX_ALTERNATIVES} patterns; use fewer {{…}} groups"
        raise ToolValidationError(message, check_id="glob-too-many")


def _signs(pattern: str) -> list[int]:
    """Where the braces and commas stand that make groups, in order."""
    signs: list[int] = []
    is_open: list[list[int]] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif character == "{":
            is_open.append([at])
        elif character == "," and is_open:
            is_open[-1].append(at)
        elif character == "}" and is_open:
            group = is_open.pop()
            if len(group) > 1:
                signs += [*group, at]
        at += 1
    return sorted(signs)
