"""Views as plain text, for terminals, logs and front ends without HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..core.views import (
    Badge,
    ChecklistBlockView,
    ChecklistItem,
    CodeBlockView,
    ColumnKind,
    Density,
    DiffBlockView,
    ImageBlockView,
    JsonBlockView,
    ProgressBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
    ViewBlock,
)
from .ansi import plain_lines
from .blocks import (
    BADGE_CHARS,
    STATE_WORDS,
    TONE_SYMBOLS,
    around_next,
    column_kinds,
    image_words,
    item_chars,
    item_words,
    kept_rows,
    pretty_json,
    progress_words,
    whole_lines,
)
from .chars import clip, columns_of, count_of, one_line, visible
from .diff_lines import NO_CHANGE, diff_caption, diff_of, shown_lines
from .highlight import TERMINAL
from .limits import BY_DENSITY, FOLD_SLACK, Limits, fold, keep

INDENT = "  "
TITLE_CHARS = 400
CELL_CHARS = 80
BOXES = {"done": "[x]", "in_progress": "[>]", "pending": "[ ]"}
_TONE_CODES = {"ok": "32", "warning": "33", "error": "31", "info": "36"}


def view_text(
    view: ToolView, density: Density = "verbose", *, color: bool = False, limits: Limits | None = None
) -> str:
    """How does this view read as text?

    Args:
        density: ``condensed`` is the title line; ``verbose`` says everything; ``transcript`` leaves out the middle of
            long blocks.
        color: use ANSI colours for badges and diffs; never needed to understand the text.
    """
    head = title_line(view.title, view.badges, color=color)
    if density == "condensed":
        return head
    bounds = limits or BY_DENSITY[density]
    return "\n".join([head, *(indented(block, bounds, color=color) for block in view.blocks[: bounds.blocks])])


def title_line(title: str, badges: Sequence[Badge] = (), *, color: bool = False) -> str:
    """The first line of a view. A title is never cut without a sign of it."""
    marks = "".join(f"  [{_painted(one_line(badge.text, BADGE_CHARS), badge.tone, color)}]" for badge in badges)
    return one_line(title, TITLE_CHARS) + marks


def indented(block: ViewBlock, limits: Limits, *, color: bool = False) -> str:
    """A block below a title line."""
    words = block_text(block, limits)
    lines = words.text.split("\n")
    if color and words.language == "diff":
        lines = [_painted(line, {"+": "ok", "-": "error"}.get(line[:1], ""), True) for line in lines]
    if color and words.tone:
        lines = [_painted(line, words.tone, True) for line in lines]
    return "\n".join((INDENT + line).rstrip() for line in lines)


def _painted(text: str, tone: str, color: bool) -> str:
    code = _TONE_CODES.get(tone)
    return f"\x1b[{code}m{text}\x1b[0m" if color and code and text else text


class Words(NamedTuple):
    """A block in words: its text, what language that is in, whether it is Markdown, and its tone."""

    text: str
    language: str = ""
    is_markdown: bool = False
    tone: str = ""


def block_text(block: ViewBlock, limits: Limits) -> Words:
    """One block of any kind in words. The text is visible throughout, and holds no escape sequence."""
    return _RENDERERS[type(block)](block, limits)


def _shortened(text: str, limits: Limits, *, terminal: bool = False, first_line: int | None = None) -> list[str]:
    """The lines of a text, with what stands in the middle of a long one counted instead of shown."""
    kept = keep(text, limits)
    lines = plain_lines(kept.lines) if terminal else [visible(line) for line in kept.lines]
    if first_line is not None:
        lines = [f"{number}  {line}" for number, line in zip(kept.numbers(first_line), lines, strict=True)]
    folded = fold(kept, lines, limits)
    left_out = len(folded.hidden) + folded.lost
    middle = [f"… {count_of(left_out, 'more line')}"] if left_out else []
    return [*folded.head, *middle, *folded.tail]


def _text(block: TextBlockView, limits: Limits) -> Words:
    lines = _shortened(TONE_SYMBOLS.get(block.tone, "") + whole_lines(block.text).strip("\n"), limits)
    return Words("\n".join(lines), is_markdown=block.markdown, tone=block.tone)


def _code(block: CodeBlockView, limits: Limits) -> Words:
    terminal = block.language == TERMINAL
    lines = _shortened(whole_lines(block.text), limits, terminal=terminal, first_line=block.first_line)
    before = [f"… {count_of(block.omitted, 'line')} before this"] if block.omitted else []
    title = [visible(block.title)] if block.title else []
    return Words("\n".join([*title, *before, *lines]), "" if terminal else block.language)


def _json(block: JsonBlockView, limits: Limits) -> Words:
    return _code(CodeBlockView(pretty_json(block.value), "json", title=block.title), limits)


def _diff(block: DiffBlockView, limits: Limits) -> Words:
    diff = diff_of(block)
    lines = _shortened("\n".join(line.text for line in shown_lines(diff)) or NO_CHANGE, limits)
    return Words("\n".join([visible(diff_caption(block, diff)), *lines]), "diff")


def _table(block: TableBlockView, limits: Limits) -> Words:
    rows, lost = kept_rows(block, limits)
    shown = rows if len(rows) <= limits.shown_lines + FOLD_SLACK else rows[: limits.shown_lines]
    left_out = lost + len(rows) - len(shown)
    kinds = column_kinds(block)
    cells = [[one_line(name, CELL_CHARS) for name in block.columns], *(_cells(row, kinds) for row in shown)]
    widths = [max(map(columns_of, column)) for column in zip(*cells, strict=False)]
    head, *body = ["  ".join(map(_padded, row, widths, kinds)).rstrip() for row in cells]
    rule = "  ".join("─" * width for width in widths)
    title = [visible(block.title)] if block.title else []
    more = [f"… {count_of(left_out, 'more row')}"] if left_out else []
    return Words("\n".join([*title, *(clip(line, limits.line_chars) for line in (head, rule, *body)), *more]))


def _cells(row: Sequence[str], kinds: Sequence[ColumnKind]) -> list[str]:
    """Each cell on one line; in code the spaces stay, and a new line is told."""
    return [
        clip(visible(whole_lines(cell)).replace("\n", "⏎").replace("\t", "    "), CELL_CHARS)
        if kind == "code"
        else one_line(cell, CELL_CHARS)
        for cell, kind in zip(row, kinds, strict=False)
    ]


def _padded(cell: str, width: int, kind: ColumnKind) -> str:
    pad = " " * (width - columns_of(cell))
    return pad + cell if kind == "number" else cell + pad


def _checklist(block: ChecklistBlockView, limits: Limits) -> Words:
    parts, chars = around_next(block.items, limits), item_chars(block, limits)
    before, after = len(parts.before) + parts.lost_before, len(parts.after) + parts.lost_after
    lines = [visible(block.title)] if block.title else []
    lines += [f"… {count_of(before, 'item')} before these"] if before else []
    lines += [_item(item, chars) for item in parts.shown]
    lines += [f"… {count_of(after, 'more item')}"] if after else []
    return Words("\n".join(lines))


def _item(item: ChecklistItem, chars: int) -> str:
    said = f" ({STATE_WORDS[item.state]})" if item.state == "in_progress" else ""
    return f"{BOXES[item.state]} {clip(visible(item_words(item)), chars)}{said}"


def _image(block: ImageBlockView, limits: Limits) -> Words:
    return Words(f"[{one_line(image_words(block), TITLE_CHARS)}]")


def _progress(block: ProgressBlockView, limits: Limits) -> Words:
    return Words(one_line(progress_words(block), TITLE_CHARS))


_RENDERERS: dict[type, Callable[[Any, Limits], Words]] = {
    TextBlockView: _text,
    CodeBlockView: _code,
    DiffBlockView: _diff,
    TableBlockView: _table,
    ImageBlockView: _image,
    ChecklistBlockView: _checklist,
    ProgressBlockView: _progress,
    JsonBlockView: _json,
}
