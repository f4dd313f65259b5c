"""A conversation as a Markdown document for code-hosting sites; foreign text breaks out of nothing."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..core.views import ImageBlockView, ViewBlock
from .blocks import image_words
from .chars import code_span, count_of, one_line
from .limits import Limits
from .markdown import block_markdown
from .page_data import PAGE, SPEAKERS, PageCall, PageHead, PageItem, PageMessage, PageStage
from .words import STATUS_SYMBOLS, duration, status_words

TITLE_CHARS = 200
MARKDOWN = replace(PAGE, kept_chars=8_000, line_chars=2_000, shown_lines=200)
_ESCAPED = str.maketrans({c: "\\" + c for c in "\\`*_{}[]()#+-.!|~<>&$@:"})


def page_markdown(head: PageHead, items: Iterable[PageItem], limits: Limits = MARKDOWN) -> Iterator[str]:
    """The document, piece by piece."""
    yield f"# {_plain(head.title)}\n\n"
    yield "".join(f"- {_plain(name)}: {code_span(one_line(value, TITLE_CHARS))}\n" for name, value in head.facts)
    yield "".join(f"- ⚠ {_plain(note)}\n" for note in head.notes)
    turn = 0
    for item in items:
        if isinstance(item, PageMessage):
            turn += item.begins_turn
            yield _message(item, turn, limits)
        elif isinstance(item, PageCall):
            yield _call(item, limits)
        else:
            yield f"\n*{_plain(item.text)}*\n"


def _plain(text: str) -> str:
    """A text on one line in which no character means anything to Markdown or HTML."""
    return one_line(text, TITLE_CHARS).translate(_ESCAPED)


def _summary(text: str) -> str:
    """The same inside of an HTML element, where Markdown means nothing and only markup does."""
    return html.escape(one_line(text, TITLE_CHARS))


def _message(message: PageMessage, turn: int, limits: Limits) -> str:
    who, body = SPEAKERS[message.speaker], _quoted(_blocks(message.blocks, limits))
    if message.speaker in ("thinking", "summary", "told"):
        return _details(who, body)
    return f"\n## {turn}. {who}\n\n{body}\n" if message.begins_turn else f"\n**{who}**\n\n{body}\n"


def _quoted(text: str) -> str:
    """The text as a quotation, which ends where it ends: a heading in it is none of the document, and an open fence
    swallows nothing."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _blocks(blocks: Sequence[ViewBlock], limits: Limits) -> str:
    return "\n\n".join(_block(block, limits) for block in blocks)


def _block(block: ViewBlock, limits: Limits) -> str:
    """Images stand as words: code-hosting sites show none that are part of the text."""
    return _plain(f"[{image_words(block)}]") if isinstance(block, ImageBlockView) else block_markdown(block, limits)


def _call(call: PageCall, limits: Limits) -> str:
    took = "" if call.duration_ms is None else f", {duration(call.duration_ms)}"
    notes = "".join(f"{_plain(note)}\n\n" for note in call.notes)
    parts = (_blocks(call.asked, limits), notes.rstrip(), _blocks(call.result, limits), _stages(call.stages))
    title = f"{call.title} ({status_words(call.status or 'unfinished')}{took})"
    return _details(title, "\n\n".join(part for part in parts if part))


def _details(summary: str, body: str) -> str:
    return f"\n<details><summary>{_summary(summary)}</summary>\n\n{body}\n\n</details>\n"


def _stages(stages: Sequence[PageStage]) -> str:
    if not stages:
        return ""
    rows = "".join(
        f"| {_plain(stage.name)} | {STATUS_SYMBOLS.get(stage.status, '?')} {_plain(stage.status)} "
        f"| {duration(stage.duration_ms)} | {_plain(stage.reason)} |\n"
        for stage in stages
    )
    return f"| {count_of(len(stages), 'stage')} | how it went | time | why |\n|---|---|---:|---|\n{rows}".rstrip()
