"""What every renderer has to know about the kinds of blocks."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core.events import describe
from ..core.views import (
    ChecklistBlockView,
    ChecklistItem,
    ColumnKind,
    ImageBlockView,
    ItemState,
    ProgressBlockView,
    TableBlockView,
)
from .chars import clip
from .limits import FOLD_SLACK, Limits

SIGNATURES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
"""The raster formats that may be shown, each with how its bytes begin. SVG is not among them: it can hold scripts."""

BADGE_CHARS = 80
TONE_SYMBOLS = {"ok": "✓ ", "warning": "⚠ ", "error": "✗ "}
STATE_SYMBOLS: dict[ItemState, str] = {"done": "✓", "in_progress": "▸", "pending": "○"}
STATE_WORDS: dict[ItemState, str] = {"done": "done", "in_progress": "in progress", "pending": "to do"}
MIN_ITEM_CHARS = 40
ITEM_COST = 100
"""Characters that an item of a checklist takes of the room of its view, with what surrounds it."""
BEFORE_NEXT = 4


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
        cells = [clip(str(cell), share) for cell in row[: len(block.columns)]]
        cells += [""] * (len(block.columns) - len(cells))
        room -= sum(map(len, cells))
        if room < 0 and rows:
            break
        rows.append(cells)
    return rows, len(block.rows) - len(rows)


def column_kinds(block: TableBlockView) -> tuple[ColumnKind, ...]:
    """How each column is set."""
    kinds = block.kinds[: len(block.columns)]
    return (*kinds, *("text",) * (len(block.columns) - len(kinds)))


def item_words(item: ChecklistItem) -> str:
    """The item on one line as it reads now."""
    words = item.active if item.state == "in_progress" and item.active.strip() else item.text
    return " ".join(words.split())


def item_chars(block: ChecklistBlockView, limits: Limits) -> int:
    """How long the words of one item may be."""
    share = limits.kept_chars // max(len(block.items), 1)
    return min(limits.line_chars, max(share, MIN_ITEM_CHARS))


class ShownItems(NamedTuple):
    """Items as they are shown: some around the next one, and what is folded away, or lost, before and after them."""

    before: Sequence[ChecklistItem]
    shown: Sequence[ChecklistItem]
    after: Sequence[ChecklistItem]
    lost_before: int = 0
    lost_after: int = 0


def around_next(items: Sequence[ChecklistItem], limits: Limits) -> ShownItems:
    """Which items does a person need to see? The first that is not done, a few before it, and what comes next."""
    if len(items) <= limits.shown_lines + FOLD_SLACK:
        return ShownItems((), items, ())
    current = next((at for at, item in enumerate(items) if item.state != "done"), len(items))
    start = min(max(current - BEFORE_NEXT, 0), len(items) - limits.shown_lines)
    end = start + limits.shown_lines
    room = max(limits.kept_chars // ITEM_COST - limits.shown_lines, 0)
    after = items[end : end + room]
    first = max(start - (room - len(after)), 0)
    return ShownItems(items[first:start], items[start:end], after, first, len(items) - end - len(after))


def image_words(block: ImageBlockView) -> str:
    """An image in words: what it shows, its kind, and its size."""
    told = () if block.caption in block.alt else (block.caption,)
    about = " – ".join(filter(None, (*told, block.alt))) or "image"
    return f"{about}, {block.media_type}, {len(block.data) * 3 // 4 / 1000:,.0f} kB"


def image_problems(blocks: Sequence[ImageBlockView], limits: Limits) -> list[str]:
    """For each image of a view why it cannot be shown, or ``""``; the first ones are given the room that there is."""
    problems, room = [], limits.images_chars
    for block in blocks:
        problem = image_problem(block, limits)
        if not problem and len(block.data) > room:
            problem = "no room is left for it here"
        room -= 0 if problem else len(block.data)
        problems.append(problem)
    return problems


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
    is_right = raw.startswith(SIGNATURES[block.media_type])
    if block.media_type == "image/webp":  # RIFF is a container of many things, and says at byte 8 of which
        is_right = is_right and raw[8:12] == b"WEBP"
    return "" if is_right else f"its data is not {block.media_type}"


def progress_words(block: ProgressBlockView) -> str:
    """``label 3 / 10``."""
    return block.label if block.total is None else f"{block.label} {block.done:g} / {block.total:g}".strip()
