"""JSON data cut down to a size, with every cut said."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from .chars import ELLIPSIS, visible

MAX_DEPTH = 6
SAVED_INDENT = 6
"""Blanks before each line of an output's data in a saved notebook: what it is nested in, one for each level."""


def shrunk(value: Any, chars: int, items: int = 20, depth: int = MAX_DEPTH) -> Any:
    """The same JSON data with texts of at most ``chars`` visible characters and at most ``items`` entries a level."""
    if isinstance(value, str):
        return _text(value, chars)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # no JSON, and a kernel refuses to send it
    if isinstance(value, Mapping):
        kept = {_text(str(key), chars): item for key, item in list(value.items())[:items]} if depth else {}
        more = {"…": f"+{len(value) - len(kept)} keys"} if len(kept) < len(value) else {}
        return {key: shrunk(item, chars, items, depth - 1) for key, item in kept.items()} | more
    if isinstance(value, (list, tuple)):
        some = value[:items] if depth else ()
        more_items = [f"… +{len(value) - len(some)} items"] if len(some) < len(value) else []
        return [shrunk(item, chars, items, depth - 1) for item in some] + more_items
    return value


def _text(text: str, chars: int) -> str:
    shown = visible(text[:chars])
    left_out = len(text) - min(len(text), chars)
    return f"{shown}{ELLIPSIS} +{left_out:,}" if left_out else shown


def compact(value: Any) -> str:
    """The value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)


def saved_size(value: Any) -> int:
    """Bytes of the value in a saved notebook, where each part of it stands on a line of its own, deep inside."""
    text = json.dumps(value, ensure_ascii=False, indent=1, default=repr)
    return len(text.encode("utf-8", "replace")) + SAVED_INDENT * text.count("\n")


def size(value: Any) -> int:
    """Bytes of the value as compact JSON in UTF-8."""
    return len(compact(value).encode("utf-8", "replace"))
