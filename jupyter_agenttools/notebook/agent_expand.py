"""``%%agent --expand``: variables of the notebook in the place of ``{name}`` and ``$name``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError
from ..core.faults import faults, words_of
from .sigint import open_to_interrupts

MAX_VALUE_CHARS = 100_000
_NAME = r"[^\W\d]\w*"
_PLACE = re.compile(rf"(?<![{{$])\{{({_NAME})\}}(?!\}})|(?<!\$)\$({_NAME})")
"""``{{name}}``, ``$$name`` and ``${name}`` are none, and stay as they are."""
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def expand(text: str, namespace: Mapping[str, Any]) -> str:
    """The text with the values of its variables, each as ``str`` gives it. Values are not looked through again.

    Each is asked for its text once: that is the person's code, which an Interrupt ends.

    Raises:
        UsageError: there is no such variable, it has no text, or one that cannot stand in a prompt.
        KeyboardInterrupt: the person had enough of it.
    """
    values: dict[str, str] = {}

    def value(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        if name not in values:
            values[name] = _value(name, match.group(), namespace)
        return values[name]

    return _PLACE.sub(value, text)


def _value(name: str, place: str, namespace: Mapping[str, Any]) -> str:
    if name not in namespace:
        near = difflib.get_close_matches(name, [n for n in namespace if not n.startswith("_")], n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(
            f"%%agent --expand: there is no variable {name!r}, which {place} asks for.{hint} "
            "Without --expand the text stays as it is."
        )
    try:
        with open_to_interrupts():
            value = str.__str__(str(namespace[name]))  # of a class of its own, text could lie about its length
    except faults() as fault:
        raise UsageError(
            f"%%agent --expand: {place}: the text of {name!r} cannot be had: {type(fault).__name__}: {words_of(fault)}"
        ) from None
    if len(value) > MAX_VALUE_CHARS:
        raise UsageError(
            f"%%agent --expand: {place} has {len(value):,} characters, more than the {MAX_VALUE_CHARS:,} that are put "
            "into a prompt; let the agent look at the variable with InspectVariable"
        )
    if lone := _LONE_SURROGATE.search(value):
        raise UsageError(
            f"%%agent --expand: {place}: the text of {name!r} holds half of a character (U+{ord(lone[0]):04X}, at "
            f"{lone.start():,}), which no model can be sent"
        )
    return value
