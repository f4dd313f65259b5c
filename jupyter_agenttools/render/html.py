"""Views as HTML that needs no script, reads well without its style, and loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.views import (
    Badge,
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
    TONE_SYMBOLS,
    image_problem,
    image_words,
    kept_rows,
    pretty_json,
    progress_words,
    whole_lines,
)
from .chars import clip, count_of, escape
from .diffs import unified
from .highlight import code_lines
from .limits import BY_DENSITY, Limits, fold, keep
from .markdown_html import markdown_html
from .marks import underlined
from .style import style_tag

SEPARATOR = '<i class="agt-sep">·</i>'
"""Between badges where there is no style to set them apart."""

DIFF_CLASSES = {"+": "agt-add", "-": "agt-del", "@": "agt-hunk", "\\": "agt-hunk"}


def view_html(view: ToolView, density: Density = "verbose", *, limits: Limits | None = None) -> str:
    """How does this view look in a page? A fragment that brings the style that it needs.

    Args:
        density: ``condensed`` is its title line; ``verbose`` shows all of it; ``transcript`` folds and cuts long
            blocks.
        limits: other bounds than those of the density.
    """
    head = head_html(view.title, [badge_html(badge) for badge in view.badges])
    body = "" if density == "condensed" else blocks_html(view, limits or BY_DENSITY[density])
    return styled(f'<section class="agt-card">{head}{body}</section>')


def styled(body: str) -> str:
    """HTML of this package with its surrounding element and the style that it needs.

    Front ends set what stands between dollar signs as mathematics. In a command they mean something else, so only
    Markdown may be set.
    """
    return f'<div class="agt mathjax_ignore">{style_tag(body)}{body}</div>'


def head_html(title: str, marks: Sequence[str] = (), note: str = "") -> str:
    """A card's title line: the first word of the title names what acts, the rest what it acts on."""
    name, _, rest = title.partition(" ")
    about = f" <code>{escape(rest)}</code>" if rest else ""
    small = f" <small>{escape(note)}</small>" if note else ""
    separated = f" {SEPARATOR} ".join(marks)
    return f'<div class="agt-head"><b>{escape(name)}</b>{about} {separated}{small}</div>'


def badge_html(badge: Badge) -> str:
    return f'<span class="agt-badge{_tone_class(badge.tone)}">{escape(clip(badge.text, BADGE_CHARS))}</span>'


def blocks_html(view: ToolView, limits: Limits) -> str:
    """The blocks of a view; folded away as a whole where the view says so and the limits fold at all."""
    kept = view.blocks[: limits.blocks]
    body = "".join(block_html(block, limits) for block in kept)
    if lost := len(view.blocks) - len(kept):
        body += f'<p class="agt-note">… {count_of(lost, "block")} not kept here</p>'
    if view.collapsed and body and limits.shown_lines < 1_000:
        return details_html(count_of(len(view.blocks), "block"), body)
    return body


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
        rendered = code_lines(lines, block.language)
        if block.marks and "\n".join(lines) == text:
            rendered = underlined(rendered, lines, block.marks)
        if block.first_line is None:
            return rendered
        numbers = kept.numbers(block.first_line)
        return [f'<span class="agt-ln">{n}  </span>{line}' for n, line in zip(numbers, rendered, strict=True)]

    note = f"… {count_of(block.omitted, 'line')} before this" if block.omitted else ""
    css = " agt-terminal" if block.language == "terminal" else ""
    return _caption(block.title) + _box(text, limits, css, render, note)


def _json(block: JsonBlockView, limits: Limits) -> str:
    return _code(CodeBlockView(pretty_json(block.value), "json", title=block.title), limits)


def _diff(block: DiffBlockView, limits: Limits) -> str:
    diff = unified(block.old, block.new)

    def render(lines: list[str]) -> list[str]:
        escaped = [(DIFF_CLASSES.get(line[:1], ""), escape(line)) for line in lines]
        return [f'<span class="{css}">{line}\n</span>' if css else line for css, line in escaped]

    caption = f"{block.path} +{diff.added} −{diff.removed}".strip()
    text = "\n".join(line.text for line in diff.lines) or "(no change)"
    return _caption(caption) + _box(text, limits, " agt-diff", render)


# ---- everything else


def _table(block: TableBlockView, limits: Limits) -> str:
    kept, lost = kept_rows(block, limits)
    shown = kept if len(kept) <= limits.shown_lines + 3 else kept[: limits.shown_lines]
    hidden = kept[len(shown) :]
    head = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in block.columns) + "</tr>"
    table = f"<table><thead>{head}</thead><tbody>{_rows(shown)}</tbody></table>"
    if hidden:
        rest = f"<table><tbody>{_rows(hidden)}</tbody></table>"
        table += details_html(f"… {count_of(len(hidden), 'more row')}", rest, "agt-more")
    note = f'<p class="agt-note">… {count_of(lost, "row")} not kept here</p>' if lost else ""
    return _caption(block.title) + table + note


def _rows(rows: Sequence[Sequence[str]]) -> str:
    return "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)


def _image(block: ImageBlockView, limits: Limits) -> str:
    problem = image_problem(block, limits)
    if problem:
        return f'<p class="agt-note">[{escape(image_words(block))}: {escape(problem)}]</p>'
    source = f"data:{block.media_type};base64,{block.data}"
    return f'<p class="agt-image"><img src="{source}" alt="{escape(block.alt or "image")}"></p>'


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
    ProgressBlockView: _progress,
    JsonBlockView: _json,
}
