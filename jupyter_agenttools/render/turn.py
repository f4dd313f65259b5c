"""The lasting record of an agent's turn: its text, its calls in order, and the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.names import TRACE_MIME_TYPE
from ..core.outcome import Outcome
from ..core.updates import TurnEnded
from ..core.views import Badge, ChecklistBlockView, TextBlockView, ViewBlock
from .chars import code_span, count_of, escape, one_line, visible
from .html import badge_html, block_html, details_html, head_html, styled
from .jsonclip import size
from .limits import Limits, keep
from .markdown import block_markdown
from .markdown_html import safe_markdown
from .outcome_views import grouped_title, last_todos
from .record import Bundle, call_text, card_html, divided, fitting, parts_of
from .text import block_text
from .walk import TRACE_VERSION, trace_json
from .words import STATUS_SYMBOLS, duration, status_words

MAX_TURN_BYTES = 100_000
"""Bound on everything that one turn leaves in a notebook (JSON, UTF-8)."""
MARKDOWN_BYTES = 8_000
TRACE_BYTES = 16_000
MAX_TRACES = 100
ANSWER_CHARS = 30_000
SHORT_ANSWER_CHARS = 8_000
TITLE = "Agent"

CALL = Limits(shown_lines=15, kept_chars=4_000, line_chars=1_000, image_chars=20_000, images_chars=20_000, blocks=20)
PLAIN_CALL = Limits(shown_lines=6, kept_chars=1_000, line_chars=200)
TEXT_CHARS = 8_000

ENDINGS = {
    "end_turn": Badge("✓ done", "ok"),
    "max_turns": Badge("■ turn limit reached", "warning"),
    "interrupted": Badge("■ interrupted", "warning"),
    "hook": Badge("■ ended by a hook", "warning"),
    "error": Badge("✗ error", "error"),
}

Part = str | Outcome


class Level(NamedTuple):
    """How much of each call is kept; levels are tried in order until the record fits."""

    divisor: int
    newest: int = 120
    walks: bool = True

    def room(self, chars: int) -> Limits:
        """Bounds of a text that may have ``chars`` characters at the first level."""
        fewer = chars // max(self.divisor // 4, 1)
        return Limits(kept_chars=fewer, line_chars=fewer)


FIRST = Level(1)
_LEVELS = (FIRST, Level(4), *(Level(d, n, walks=False) for d, n in ((12, 120), (40, 120), (40, 40), (80, 10))))


def turn_record(parts: Sequence[Part], ended: TurnEnded) -> Bundle:
    """What should a notebook keep of this turn?

    Args:
        parts: the assistant's texts (Markdown) and the calls, in order; outcomes alone will do.
        ended: how the turn ended, with the final answer.

    Returns a bundle of ``text/html``, ``text/markdown``, ``text/plain`` and the traces, together at most 100 kB.
    """
    steps = _without_answer(parts, ended)
    rest = {
        "text/markdown": _turn_markdown(steps, ended),
        "text/plain": _turn_text(steps, ended),
        TRACE_MIME_TYPE: turn_trace(steps, ended),
    }
    for level in _LEVELS:
        bundle = {"text/html": _turn_html(steps, ended, level), **rest}
        if size(bundle) <= MAX_TURN_BYTES:
            break
    return bundle


def _without_answer(parts: Sequence[Part], ended: TurnEnded) -> list[Part]:
    """The steps of the turn; the answer stands at the end and is not told twice."""
    steps = [part for part in parts if not isinstance(part, str) or part.strip()]
    if steps and isinstance(steps[-1], str) and steps[-1].strip() == ended.text.strip():
        steps.pop()
    return steps


def _todos(parts: Sequence[Part]) -> list[ViewBlock]:
    """The todo list at the end of the turn, which says what it is."""
    blocks = last_todos(_calls(parts))
    return [replace(block, title="Todos") for block in blocks if isinstance(block, ChecklistBlockView)]


def _calls(parts: Sequence[Part]) -> list[Outcome]:
    return [part for part in parts if isinstance(part, Outcome)]


# ---- HTML


def _turn_html(steps: Sequence[Part], ended: TurnEnded, level: Level) -> str:
    shown = steps[-level.newest :]
    earlier = len(steps) - len(shown)
    note = f'<p class="agt-note">… {count_of(earlier, "earlier step")} not kept here</p>' if earlier else ""
    body = "".join(_group_html(group, level) for group in _groups(shown))
    head = head_html(TITLE, [badge_html(ENDINGS[ended.reason])], count_of(len(_calls(steps)), "call"))
    todos = "".join(block_html(block, divided(CALL, level.divisor)) for block in _todos(steps))
    ending = todos + _ending_html(ended, level)
    return styled(f'<section class="agt-card" aria-label="{TITLE}">{head}{note}{body}{ending}</section>')


def _groups(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Neighbouring calls of one tool that shows its calls together, and everything else alone."""
    group: list[Part] = []
    for part in parts:
        if group and not _belong_together(group[-1], part):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _belong_together(left: Part, right: Part) -> bool:
    if isinstance(left, str) or isinstance(right, str) or left.tool is None:
        return False
    return left.tool is right.tool and left.tool.render_grouped is not None


def _group_html(group: list[Part], level: Level) -> str:
    body = "".join(_part_html(part, level) for part in group)
    if len(group) == 1:
        return body
    calls = _calls(group)
    statuses = ", ".join(status_words(status) for status in dict.fromkeys(call.status for call in calls))
    return details_html(f"{statuses} · {grouped_title(calls)} · {count_of(len(calls), 'call')}", body)


def _part_html(part: Part, level: Level) -> str:
    if isinstance(part, str):
        return block_html(TextBlockView(part, markdown=True), level.room(TEXT_CHARS))
    about = parts_of(part)
    symbol = STATUS_SYMBOLS.get(part.status, "?")
    name, _, rest = one_line(about.title, 160).partition(" ")
    code = f" <code>{escape(rest)}</code>" if rest else ""
    word = "" if part.status == "ok" else f" {escape(part.status)}"
    summary = f"{symbol}{word} <b>{escape(name)}</b>{code} <small>{duration(part.duration_ms)}</small>"
    outcome = part if level.walks else replace(part, events=())
    card = card_html(outcome, about, divided(CALL, level.divisor), walk_chars=100 if level is FIRST else 0)
    return f'<details class="agt-fold"><summary>{summary}</summary>{card}</details>'


def _ending_html(ended: TurnEnded, level: Level) -> str:
    answer = TextBlockView(ended.text, markdown=True)
    detail = TextBlockView(ended.detail, tone=ENDINGS[ended.reason].tone)
    parts = ((answer, ANSWER_CHARS), (detail, TEXT_CHARS))
    return "".join(block_html(block, level.room(chars)) for block, chars in parts if block.text)


# ---- Markdown and text


def _turn_markdown(steps: Sequence[Part], ended: TurnEnded) -> str:
    answer = safe_markdown(_cut(ended.text, SHORT_ANSWER_CHARS))
    detail = code_span(one_line(ended.detail, 400)) if ended.detail else ""
    head = f"**{TITLE}** · {ENDINGS[ended.reason].text} · {count_of(len(_calls(steps)), 'call')}"
    todos = [block_markdown(block, PLAIN_CALL) for block in _todos(steps)]
    parts = [head, *fitting(steps, _step_markdown, MARKDOWN_BYTES, "step"), *todos, answer, detail]
    return "\n\n".join(part for part in parts if part)


def _step_markdown(part: Part) -> str:
    if isinstance(part, str):
        return safe_markdown(_cut(part, TEXT_CHARS))
    title = code_span(one_line(parts_of(part).title, 120))
    return f"- {status_words(part.status)} {title} ({duration(part.duration_ms)})"


def _turn_text(steps: Sequence[Part], ended: TurnEnded) -> str:
    head = f"{TITLE}  [{ENDINGS[ended.reason].text}]  {count_of(len(_calls(steps)), 'call')}"
    ending = (visible(_cut(ended.text, SHORT_ANSWER_CHARS)), visible(_cut(ended.detail, 400)))
    todos = [block_text(block, PLAIN_CALL).text for block in _todos(steps)]
    parts = [head, *fitting(steps, _step_text, MARKDOWN_BYTES, "step"), *todos, *ending]
    return "\n\n".join(part for part in parts if part)


def _step_text(part: Part) -> str:
    if isinstance(part, str):
        return visible(_cut(part, TEXT_CHARS))
    return call_text(part, parts_of(part), PLAIN_CALL)


def _cut(text: str, chars: int) -> str:
    kept = keep(text, Limits(kept_chars=chars, line_chars=chars))
    lost = [f"… {count_of(kept.lost, 'more line')}"] if kept.lost else []
    return "\n".join([*kept.lines[: kept.split], *lost, *kept.lines[kept.split :]])


# ---- trace


def turn_trace(steps: Sequence[Part], ended: TurnEnded) -> dict[str, Any]:
    """The traces of a turn's calls: ``{version, ended, calls: [trace]}``; only their heads when they are many."""
    calls = _calls(steps)
    newest = calls[-MAX_TRACES:]
    traces = [trace_json(outcome) for outcome in newest]
    trace: dict[str, Any] = {"version": TRACE_VERSION, "ended": ended.reason, "calls": traces}
    if len(newest) < len(calls):
        trace["left_out"] = len(calls) - len(newest)
    if size(trace) <= TRACE_BYTES:
        return trace
    return {**trace, "calls": [{name: call[name] for name in ("tool", "id", "status", "ms")} for call in traces]}
