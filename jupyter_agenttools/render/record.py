"""The lasting record of a call: what a saved notebook shows of it, with no kernel and no extension."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeVar

from ..core.names import TRACE_MIME_TYPE
from ..core.outcome import Outcome
from ..core.views import Badge, CodeBlockView, Density, JsonBlockView, TextBlockView, ToolView, ViewBlock
from .blocks import BADGE_CHARS, pretty_json
from .chars import clip, code_span, count_of, escape, one_line, visible
from .html import badge_html, blocks_html, details_html, head_html, styled, view_html
from .jsonclip import saved_size, size
from .limits import RECORD, Limits
from .markdown import block_markdown, view_markdown
from .outcome_views import result_view, use_title, use_view
from .text import indented, title_line, view_text
from .walk import trace_json, walk_html
from .words import decision_words, duration, status_badge, status_words

Bundle = dict[str, Any]
Item = TypeVar("Item")
Walk = Literal["folded", "full"]

MAX_RECORD_BYTES = 50_000
"""Bound on everything that one call leaves in a notebook (JSON, UTF-8)."""
SAVED_BYTES = 2_500
"""Of Markdown and trace together in a saved notebook, so that an ordinary call adds less than 3 kB to it besides its
HTML and its plain text."""
MIN_TRACE_BYTES = 1_800
MARKDOWN_BYTES = 1_000
PLAIN_BYTES = 12_000
TITLE_CHARS = 200
MORE = "… "

MAX_BADGES = 8

PLAIN = Limits(shown_lines=15, kept_chars=2_500, line_chars=1_000)
MARKDOWN = Limits(shown_lines=10, kept_chars=600, line_chars=200)
_WALK_CHARS = {"folded": 140, "full": 3_000}
_SHRINK = (1, 2, 5, 20, 80)
"""By how much the room for texts is divided, until a record fits its bound."""

TOO_BIG = ToolView("", blocks=(TextBlockView("What it showed is too big to be kept here.", tone="warning"),))

_PERSISTED = re.compile(r"<persisted-output>\n.*?All of it: (/.+?)(?:;|\n)")


class Parts(NamedTuple):
    """What a record is made of: its title, its badges, what was asked, what came of it, and where all of it is."""

    title: str
    badges: tuple[Badge, ...]
    use: ToolView
    result: ToolView
    full_output: str | None


def call_record(
    outcome: Outcome, *, walk: Walk = "folded", limits: Limits = RECORD, full_output: str | None = None
) -> Bundle:
    """What should a notebook keep of this call?

    Args:
        walk: ``full`` keeps much more of what each stage saw and made, for a call that was stepped through.
        limits: how much of the result is shown and kept.
        full_output: path of the whole output; found in the outcome when it was put on disk there.

    Returns a bundle of ``text/html``, ``text/markdown``, ``text/plain`` and the trace, together at most 50 kB.
    """
    parts = parts_of(outcome, full_output)
    markdown = call_markdown(outcome, parts, MARKDOWN_BYTES)
    room = max(SAVED_BYTES - saved_size(markdown), MIN_TRACE_BYTES)
    rest = {
        "text/markdown": markdown,
        "text/plain": call_text(outcome, parts),
        TRACE_MIME_TYPE: trace_json(outcome, full=walk == "full", saved_bytes=room),
    }
    for divisor in _SHRINK:
        bundle = {"text/html": _record_html(outcome, parts, walk, divided(limits, divisor)), **rest}
        if size(bundle) <= MAX_RECORD_BYTES:
            return bundle
    nothing = Parts(parts.title, (), ToolView(""), TOO_BIG, parts.full_output)
    return {**rest, "text/html": _record_html(outcome, nothing, "folded", limits)}


def _record_html(outcome: Outcome, parts: Parts, walk: Walk, limits: Limits) -> str:
    return styled(card_html(outcome, parts, limits, walk_chars=_WALK_CHARS[walk], walk_open=walk == "full"))


def view_bundle(view: ToolView, density: Density = "verbose") -> Bundle:
    """A view as a bundle to display."""
    return {
        "text/html": view_html(view, density),
        "text/markdown": view_markdown(view, density),
        "text/plain": view_text(view, density),
    }


def divided(limits: Limits, divisor: int) -> Limits:
    """The same limits with less room for text; for images there is half of it at the second cut, and then none."""
    kept = limits.kept_chars // divisor
    images = limits.images_chars if divisor <= 2 else limits.images_chars // 2 if divisor <= 5 else 0
    return replace(
        limits,
        kept_chars=kept,
        line_chars=min(limits.line_chars, kept),
        images_chars=images,
        blocks=max(limits.blocks // divisor, 1),
    )


def parts_of(outcome: Outcome, full_output: str | None = None) -> Parts:
    use = use_view(outcome, "transcript")
    result = result_view(outcome, "transcript")
    title = use_title(outcome)
    fresh = tuple(block for block in use.blocks if not _told(block, title, result))
    badges = tuple(badge for badge in dict.fromkeys((*use.badges, *result.badges)) if badge.text != outcome.status)
    path = full_output or full_output_path(outcome)
    if path and any(path in getattr(block, "text", "") for block in result.blocks):
        path = None  # the tool says it itself
    return Parts(title, badges[:MAX_BADGES], _spelled(replace(use, blocks=fresh)), _spelled(result), path)


def _spelled(view: ToolView) -> ToolView:
    """The view with its JSON written out once, and not again for each form of the record."""
    blocks = (
        CodeBlockView(pretty_json(block.value), "json", title=block.title)
        if isinstance(block, JsonBlockView)
        else block
        for block in view.blocks
    )
    return replace(view, blocks=tuple(blocks))


def _told(block: ViewBlock, title: str, result: ToolView) -> bool:
    """Whether the title or the result says all that this block says."""
    return block in result.blocks or (isinstance(block, CodeBlockView) and block.text.strip() in title)


def full_output_path(outcome: Outcome) -> str | None:
    """Where the whole output of a call is on disk, when only a part of it was kept."""
    output = outcome.output
    for name in ("persisted_output_path", "persistedOutputPath"):
        path = output.get(name) if isinstance(output, Mapping) else getattr(output, name, None)
        if path:
            return str(path)
    found = _PERSISTED.match(outcome.text)
    return found.group(1) if found else None


# ---- the three forms


def card_html(outcome: Outcome, parts: Parts, limits: Limits, *, walk_chars: int, walk_open: bool = False) -> str:
    """One call as a card, without the surrounding ``.agt`` element and its style."""
    marks = [badge_html(badge) for badge in (status_badge(outcome), *parts.badges)]
    head = head_html(clip(parts.title, TITLE_CHARS), marks, duration(outcome.duration_ms))
    use = details_html("what was asked", blocks_html(parts.use, limits)) if parts.use.blocks else ""
    path = f'<p class="agt-note">full output: {escape(parts.full_output)}</p>' if parts.full_output else ""
    walk = walk_html(outcome, data_chars=walk_chars, is_open=walk_open)
    name = escape(f"{clip(outcome.tool_use.name, BADGE_CHARS)}: {outcome.status}")
    body = f"{head}{use}{blocks_html(parts.result, limits)}{path}{walk}"
    return f'<section class="agt-card" aria-label="{name}">{body}</section>'


def call_text(outcome: Outcome, parts: Parts, limits: Limits = PLAIN) -> str:
    """One call as plain text."""
    head = f"{status_words(outcome.status)}  {title_line(parts.title, parts.badges)}  ({duration(outcome.duration_ms)})"
    lines = [head, *fitting(parts.result.blocks, lambda block: indented(block, limits), PLAIN_BYTES, "block")]
    if outcome.status == "denied":
        lines.append(f"  {one_line(decision_words(outcome.decision), TITLE_CHARS)}")
    return "\n".join([*lines, *([f"  full output: {visible(parts.full_output)}"] if parts.full_output else [])])


def call_markdown(outcome: Outcome, parts: Parts, room: int) -> str:
    """One call as Markdown of at most ``room`` bytes, as far as its title line allows."""
    words = (one_line(parts.title, 120), *(badge.text for badge in parts.badges), decision_words(outcome.decision))
    spans = [code_span(one_line(word, 120)) for word in words if word]
    text = " · ".join([f"**{status_words(outcome.status)}**", *spans, duration(outcome.duration_ms)])
    room -= len(text.encode("utf-8", "replace")) + 40
    told: list[str] = []
    for divisor in (1, 3, 9):  # a block in a wide script takes more bytes than it has characters
        limits = divided(MARKDOWN, divisor)
        told = fitting(parts.result.blocks, lambda block, to=limits: block_markdown(block, to), room, "block")
        if len(told) != 1 or not told[0].startswith(MORE):
            break
    return "\n\n".join([text, *told])


def fitting(items: Sequence[Item], tell: Callable[[Item], str], room: int, noun: str) -> list[str]:
    """The first items in words, as many as fit into ``room`` bytes, and how many did not."""
    kept: list[str] = []
    for item in items:
        words = tell(item)
        room -= len(words.encode("utf-8", "replace")) + 2
        if room < 0:
            return [*kept, f"{MORE}{count_of(len(items) - len(kept), f'more {noun}')}"]
        kept.append(words)
    return kept
