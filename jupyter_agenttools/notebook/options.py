"""The options at the start of a magic line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ..core.errors import UsageError

_WORD = re.compile(r"\s*(\S+)")


def take_options(
    magic: str, text: str, options: Mapping[str, str], valued: Collection[str] = ()
) -> tuple[dict[str, str], str]:
    """The options that ``text`` begins with, and what comes after them.

    Args:
        magic: for messages, e.g. ``%tool``.
        text: the line after the magic's name.
        options: every option there is, with its help.
        valued: those that take a word (``--script FILE`` or ``--script=FILE``); it may be missing, and is ``""`` then.

    Raises:
        UsageError: a word that begins with ``--`` and is none of them.
    """
    taken: dict[str, str] = {}
    while (match := _WORD.match(text)) and match.group(1).startswith("--"):
        word, given, value = match.group(1).partition("=")
        if word not in options:
            raise UsageError(f"{magic}: unknown option {word}. Options: {', '.join(options)}.")
        if given and word not in valued:
            raise UsageError(f"{magic}: {word} takes no value")
        text = text[match.end() :]
        if word in valued and not given and (following := _WORD.match(text)):
            if not following.group(1).startswith("--"):
                value, text = following.group(1), text[following.end() :]
        taken[word] = value
    return taken, text.lstrip()
