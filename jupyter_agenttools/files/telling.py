"""How a path or a pattern that somebody else chose stands in a sentence: printable, on one line, not too long."""

from __future__ import annotations

import re

from .encoding import visible

MAX_TOLD_CHARS = 300
"""Of one value; what is longer was not meant to be read."""

_NOT_ON_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def on_one_line(path: str) -> str:
    """``path`` as one line of a text: line ends and other control characters in it read ``\\n``, ``\\x1b`` …"""
    return _NOT_ON_A_LINE.sub(lambda found: repr(found[0])[1:-1], path)


def told(path: str) -> str:
    """``path`` for a message: a name of a file is whatever somebody called it, and must not be read as our words."""
    return on_one_line(visible(path))


def shortened(text: str) -> str:
    """``text`` for a message, without its middle when it is very long."""
    return _cut(told(text))


def quoted(text: str) -> str:
    """``text`` as a Python literal, without its middle when it is very long."""
    return repr(_cut(text))


def _cut(text: str) -> str:
    if len(text) <= MAX_TOLD_CHARS:
        return text
    half = MAX_TOLD_CHARS // 2
    return f"{text[:half]} […{len(text) - 2 * half:,} more characters…] {text[-half:]}"
