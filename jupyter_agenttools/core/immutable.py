"""Values that nobody can change after they were made (``DeepImmutable``)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_SCALARS = (str, int, float, type(None))


def freeze(value: Any) -> Any:
    """What does this JSON-like value look like when nothing inside it can be changed?

    Mappings become read-only views of fresh dicts, lists and sets become tuples and frozensets, at every depth.
    Anything else is returned as it is.
    """
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(freeze(item) for item in value)
    return value


def thaw(value: Any) -> Any:
    """The plain JSON form (dicts and lists) of a frozen value; the inverse of :func:`freeze` for JSON data."""
    # Most items are scalars, and a call for each would cost ten times as much; so does asking for a Mapping at once.
    if isinstance(value, (dict, MappingProxyType, Mapping)):
        return {key: item if isinstance(item, _SCALARS) else thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [thaw(item) for item in value]
    return value
