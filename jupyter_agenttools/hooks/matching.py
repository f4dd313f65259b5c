"""Which tools does a matcher mean?"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..core.errors import UsageError
from ..core.faults import faults
from .bounded import found_elsewhere, shape_of
from .shown import shown

_EXACT_LIST = re.compile(r"[A-Za-z0-9_\- ,|]*\Z", re.ASCII)
"""Only letters, digits, ``_``, ``-``, blanks, ``,`` and ``|``: a list of exact names. Anything else is a pattern."""

MAX_PATTERN_CHARS = 2_000
MAX_DEPTH = 50
"""The engine recurses over alternatives and groups, and has no guard of its own against the end of the stack: far
bigger patterns would end the kernel. These limits hold on the smallest stacks that threads have (256 kB)."""


def is_pattern(matcher: str) -> bool:
    """Whether this matcher is a regular expression."""
    return matcher != "*" and _EXACT_LIST.match(matcher) is None


@lru_cache(maxsize=256)
def compile_matcher(matcher: str) -> Callable[[str], bool]:
    """A test of names: all for ``""`` and ``*``, a list of exact names, or an unanchored JavaScript regular expression.

    A comparison that might take long is made in a process that can be killed; one that does not end is a match.

    Raises:
        UsageError: the regular expression cannot be read, or is too big.
    """
    if matcher.strip() in ("", "*"):
        return lambda name: True
    if not is_pattern(matcher):
        names = frozenset(part.strip() for part in re.split(r"[|,]", matcher))
        return lambda name: name in names
    from regress import Regex, RegressError

    if len(matcher) > MAX_PATTERN_CHARS:
        most = f"a regular expression has at most {MAX_PATTERN_CHARS:,} characters, a list of names any number"
        raise UsageError(f"hook matcher {shown(matcher)} is too long: {most}")
    shape = shape_of(matcher)
    if shape.depth > MAX_DEPTH:
        raise UsageError(f"hook matcher {shown(matcher)} has groups more than {MAX_DEPTH} deep in each other")
    try:
        pattern = Regex(matcher)
    except (RegressError, ValueError) as error:
        why = f"hook matcher {shown(matcher)} is not a JavaScript regular expression: {shown(error)}"
        raise UsageError(why) from error

    def test(name: str) -> bool:
        return found_elsewhere(matcher, name) if shape.may_take_long(name) else pattern.find(name) is not None

    return test


def matcher_matches(matcher: str, *names: str) -> bool:
    """Whether any of these names is meant. One that cannot be compared is: a guard must not stay silent."""
    test = compile_matcher(matcher)
    try:
        return any(test(name) for name in names)
    except faults():
        return True
