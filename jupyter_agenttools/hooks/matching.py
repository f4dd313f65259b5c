"""Which tools does a matcher mean?"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..core.errors import UsageError

_EXACT_LIST = re.compile(r"[A-Za-z0-9_\- ,|]*\Z")
"""Only letters, digits, ``_``, ``-``, blanks, ``,`` and ``|``: a list of exact names. Anything else is a pattern."""


@lru_cache(maxsize=256)
def compile_matcher(matcher: str) -> Callable[[str], bool]:
    """A test of tool names: all for ``""`` and ``*``, a list of exact names, or an unanchored regular expression.

    Raises:
        UsageError: the regular expression cannot be read.
    """
    if matcher in ("", "*"):
        return lambda name: True
    if _EXACT_LIST.match(matcher):
        names = frozenset(part.strip() for part in re.split(r"[|,]", matcher))
        return lambda name: name in names
    try:
        pattern = re.compile(matcher)
    except re.error as error:
        raise UsageError(f"hook matcher {matcher!r} is not a regular expression: {error}") from error
    return lambda name: pattern.search(name) is not None


def matcher_matches(matcher: str, *names: str) -> bool:
    """Whether any of a tool's names is meant."""
    test = compile_matcher(matcher)
    return any(test(name) for name in names)
