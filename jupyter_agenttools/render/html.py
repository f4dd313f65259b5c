"""Views as HTML that needs no script, reads well without its style, and loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ..core.views import (
    Badge,
    ChecklistBlockView,
    ChecklistItem,
    CodeBlockView,
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
from .blocks import (
    BADGE_CHARS,
    STATE_SYMBOLS,
    STATE_WORDS,
    TONE_SYMBOLS,
    around_next,
    column_kinds,
    image_problems,
    image_words,
    item_chars,
    item_words,
    kept_rows,
    pretty_json,
    progress_words,
    whole_lines,
)
from .chars import clip, count_of, escape
from .diff_lines import NO_CHANGE, ShownLine, Span, diff_caption, diff_of, kept_lines, shown_lines
from .highlight import PROSE, code_lines
from .limits import BY_DENSITY, FOLD_SLACK, Limits, fold, keep
from .markdown_html import markdown_html
from .marks import with_marks
from .style import style_tag

CAPTION_CHARS = 200
TOLD_IMAGES = 4
ITEM_TAGS = {"done": "s", "in_progress": "b", "pending": "span"}
WRAPPED = ("terminal", "bash", "powershell", PROSE)
"""Whose lines are broken at the edge: nothing of a command that asks may lie beyond it."""

SEPARATOR = '<i class="agt-sep">·</i>'
"""Between badges where there is no style to set them apart."""

DIFF_CLASSES = {"add": "agt-add", "del": "agt-del", "hunk": "agt-hunk", "note": "agt-hunk"}
DIFF_TAGS = {"add": "ins", "del": "del"}
COLUMN_CLASSES = {"number": ' class="agt-num"', "code": ' class="agt-code"', "text": ""}


def view_html(view: ToolView, density: Density = "verbose", *, limits: Limits | None = None, below: str = "") -> str:
    """How does this view look in a page? A fragment that brings the style that it needs.

    Args:
        density: ``condensed`` is its title line; ``verbose`` shows all of it; ``transcript`` folds and cuts long
            blocks.
        limits: other bounds than those of the density.
        below: HTML of this package, inside of the card and below everything else.
    """
    head = head_html(view.title, [badge_html(badge) for badge in view.badges])
    body = "" if density == "condensed" else blocks_html(view, limits or BY_DENSITY[density])
    return styled(f'<section class="agt-card">{head}{body}{below}</section>')


def styled(body: str) -> str:
    """HTML of this package with its surrounding element and the style that it needs.

    Front ends set what stands between dollar signs as mathematics. In a command they mean something else, so only
    Markdown may be set.
    """
    return f'<div class="agt mathjax_ignore">{style_tag(body)}{body}</div>'


def head_html(title: str, marks: Sequence[str] = (), note: str = "", tag: str = "div") -> str:
    """A card's title line: the first word of the title names what acts, the rest what it acts on. ``tag``: of the
    element; in a summary it is a ``span``."""
    name, _, rest = title.partition(" ")
    about = f" <code>{escape(rest)}</code>" if rest else ""
    small = f" <small>{escape(note)}</small>" if note else ""
    separated = f" {SEPARATOR} ".join(marks)
    titled = f"<span><b>{escape(name)}</b>{about}</span> " if title else ""
    return f'<{tag} class="agt-head">{titled}{separated}{small}</{tag}>'


def badge_html(badge: Badge) -> str:
    return f'<span class="agt-badge{_tone_class(badge.tone)}">{escape(clip(badge.text, BADGE_CHARS))}</span>'


def blocks_html(view: ToolView, limits: Limits) -> str:
    """The blocks of a view; folded away as a whole where the view says so and the limits fold at all."""
    kept = view.blocks[: limits.blocks]
    body = "".join(_runs_html(kept, limits))
    if lost := len(view.blocks) - len(kept):
        body += f'<p class="agt-note">… {count_of(lost, "block")} not kept here</p>'
    if view.collapsed and body and limits.shown_lines < 1_000:
        return details_html(count_of(len(view.blocks), "block"), body)
    return body


def _runs_html(blocks: Sequence[ViewBlock], limits: Limits) -> Iterator[str]:
    """Block after block; neighbouring images are one strip."""
    problems = iter(image_problems([block for block in blocks if isinstance(block, ImageBlockView)], limits))
    for is_image, run in groupby(blocks, lambda block: isinstance(block, ImageBlockView)):
        if is_image:
            yield _strip([(block, next(problems)) for block in run])
        else:
            yield from (block_html(block, limits) for block in run)


def block_html(block: ViewBlock, limits: Limits) -> str:
    """One block of any kind."""
    return _RENDERERS[type(block)](block, limits)


def details_html(summary: str, body: str, css: str = "agt-fold") -> str:
    """Something that opens with a click or the keyboard. ``body`` is HTML, ``summary`` is text."""
    return f'<details class="{css}"><summary>{escape(summary)}</summary>{body}</details>'


def _tone_class(tone: str) -> str:
    return f" agt-{tone}" if tone in ("info", "ok", "warning", "error") else ""


# ---- text and code


def _box(text: str, limits: Limits, css: str, render: Callable[[list[str]], list[str]], note: str = "") -> str:
    """A box of fixed-width lines, its middle folded away when it is long, and what is lost said."""
    kept = keep(text, limits)
    folded = fold(kept, render(kept.lines), limits)
    parts = [_pre(folded.head, note)]
    if folded.hidden or folded.lost:
        lost = f"… {count_of(folded.lost, 'line')} not kept here"
        before, after = folded.hidden[: folded.before_loss], folded.hidden[folded.before_loss :]
        inside = _pre(before, after=lost if folded.lost else "") + (_pre(after) if after else "")
        summary = f"… {count_of(len(folded.hidden) + folded.lost, 'more line')}"
        parts += [details_html(summary, inside, "agt-more"), _pre(folded.tail)]
    return f'<div class="agt-box{css}">{"".join(parts)}</div>'


def _pre(lines: Sequence[str], note: str = "", after: str = "") -> str:
    ended = [line if line.endswith("\n</span>") else line + "\n" for line in lines]
    inner = "".join([_note(note), *ended, _note(after)])
    swallowed = "\n" if inner.startswith("\n") else ""  # a page drops a newline right after <pre>
    return f"<pre>{swallowed}{inner}</pre>" if inner else ""


def _note(text: str) -> str:
    return f'<span class="agt-note">{escape(text)}\n</span>' if text else ""


def _caption(text: str) -> str:
    return f'<div class="agt-caption">{escape(text)}</div>' if text else ""


def _text(block: TextBlockView, limits: Limits) -> str:
    symbol, css = TONE_SYMBOLS.get(block.tone, ""), _tone_class(block.tone)
    if block.markdown:
        kept = keep(block.text, limits)
        parts = ["\n".join(kept.lines[: kept.split]), "\n".join(kept.lines[kept.split :])]
        lost = f'<p class="agt-note">… {count_of(kept.lost, "line")} not kept here</p>' if kept.lost else ""
        return (
            f'<div class="agt-md mathjax_process{css}">{lost.join(markdown_html(part) for part in parts if part)}</div>'
        )
    if "\n" not in block.text.strip():
        return f'<p class="agt-text{css}">{symbol}{escape(keep(block.text.strip(), limits).lines[0])}</p>'
    return _box(symbol + whole_lines(block.text), limits, f" agt-text{css}", lambda lines: code_lines(lines, ""))


def _code(block: CodeBlockView, limits: Limits) -> str:
    text = whole_lines(block.text)
    kept = keep(text, limits)

    def render(lines: list[str]) -> list[str]:
        rendered = with_marks(code_lines(lines, block.language), kept, block.marks)
        if block.first_line is None:
            return rendered
        numbers = kept.numbers(block.first_line)
        return [f'<span class="agt-ln">{n}  </span>{line}' for n, line in zip(numbers, rendered, strict=True)]

    note = f"… {count_of(block.omitted, 'line')} before this" if block.omitted else ""
    css = " agt-terminal" if block.language in WRAPPED else ""
    return _caption(block.title) + _box(text, limits, css, render, note)


def _json(block: JsonBlockView, limits: Limits) -> str:
    return _code(CodeBlockView(pretty_json(block.value), "json", title=block.title), limits)


def _diff(block: DiffBlockView, limits: Limits) -> str:
    diff = diff_of(block)
    lines = shown_lines(diff)

    def render(texts: list[str]) -> list[str]:
        if not lines:
            return texts
        return [_diff_line(line) for line in kept_lines(lines, texts, kept.split, limits.line_chars)]

    text = "\n".join(line.text for line in lines) or NO_CHANGE
    kept = keep(text, limits)
    return _caption(diff_caption(block, diff)) + _box(text, limits, "", render)


def _diff_line(line: ShownLine) -> str:
    css, inner = DIFF_CLASSES.get(line.kind), "".join(_span(span, line) for span in line.spans)
    return f'<span class="{css}">{inner}\n</span>' if css else inner


def _span(span: Span, line: ShownLine) -> str:
    css = ' class="agt-blank"' if span.look == "blank" else ""
    tag = DIFF_TAGS[line.kind] if span.changed else "i" if span.look else ""
    return f"<{tag}{css}>{escape(span.text)}</{tag}>" if tag else escape(span.text)


# ---- everything else


def _table(block: TableBlockView, limits: Limits) -> str:
    kept, lost = kept_rows(block, limits)
    shown = kept if len(kept) <= limits.shown_lines + FOLD_SLACK else kept[: limits.shown_lines]
    hidden = kept[len(shown) :]
    css = [COLUMN_CLASSES[kind] for kind in column_kinds(block)]
    table = _grid(block, css, shown)
    if hidden:
        table += details_html(f"… {count_of(len(hidden), 'more row')}", _grid(block, css, hidden), "agt-more")
    note = f'<p class="agt-note">… {count_of(lost, "row")} not kept here</p>' if lost else ""
    return _caption(block.title) + table + note


def _grid(block: TableBlockView, css: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col"{c}>{escape(name)}</th>' for name, c in zip(block.columns, css, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{c}>{escape(cell)}</td>" for cell, c in zip(row, css, strict=False)) + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="agt-scroll">{table}</div>'


def _image(block: ImageBlockView, limits: Limits) -> str:
    return _strip([(block, *image_problems([block], limits))])


def _strip(images: Sequence[tuple[ImageBlockView, str]]) -> str:
    """Images side by side, and below them in words what cannot be shown."""
    shown = [_figure(block) for block, problem in images if not problem]
    told = [f"{image_words(block)}: {problem}" for block, problem in images if problem]
    if more := len(told) - TOLD_IMAGES:
        told = [*told[:TOLD_IMAGES], f"… {count_of(more, 'more image')} not shown"] if more > 1 else told
    notes = "".join(f'<p class="agt-note">[{escape(words)}]</p>' for words in told)
    return (f'<div class="agt-strip">{"".join(shown)}</div>' if len(shown) > 1 else "".join(shown)) + notes


def _figure(block: ImageBlockView) -> str:
    alt = escape(block.alt or block.caption or "image")
    image = f'<img src="data:{block.media_type};base64,{block.data}" alt="{alt}">'
    caption = f"<figcaption>{escape(clip(block.caption, CAPTION_CHARS))}</figcaption>" if block.caption else ""
    return f'<figure class="agt-image">{image}{caption}</figure>'


def _checklist(block: ChecklistBlockView, limits: Limits) -> str:
    parts, chars = around_next(block.items, limits), item_chars(block, limits)
    before, shown, after = (_items(items, chars) for items in parts[:3])
    lost = [f'<p class="agt-note">… {count_of(n, "item")} not kept here</p>' if n else "" for n in parts[3:]]
    if count := len(parts.before) + parts.lost_before:
        before = details_html(f"… {count_of(count, 'item')} before these", lost[0] + before, "agt-more")
    if count := len(parts.after) + parts.lost_after:
        after = details_html(f"… {count_of(count, 'more item')}", after + lost[1], "agt-more")
    return _caption(block.title) + before + shown + after


def _items(items: Sequence[ChecklistItem], chars: int) -> str:
    inner = "".join(_item(item, chars) for item in items)
    return f'<ul class="agt-list" role="list">{inner}</ul>' if items else ""


def _item(item: ChecklistItem, chars: int) -> str:
    words, tag = escape(clip(item_words(item), chars)), ITEM_TAGS[item.state]
    mark = f'<span class="agt-mark" aria-hidden="true">{STATE_SYMBOLS[item.state]}</span>'
    said = f"<{tag}>{words}</{tag}> <small>{STATE_WORDS[item.state]}</small>"
    return f'<li class="agt-{item.state}">{mark} {said}</li>'


def _progress(block: ProgressBlockView, limits: Limits) -> str:
    if block.total is None:
        return f'<p class="agt-progress"><progress></progress> {escape(block.label)}</p>'
    bar = f'<progress value="{float(block.done)}" max="{float(block.total)}"></progress>'
    return f'<p class="agt-progress">{bar} {escape(progress_words(block))}</p>'


_RENDERERS: dict[type, Callable[[Any, Limits], str]] = {
    TextBlockView: _text,
    CodeBlockView: _code,
    DiffBlockView: _diff,
    TableBlockView: _table,
    ImageBlockView: _image,
    ChecklistBlockView: _checklist,
    ProgressBlockView: _progress,
    JsonBlockView: _json,
}
