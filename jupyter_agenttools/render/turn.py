"""The lasting record of an agent's turn: what it said, thought and did in its order, the answer, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..core.names import TRACE_MIME_TYPE
from ..core.updates import TurnEnded
from ..core.usage import Usage
from .call_times import CallTimes
from .chars import code_span, count_of, one_line, visible
from .jsonclip import size
from .limits import Limits, keep
from .markdown import block_markdown
from .markdown_html import safe_markdown
from .outcome_views import last_todos
from .record import Bundle, call_text, fitting, parts_of
from .text import block_text
from .totals import totals_words
from .turn_html import ENDINGS, LEVELS, SAID, TEXT_CHARS, TITLE, calls_of, group_words, turn_html
from .turn_parts import Group, Part, Said, Thought, TurnNote, groups, thought_summary
from .walk import TRACE_VERSION, trace_json
from .words import duration, status_words

MAX_TURN_BYTES = 100_000
"""Bound on everything that one turn leaves in a notebook (JSON, UTF-8)."""
MARKDOWN_BYTES = 8_000
TRACE_BYTES = 16_000
MAX_TRACES = 100
HEAD_CHARS = 40
"""Of a call's title, where of many calls only the heads are kept."""
SHORT_ANSWER_CHARS = 8_000
PLAIN_CALL = Limits(shown_lines=6, kept_chars=1_000, line_chars=200)


def turn_record(
    parts: Sequence[Part], ended: TurnEnded, seconds: float | None = None, times: CallTimes | None = None
) -> Bundle:
    """What should a notebook keep of this turn?

    Args:
        parts: the assistant's texts (Markdown), its thoughts, the calls and what else happened, in order; outcomes
            alone will do.
        ended: how the turn ended, with the final answer.
        seconds: how long it took, ``None`` where nobody took the time.
        times: when its calls were where.

    Returns a bundle of ``text/html``, ``text/markdown``, ``text/plain`` and the traces, together at most 100 kB.
    """
    steps, ended = _told_once(parts, ended)
    rest = {
        "text/markdown": _turn_markdown(steps, ended, seconds),
        "text/plain": _turn_text(steps, ended, seconds),
        TRACE_MIME_TYPE: turn_trace(steps, ended, seconds, times),
    }
    for level in LEVELS:
        bundle = {"text/html": turn_html(steps, ended, level, seconds), **rest}
        if size(bundle) <= MAX_TURN_BYTES:
            break
    return bundle


def _told_once(parts: Sequence[Part], ended: TurnEnded) -> tuple[list[Part], TurnEnded]:
    """The steps of the turn and its end. The answer stands at the end, and not among the steps; a text after which
    there were calls is no answer, and stays where it was said."""
    steps = [part for part in parts if not isinstance(part, str) or part.strip()]
    end = max((at for at, part in enumerate(steps, 1) if isinstance(part, str)), default=0)
    start = end
    while start and isinstance(steps[start - 1], str | Thought):
        start -= 1
    for at in range(start, end):  # the answer may be in pieces, with thoughts between them
        told = "".join(part for part in steps[at:end] if isinstance(part, str))
        if told.strip() and _bare(told) == _bare(ended.text):
            if calls_of(steps[end:]):
                return steps, replace(ended, text="")
            return [*steps[:at], *(part for part in steps[at:] if not isinstance(part, str))], ended
    return steps, ended


def _bare(text: str) -> str:
    return "".join(text.split())


# ---- Markdown and text


def _turn_markdown(steps: Sequence[Part], ended: TurnEnded, seconds: float | None) -> str:
    calls = calls_of(steps)
    head = f"**{TITLE}** · {ENDINGS[ended.reason].text} · {count_of(len(calls), 'call')}"
    told = fitting(_told(steps), _step_markdown, MARKDOWN_BYTES, "step")
    todos = [block_markdown(block, PLAIN_CALL) for block in last_todos(calls, "Todos")]
    answer = safe_markdown(_cut(ended.text, SHORT_ANSWER_CHARS))
    detail = code_span(one_line(ended.detail, 400)) if ended.detail else ""
    parts = [head, *told, *todos, answer, detail, totals_words(ended, len(calls), seconds).replace("$", "\\$")]
    return "\n\n".join(part for part in parts if part)


def _told(steps: Sequence[Part]) -> list[Part | Group]:
    """The steps, but those that only look around together."""
    return [each for group in groups(steps) for each in ([group] if group.together == "looked" else group.parts)]


def _step_markdown(part: Part | Group) -> str:
    match part:
        case Group():
            return f"- {code_span(group_words(part))}"
        case str():
            return safe_markdown(_cut(part, TEXT_CHARS))
        case Thought():
            return f"- {code_span(thought_summary(part))}"
        case Said():
            return f"**{SAID}:** {code_span(one_line(part.text, 1_000))}"
        case TurnNote():
            return f"- {code_span(one_line(part.text, 400))}"
    title = code_span(one_line(parts_of(part).title, 120))
    return f"- {status_words(part.status)} {title} ({duration(part.duration_ms)})"


def _turn_text(steps: Sequence[Part], ended: TurnEnded, seconds: float | None) -> str:
    calls = calls_of(steps)
    head = f"{TITLE}  [{ENDINGS[ended.reason].text}]  {count_of(len(calls), 'call')}"
    told = fitting(_told(steps), _step_text, MARKDOWN_BYTES, "step")
    todos = [block_text(block, PLAIN_CALL).text for block in last_todos(calls, "Todos")]
    ending = (visible(_cut(ended.text, SHORT_ANSWER_CHARS)), visible(_cut(ended.detail, 400)))
    parts = [head, *told, *todos, *ending, totals_words(ended, len(calls), seconds)]
    return "\n\n".join(part for part in parts if part)


def _step_text(part: Part | Group) -> str:
    match part:
        case Group():
            return group_words(part)
        case str():
            return visible(_cut(part, TEXT_CHARS))
        case Thought():
            return f"({thought_summary(part)})"
        case Said():
            return f"{SAID}: {visible(_cut(part.text, TEXT_CHARS))}"
        case TurnNote():
            return f"({one_line(part.text, 400)})"
    return call_text(part, parts_of(part), PLAIN_CALL)


def _cut(text: str, chars: int) -> str:
    kept = keep(text, Limits(kept_chars=chars, line_chars=chars))
    lost = [f"… {count_of(kept.lost, 'more line')}"] if kept.lost else []
    return "\n".join([*kept.lines[: kept.split], *lost, *kept.lines[kept.split :]])


# ---- trace


_HEAD = ("tool", "id", "title", "status", "ms", "asked")


def turn_trace(
    steps: Sequence[Part], ended: TurnEnded, seconds: float | None = None, times: CallTimes | None = None
) -> dict[str, Any]:
    """The traces of a turn's calls: ``{version, ended, calls: [trace]}`` and, where they are known, ``turns``,
    ``usage``, ``cost_usd``, ``seconds`` and ``schedule`` (see :meth:`.CallTimes.of`); only the heads of the calls when
    they are many."""
    calls = calls_of(steps)
    newest = calls[-MAX_TRACES:]
    traces = [trace_json(outcome) for outcome in newest]
    trace: dict[str, Any] = {"version": TRACE_VERSION, "ended": ended.reason, "calls": traces, **_took(ended, seconds)}
    if times is not None and (schedule := times.of([trace["id"] for trace in traces])):
        trace["schedule"] = schedule
    if len(newest) < len(calls):
        trace["left_out"] = len(calls) - len(newest)
    if size(trace) <= TRACE_BYTES:
        return trace
    heads = [{name: call[name] for name in _HEAD if name in call} for call in traces]
    return {**trace, "calls": [{**head, "title": one_line(head["title"], HEAD_CHARS)} for head in heads]}


def _took(ended: TurnEnded, seconds: float | None) -> dict[str, Any]:
    known = {
        "turns": ended.turns or None,
        "usage": None if ended.usage == Usage() else vars(ended.usage),
        "cost_usd": ended.cost_usd,
        "seconds": None if seconds is None else round(seconds, 3),
    }
    return {name: value for name, value in known.items() if value is not None}
