"""A conversation as one HTML page: no script, nothing loaded from anywhere, readable without its style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

from ..core.views import Badge, TextBlockView, ToolView
from .chars import count_of, escape, one_line
from .html import badge_html, block_html, blocks_html, details_html, head_html
from .limits import Limits
from .page_data import PAGE, SPEAKERS, PageCall, PageHead, PageItem, PageMessage, PageNote, PageStage
from .style import style_tag
from .words import STATUS_TONES, duration, status_words

TITLE_CHARS = 200
CONTENTS_CHARS = 100
LINE_CHARS = 2_000
_HEADING = re.compile(r"(</?h)([1-6])>")

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
"""What the page may load: nothing but the images that are in it."""
PAGE_START = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
)
"""With this each page begins, and hardly another file does."""


def page_html(head: PageHead, items: Iterable[PageItem], limits: Limits = PAGE) -> Iterator[str]:
    """The page, piece by piece; together they are a whole document."""
    title = escape(one_line(head.title, TITLE_CHARS))
    yield (
        f"{PAGE_START}"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{title}</title>{style_tag()}<style>{_page_style()}</style></head>\n"
        '<body class="agt"><a class="agt-skip" href="#conversation">To the conversation</a>'
        f"<header><h1>{title}</h1>{_facts(head)}{_notes(head)}{_contents(head)}</header>\n"
        '<main id="conversation">\n'
    )
    turn = 0
    for item in items:
        if isinstance(item, PageMessage):
            turn += item.begins_turn
            yield _message(item, turn, limits)
        elif isinstance(item, PageCall):
            yield _call(item, limits)
        else:
            yield _note(item)
    yield "</main></body></html>\n"


@lru_cache(maxsize=1)
def _page_style() -> str:
    return files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def _facts(head: PageHead) -> str:
    rows = "".join(f"<dt>{_line(name)}</dt><dd>{_line(value)}</dd>" for name, value in head.facts)
    return f"<dl>{rows}</dl>" if rows else ""


def _notes(head: PageHead) -> str:
    items = "".join(f"<li>⚠ {_line(note)}</li>" for note in head.notes)
    return f'<ul class="agt-notes">{items}</ul>' if items else ""


def _contents(head: PageHead) -> str:
    if len(head.turns) < 2:
        return ""
    links = "".join(
        f'<li><a href="#turn-{number}">{escape(one_line(words, CONTENTS_CHARS))}</a></li>'
        for number, words in enumerate(head.turns, 1)
    )
    return f'<nav aria-label="Turns">{details_html(count_of(len(head.turns), "turn"), f"<ol>{links}</ol>")}</nav>'


def _message(message: PageMessage, turn: int, limits: Limits) -> str:
    who, body = SPEAKERS[message.speaker], blocks_html(ToolView("", blocks=message.blocks), limits)
    body = _HEADING.sub(_lower, body)
    if message.speaker in ("thinking", "summary", "told"):
        return details_html(who, body, f"agt-fold agt-{message.speaker}") + "\n"
    heading = f'<h2 id="turn-{turn}">{turn}. {who}</h2>' if message.begins_turn else f"<h3>{who}</h3>"
    return f'<section class="agt-said agt-{message.speaker}">{heading}{body}</section>\n'


def _lower(heading: re.Match[str]) -> str:
    """The headings of what somebody says stand below those of the page."""
    return f"{heading[1]}{min(int(heading[2]) + 3, 6)}>"


def _call(call: PageCall, limits: Limits) -> str:
    status = call.status or "unfinished"
    badge = badge_html(Badge(status_words(status), STATUS_TONES.get(status, "neutral")))  # type: ignore[call-overload]
    took = "" if call.duration_ms is None else duration(call.duration_ms)
    summary = head_html(one_line(call.title, TITLE_CHARS), [badge], took, tag="span")
    notes = "".join(f'<p class="agt-note">{_line(note)}</p>' for note in call.notes)
    asked = _part("what was asked", blocks_html(ToolView("", blocks=call.asked), limits))
    result = _part("what came of it", blocks_html(ToolView("", blocks=call.result), limits))
    body = f"{asked}{notes}{result}{_stages(call.stages)}"
    return f'<details class="agt-card agt-call"><summary>{summary}</summary>{body}</details>\n'


def _part(title: str, body: str) -> str:
    return f'<div class="agt-caption">{title}</div>{body}' if body else ""


def _stages(stages: Sequence[PageStage]) -> str:
    if not stages:
        return ""
    rows = "".join(
        f"<tr><td>{_line(stage.name)}</td><td>{_line(status_words(stage.status))}</td>"
        f'<td class="agt-num">{duration(stage.duration_ms)}</td><td>{_line(stage.reason)}</td></tr>'
        for stage in stages
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("stage", "how it went", "time", "why"))
    table = f'<div class="agt-scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    return details_html(count_of(len(stages), "stage"), table)


@lru_cache(maxsize=4096)
def _line(text: str) -> str:
    """A text on one line of bounded length. Most stages of a long session say one of a few things."""
    return escape(one_line(text, LINE_CHARS))


def _note(note: PageNote) -> str:
    return block_html(TextBlockView(one_line(note.text, LINE_CHARS), tone=note.tone), PAGE) + "\n"
