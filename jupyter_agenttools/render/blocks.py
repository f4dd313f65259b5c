"""What every renderer has to know about the kinds of blocks."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from ..core.events import describe
from ..core.views import ImageBlockView, ProgressBlockView, TableBlockView
from .chars import clip
from .limits import Limits

SIGNATURES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
"""The raster formats that may be shown, each with how its bytes begin. SVG is not among them: it can hold scripts."""

BADGE_CHARS = 80
TONE_SYMBOLS = {"ok": "✓ ", "warning": "⚠ ", "error": "✗ "}


def whole_lines(text: str) -> str:
    """The text with plain newlines: how a file ends its lines is not part of how it reads."""
    return text.replace("\r\n", "\n")


def pretty_json(value: Any) -> str:
    """The value as indented JSON; what JSON cannot hold is described."""
    try:
        return json.dumps(describe(value), indent=2, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def kept_rows(block: TableBlockView, limits: Limits) -> tuple[list[list[str]], int]:
    """The rows that fit, each cell cut to what a line or its share of the room holds, and how many rows are lost."""
    share = min(limits.line_chars, max(limits.kept_chars // max(len(block.columns), 1), 10))
    rows: list[list[str]] = []
    room = limits.kept_chars
    for row in block.rows:
        cells = [clip(str(cell), share) for cell in row]
        room -= sum(map(len, cells))
        if room < 0 and rows:
            break
        rows.append(cells)
    return rows, len(block.rows) - len(rows)


def image_words(block: ImageBlockView) -> str:
    """An image in words: what it shows, its kind, and its size."""
    return f"{block.alt or 'image'}, {block.media_type}, {len(block.data) * 3 // 4 / 1000:,.0f} kB"


def image_problem(block: ImageBlockView, limits: Limits) -> str:
    """Why this image cannot be shown, or ``""``."""
    if block.media_type not in SIGNATURES:
        return "not a raster image that may be shown"
    if len(block.data) > limits.image_chars:
        return "too big to be kept here"
    try:
        raw = base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        return "its data is not base64"
    return "" if raw.startswith(SIGNATURES[block.media_type]) else f"its data is not {block.media_type}"


def progress_words(block: ProgressBlockView) -> str:
    """``label 3 / 10``."""
    return block.label if block.total is None else f"{block.label} {block.done:g} / {block.total:g}".strip()
