"""The walk of one call through its stages: as folded HTML, as JSON for the trace viewer, and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.blocks import ToolUse
from ..core.decision import Decision, DecisionStep
from ..core.events import StageEvent
from ..core.outcome import Outcome
from .chars import clip, count_of, escape, one_line, visible
from .html import details_html
from .jsonclip import compact, saved_size, shrunk, size
from .outcome_views import title_of_call, use_title
from .words import decision_words, duration, status_words

TRACE_VERSION = 1
TRACE_BYTES = 2_000
SAVED_TRACE_BYTES = 2_500
FULL_TRACE_BYTES = 12_000
STEP_CHARS = 160
REASON_CHARS = 200
PASSED_CHARS = 300
LINE_CHARS = 300
TRACE_TITLE_CHARS = 80
ASKED_MS = 1
"""Nobody answers in less: the answer was there already."""

TRACE_SIZES = ((400, 12), (160, 8), (80, 6), (40, 4))
"""Text lengths and entry counts to try for a stage's data, until the trace fits."""
FULL_TRACE_SIZES = ((4_000, 60), (1_500, 40), (600, 20), *TRACE_SIZES)


class StageData(NamedTuple):
    """One event with what went in and came out, as JSON data."""

    event: StageEvent
    went_in: Mapping[str, Any]
    came_out: Mapping[str, Any]


def stage_data(events: Sequence[StageEvent]) -> list[StageData]:
    """Each stage that ran. The decision is told once for the whole call, so it is not repeated here."""
    return [
        StageData(event, event.went_in(), {k: v for k, v in event.came_out().items() if k != "decision"})
        for event in events
    ]


# ---- JSON


def trace_json(outcome: Outcome, *, full: bool = False, saved_bytes: int = SAVED_TRACE_BYTES) -> dict[str, Any]:
    """The walk as JSON: ``{version, tool, id, title, status, ms, asked, decision, stages: [{name, status, ms, reason,
    in, out}]}``. ``asked`` is there when a person was: see :func:`asked_json`.

    A field that went into a stage as it last stood in the trace is not repeated there. Without ``full``, neither is
    what stands elsewhere in the trace or says nothing: see :func:`_brief`; the checks of the gate that passed stand as
    one text in ``decision.passed``, and a stage that was skipped has neither a time nor a reason.

    Args:
        full: keep up to 12 kB of it instead of 2 kB (compact JSON, UTF-8).
        saved_bytes: without ``full``, bound on what it takes in a saved notebook.
    """

    def fits(trace: Mapping[str, Any]) -> bool:
        return size(trace) <= bound and (full or saved_size(trace) <= saved_bytes)

    data = _unrepeated(stage_data(outcome.events))
    if not full:
        data = [_brief(stage, outcome.tool_use) for stage in data]
    bound = FULL_TRACE_BYTES if full else TRACE_BYTES
    for chars, items in FULL_TRACE_SIZES if full else TRACE_SIZES:
        trace = _trace(outcome, data, chars, items, full)
        if fits(trace):
            return trace
    return _without_data(_trace(outcome, data, 40, 4, full), fits)


def asked_json(events: Sequence[StageEvent]) -> list[list[float]]:
    """When a call waited for a person: from which ms after its beginning on, and for how many."""
    return [
        [round((event.started - events[0].started) * 1000, 1), round(event.duration_ms, 1)]
        for event in events
        if event.stage == "permission" and event.duration_ms >= ASKED_MS and _was_asked(event)
    ]


def _was_asked(event: StageEvent) -> bool:
    decision = event.after.decision or event.after.approved
    return decision is not None and any(step.check == "person" and step.outcome != "skipped" for step in decision.trace)


def _head(call: ToolUse, title: str, status: str, ms: float, events: Sequence[StageEvent]) -> dict[str, Any]:
    head = {
        "version": TRACE_VERSION,
        "tool": one_line(call.name, 64),
        "id": one_line(call.id, 64),
        "title": one_line(title, TRACE_TITLE_CHARS),
        "status": status,
        "ms": round(ms, 1),
    }
    asked = asked_json(events)
    return {**head, "asked": asked} if asked else head


def trace_so_far(events: Sequence[StageEvent]) -> dict[str, Any]:
    """The walk of a call that is not over, in the form of :func:`trace_json`.

    Args:
        events: what each stage did; at least one.
    """
    after = events[-1].after
    call, decision = after.tool_use, after.decision
    title = title_of_call(after.tool, call, after.observed if after.observed is not None else call.input)
    chars, items = TRACE_SIZES[0]
    data = [_brief(stage, events[0].before.tool_use) for stage in _unrepeated(stage_data(events))]
    return {
        **_head(call, title, "waiting", sum(event.duration_ms for event in events), events),
        "decision": _decision_json(decision, chars, False),
        "stages": [_stage_json(stage, chars, items, stage.event.reason, False) for stage in data],
    }


def _unrepeated(data: list[StageData]) -> list[StageData]:
    told: dict[str, Any] = {}
    fresh = []
    for stage in data:
        went_in = {name: value for name, value in stage.went_in.items() if name not in told or told[name] != value}
        told = {**told, **went_in, **stage.came_out}
        fresh.append(stage._replace(went_in=went_in))
    return fresh


def _brief(stage: StageData, call: ToolUse) -> StageData:
    """The data of a stage without the names and ids of the call, and without an input that is the one it came with."""

    def news(fields: Mapping[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, value in fields.items():
            if name == "tool_use" and isinstance(value, Mapping):
                value = {key: part for key, part in value.items() if key not in ("type", "id", "name")}
            elif name == "block" and isinstance(value, Mapping):
                value = {k: v for k, v in value.items() if k not in ("type", "tool_use_id") and v is not False}
            elif (name == "tool" and value == call.name) or (name in ("input", "observed") and value == call.input):
                continue
            kept[name] = value
        return kept

    return stage._replace(went_in=news(stage.went_in), came_out=news(stage.came_out))


def _trace(outcome: Outcome, data: list[StageData], chars: int, items: int, full: bool) -> dict[str, Any]:
    return {
        **_head(outcome.tool_use, use_title(outcome), outcome.status, outcome.duration_ms, outcome.events),
        "decision": _decision_json(outcome.decision, chars, full),
        "stages": [_stage_json(stage, chars, items, _reason(stage.event, outcome, full), full) for stage in data],
    }


def _decision_json(decision: Decision | None, chars: int, full: bool) -> dict[str, Any] | None:
    """The decision; of a step that had nothing to say only ``full`` keeps why."""
    if decision is None:
        return None
    known = {"behavior": decision.behavior, "by": decision.decided_by, "rule": decision.rule, "reason": decision.reason}
    made = [step for step in decision.trace if step.outcome != "skipped"]
    passed = [] if full else [step.check for step in made if step.outcome == "passthrough"]
    steps = [[step.check, step.outcome, *_details(step)] for step in made if full or step.outcome != "passthrough"]
    told = {k: v for k, v in known.items() if v}
    shown = {"passed": one_line(", ".join(passed), PASSED_CHARS)} if passed else {}
    return {**shrunk(told, chars), **shown, "trace": shrunk(steps, chars, items=40)}


def _details(step: DecisionStep) -> list[str]:
    return [text for text in (step.detail, step.rule) if text]


def _reason(event: StageEvent, outcome: Outcome, full: bool) -> str:
    """Why a stage ended as it did, unless that stands in the decision, or it had nothing to do."""
    is_told = outcome.decision is not None and event.reason == outcome.decision.reason
    return "" if not full and (is_told or event.status == "skipped") else event.reason


def _stage_json(stage: StageData, chars: int, items: int, reason: str, full: bool) -> dict[str, Any]:
    event = stage.event
    head: dict[str, Any] = {"name": event.stage, "status": event.status}
    if full or event.status != "skipped":
        head["ms"] = round(event.duration_ms, 1)
    rest = {"reason": one_line(reason, chars) if reason else "", "in": stage.went_in, "out": stage.came_out}
    return {**head, **{k: shrunk(v, chars, items) for k, v in rest.items() if v}}


def _without_data(trace: dict[str, Any], fits: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
    """The trace without stage data, and if that is still too long (very many steps) without its last steps."""
    bare = {**trace, "stages": [{k: v for k, v in s.items() if k not in ("in", "out")} for s in trace["stages"]]}
    while not fits(bare) and len(bare["stages"]) > 1:
        kept = bare["stages"][: len(bare["stages"]) // 2]
        bare = {**bare, "stages": kept, "left_out": len(trace["stages"]) - len(kept)}
    return bare


# ---- HTML


def walk_html(outcome: Outcome, *, data_chars: int, is_open: bool = False) -> str:
    """The walk as a folded table.

    Args:
        data_chars: how much of what went into and came out of each stage is kept; 0 keeps none.
    """
    if not outcome.events:
        return ""
    rows = "".join(_stage_row(stage, outcome.decision, data_chars) for stage in stage_data(outcome.events))
    head = "<tr><th>stage</th><th>status</th><th>ms</th><th>what acted</th></tr>"
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    folded = details_html(walk_summary(outcome), table)
    return folded.replace("<details ", "<details open ", 1) if is_open else folded


def walk_summary(outcome: Outcome) -> str:
    """The walk in one line: ``9 stages · allowed by rule Bash(git *)``."""
    decision = one_line(decision_words(outcome.decision), STEP_CHARS)
    return " · ".join(part for part in (count_of(len(outcome.events), "stage"), decision) if part)


def _stage_row(stage: StageData, decision: Decision | None, data_chars: int) -> str:
    event = stage.event
    parts = [escape(one_line(event.reason, REASON_CHARS))] if event.reason else []
    if event.stage == "permission" and decision is not None:
        parts.append(_steps_html(decision))
    if data_chars and (stage.went_in or stage.came_out):
        parts.append(_data_html(stage, data_chars))
    cells = (escape(event.stage), escape(status_words(event.status)), f"{event.duration_ms:.1f}", "".join(parts))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _steps_html(decision: Decision) -> str:
    """Every step of the gate."""
    steps = "".join(f"<li>{escape(line)}</li>" for line in decision_steps(decision))
    return details_html(count_of(len(decision.trace), "step"), f"<ol>{steps}</ol>") if steps else ""


def decision_steps(decision: Decision) -> Iterator[str]:
    """The gate's steps, one line each: ``deny rules: passthrough``."""
    for step in decision.trace:
        why = f" – {step.detail}" if step.detail else ""
        rule = f" [{step.rule}]" if step.rule else ""
        yield one_line(f"{step.check}: {step.outcome}{why}{rule}", STEP_CHARS)


def _data_html(stage: StageData, chars: int) -> str:
    lines = [
        f"{label:<4}{one_line(compact(shrunk(value, chars)), chars)}"
        for label, value in (("in", stage.went_in), ("out", stage.came_out))
        if value
    ]
    return details_html("in / out", f"<pre>{escape(chr(10).join(lines))}</pre>")


# ---- text


def trace_text(outcome: Outcome) -> str:
    """The walk as text, for ``%tool --trace``: one line a stage, and under it what it did to the call's state."""
    lines = [
        f"{status_words(outcome.status)}  {one_line(outcome.tool_use.name, 64)}  ({duration(outcome.duration_ms)})"
    ]
    for number, stage in enumerate(stage_data(outcome.events), 1):
        event = stage.event
        line = (
            f"{number:>2} {event.stage:<15}{status_words(event.status):<15}{event.duration_ms:>9.1f} ms  {event.reason}"
        )
        lines.append(clip(visible(line.replace("\n", " ")), LINE_CHARS).rstrip())
        if event.stage == "permission" and outcome.decision is not None:
            lines += [f"       {step}" for step in decision_steps(outcome.decision)]
        if stage.came_out:
            lines.append(f"       → {one_line(compact(shrunk(stage.came_out, STEP_CHARS)), REASON_CHARS)}")
    return "\n".join(lines)
