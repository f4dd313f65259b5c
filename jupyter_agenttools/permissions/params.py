"""Deny and ask rules about one field of a tool's input: ``Tool(field:value)``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .patterns import compile_wildcard

PRIMARY_FIELDS = frozenset({"command", "file_path", "path", "notebook_path", "url"})
"""Fields that have rules of their own kind, which see through other spellings of the same thing."""

_FIELD = re.compile(r"([A-Za-z_][\w-]*):(.*)", re.DOTALL)


def split_param(specifier: str) -> tuple[str, str] | None:
    """The field and the value pattern of ``field:value``, or ``None`` when the specifier does not have that form."""
    match = _FIELD.fullmatch(specifier)
    if match is None or match.group(1) in PRIMARY_FIELDS:
        return None
    return match.group(1), match.group(2)


def param_matches(field: str, pattern: str, input: Mapping[str, Any]) -> bool:
    """Whether the input has this field, as text, number or truth value, and its value fits.

    A field that is not there never matches, and neither does a list or an object. Where the input holds a list of
    objects, such as several edits in one call, one of them is enough: doing a thing among others is doing it.
    """
    lists = (value for value in input.values() if isinstance(value, (list, tuple)))
    parts = (part for value in lists for part in value if isinstance(part, Mapping))
    return any(_fits(pattern, holder.get(field)) for holder in (input, *parts))


def _fits(pattern: str, value: Any) -> bool:
    if isinstance(value, str):
        text = value
    elif isinstance(value, (bool, int, float)):
        text = json.dumps(value)
    else:
        return False
    return compile_wildcard(pattern).matches(text)
