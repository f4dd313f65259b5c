"""``%%agent --expand``: variables of the notebook in the place of ``{name}`` and ``$name``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError, words_of

MAX_VALUE_CHARS = 100_000
_NAME = r"[^\W\d]\w*"
_PLACE = re.compile(rf"(?<![{{$])\{{({_NAME})\}}(?!\}})|(?<!\$)\$({_NAME})")
"""``{{name}}``, ``$$name`` and ``${name}`` are none, and stay as they are."""


def expand(text: str, namespace: Mapping[str, Any]) -> str:
    """The text with the values of its variables, each as ``str`` gives it. Values are not looked through again.

    Raises:
        UsageError: there is no such variable, it has no text, or one that is too long for a prompt.
    """
    return _PLACE.sub(lambda match: _value(match, namespace), text)


def _value(match: re.Match[str], namespace: Mapping[str, Any]) -> str:
    name, place = match.group(1) or match.group(2), match.group()
    if name not in namespace:
        near = difflib.get_close_matches(name, [n for n in namespace if not n.startswith("_")], n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(
            f"%%agent --expand: there is no variable {name!r}, which {place} asks for.{hint} "
            "Without --expand the text stays as it is."
        )
    try:
        value = str(namespace[name])
    except Exception as fault:
        raise UsageError(
            f"%%agent --expand: {place}: the text of {name!r} cannot be had: {type(fault).__name__}: {words_of(fault)}"
        ) from None
    if len(value) > MAX_VALUE_CHARS:
        raise UsageError(
            f"%%agent --expand: {place} has {len(value):,} characters, more than the {MAX_VALUE_CHARS:,} that are put "
            "into a prompt; let the agent look at the variable with InspectVariable"
        )
    return value
