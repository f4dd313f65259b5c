"""A turn as HTML: what was said, thought and done in its order, and the answer below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..core.outcome import Outcome
from ..core.updates import TurnEnded
from ..core.views import Badge, TextBlockView, Tone
from .chars import count_of, escape, one_line
from .html import badge_html, block_html, details_html, head_html, styled
from .limits import Limits
from .outcome_views import last_todos
from .record import card_html, divided, parts_of
from .totals import totals_words
from .turn_parts import Group, Part, Said, Thought, TurnNote, group_title, groups, thought_summary
from .words import STATUS_SYMBOLS, duration, status_words

TITLE = "Agent"
SAID = "You"
ANSWER_CHARS = 30_000
TEXT_CHARS = 8_000
THOUGHT_CHARS = 4_000
CALL = Limits(shown_lines=15, kept_chars=4_000, line_chars=1_000, image_chars=20_000, images_chars=20_000, blocks=20)

ENDINGS = {
    "end_turn": Badge("✓ done", "ok"),
    "max_turns": Badge("■ turn limit reached", "warning"),
    "max_tokens": Badge("■ answer cut off", "warning"),
    "interrupted": Badge("■ interrupted", "warning"),
    "hook": Badge("■ ended by a hook", "warning"),
    "refusal": Badge("⊘ the model refused", "warning"),
    "error": Badge("✗ error", "error"),
}
NOTE_SYMBOLS: dict[Tone, str] = {"info": "ℹ", "ok": "✓", "warning": "↻", "error": "✗", "neutral": "·"}


class Level(NamedTuple):
    """How much of each part is kept; levels are tried in order until the record fits."""

    divisor: int
    newest: int = 120
    walks: bool = True

    def room(self, chars: int) -> Limits:
        """Bounds of a text that may have ``chars`` characters at the first level."""
        fewer = chars // max(self.divisor // 4, 1)
        return Limits(kept_chars=fewer, line_chars=fewer)


FIRST = Level(1)
LEVELS = (FIRST, Level(4), *(Level(d, n, walks=False) for d, n in ((12, 120), (40, 120), (40, 40), (80, 10))))


def turn_html(steps: Sequence[Part], ended: TurnEnded, level: Level = FIRST, seconds: float | None = None) -> str:
    """The whole turn as one card."""
    shown = steps[-level.newest :]
    earlier = len(steps) - len(shown)
    note = f'<p class="agt-note">… {count_of(earlier, "earlier step")} not kept here</p>' if earlier else ""
    body = "".join(group_html(group, level) for group in groups(shown))
    calls = calls_of(steps)
    head = head_html(TITLE, [badge_html(ENDINGS[ended.reason])], count_of(len(calls), "call"))
    listed = "".join(block_html(block, divided(CALL, level.divisor)) for block in last_todos(calls, "Todos"))
    totals = totals_words(ended, len(calls), seconds)
    line = f'<p class="agt-note">{escape(totals)}</p>' if totals else ""
    ending = listed + _ending_html(ended, level) + line
    return styled(f'<section class="agt-card" aria-label="{TITLE}">{head}{note}{body}{ending}</section>')


def calls_of(parts: Sequence[Part]) -> list[Outcome]:
    return [part for part in parts if isinstance(part, Outcome)]


def _ending_html(ended: TurnEnded, level: Level) -> str:
    answer = TextBlockView(ended.text, markdown=True)
    detail = TextBlockView(ended.detail, tone=ENDINGS[ended.reason].tone)
    parts = ((answer, ANSWER_CHARS), (detail, TEXT_CHARS))
    return "".join(block_html(block, level.room(chars)) for block, chars in parts if block.text)


# ---- the steps


def group_html(group: Group, level: Level = FIRST) -> str:
    """One step, or several behind one line that opens."""
    body = "".join(part_html(part, level) for part in group.parts)
    if len(group.parts) == 1:
        return body
    return _folded(group_words(group), body)


def _folded(summary: str, body: str) -> str:
    return details_html(summary, f'<div class="agt-in">{body}</div>')


def group_words(group: Group) -> str:
    """The line that stands for several calls."""
    calls = group.calls
    together = " at the same time" if group.at_once and group.together == "overlapped" else ""
    return f"{status_words('ok')} · {group_title(calls)} · {count_of(len(calls), 'call')}{together}"


def part_html(part: Part, level: Level = FIRST) -> str:
    """One part, with everything in it escaped."""
    match part:
        case str():
            return block_html(TextBlockView(part, markdown=True), level.room(TEXT_CHARS))
        case Thought():
            return _thought_html(part, level)
        case Said():
            said = block_html(TextBlockView(part.text), level.room(TEXT_CHARS))
            return f'<div class="agt-said"><b>{SAID}</b>{said}</div>'
        case TurnNote():
            return _note_html(part, level)
    return _call_html(part, level)


def _thought_html(thought: Thought, level: Level) -> str:
    summary = thought_summary(thought)
    if not thought.text.strip():
        return f'<p class="agt-note">{escape(summary)}</p>'
    return _folded(summary, block_html(TextBlockView(thought.text, markdown=True), level.room(THOUGHT_CHARS)))


def _note_html(note: TurnNote, level: Level) -> str:
    line = f"{NOTE_SYMBOLS[note.tone]} {one_line(note.text, 400)}"
    if not note.detail:
        return f'<p class="agt-note">{escape(line)}</p>'
    return _folded(line, block_html(TextBlockView(note.detail, markdown=True), level.room(THOUGHT_CHARS)))


def _call_html(outcome: Outcome, level: Level) -> str:
    about = parts_of(outcome)
    symbol = STATUS_SYMBOLS.get(outcome.status, "?")
    name, _, rest = one_line(about.title, 160).partition(" ")
    code = f" <code>{escape(rest)}</code>" if rest else ""
    word = "" if outcome.status == "ok" else f" {escape(outcome.status)}"
    summary = f"{symbol}{word} <b>{escape(name)}</b>{code} <small>{duration(outcome.duration_ms)}</small>"
    kept = outcome if level.walks else replace(outcome, events=())
    card = card_html(kept, about, divided(CALL, level.divisor), walk_chars=100 if level is FIRST else 0)
    return f'<details class="agt-fold"><summary>{summary}</summary>{card}</details>'
