"""Which tools does a matcher mean?"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..core.errors import UsageError

_EXACT_LIST = re.compile(r"[A-Za-z0-9_\- ,|]*\Z", re.ASCII)
"""Only letters, digits, ``_``, ``-``, blanks, ``,`` and ``|``: a list of exact names. Anything else is a pattern."""


def is_pattern(matcher: str) -> bool:
    """Whether this matcher is a regular expression."""
    return matcher != "*" and _EXACT_LIST.match(matcher) is None


@lru_cache(maxsize=256)
def compile_matcher(matcher: str) -> Callable[[str], bool]:
    """A test of names: all for ``""`` and ``*``, a list of exact names, or an unanchored JavaScript regular expression.

    Raises:
        UsageError: the regular expression cannot be read.
    """
    if matcher.strip() in ("", "*"):
        return lambda name: True
    if not is_pattern(matcher):
        names = frozenset(part.strip() for part in re.split(r"[|,]", matcher))
        return lambda name: name in names
    from regress import Regex, RegressError

    try:
        pattern = Regex(matcher)
    except (RegressError, ValueError) as error:
        raise UsageError(f"hook matcher {matcher!r} is not a JavaScript regular expression: {error}") from error
    return lambda name: pattern.find(name) is not None


def matcher_matches(matcher: str, *names: str) -> bool:
    """Whether any of these names is meant. One that cannot be compared is: a guard must not stay silent."""
    test = compile_matcher(matcher)
    try:
        return any(test(name) for name in names)
    except Exception:
        return True
