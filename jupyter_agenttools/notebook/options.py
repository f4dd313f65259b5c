"""The options at the start of a magic line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping

from ..core.errors import UsageError

_NAME = re.compile(r"\s*(--[^\s=]*)(=?)")
_VALUE = re.compile(r"""(?P<quoted>"[^"]*"|'[^']*')(?=\s|\Z)|(?P<plain>\S+)""")


def take_options(
    magic: str, text: str, options: Mapping[str, str], valued: Collection[str] = ()
) -> tuple[dict[str, str], str]:
    """The options that ``text`` begins with, and what comes after them.

    Args:
        magic: for messages, e.g. ``%tool``.
        text: the line after the magic's name.
        options: every option there is, with its help.
        valued: those that take a word (``--script FILE`` or ``--script=FILE``), or several in quotes; it may be
            missing, and is ``""`` then.

    Raises:
        UsageError: a word that begins with ``--`` and is none of them, one that stands there twice, or a value for one
            that takes none.
    """
    taken: dict[str, str] = {}
    while match := _NAME.match(text):
        word, given = match.groups()
        if word not in options:
            raise UsageError(f"{magic}: unknown option {word}.{_near(word, options)} Options: {', '.join(options)}.")
        if given and word not in valued:
            raise UsageError(f"{magic}: {word} takes no value")
        if word in taken:
            raise UsageError(f"{magic}: {word} stands there twice")
        text = text[match.end() :]
        taken[word] = ""
        if word in valued:
            taken[word], text = _value(text if given else text.lstrip(), bool(given))
    return taken, text.lstrip()


def _value(text: str, given: bool) -> tuple[str, str]:
    """The value that the text begins with, its quotes taken off, and what comes after it."""
    if not given and text.startswith("--"):
        return "", text
    match = _VALUE.match(text)
    if match is None:
        return "", text
    quoted = match["quoted"]
    return (quoted[1:-1] if quoted else match["plain"]), text[match.end() :]


def _near(word: str, options: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(word, options, n=1)
    return f" Did you mean {near[0]}?" if near else ""
