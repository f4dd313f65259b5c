"""The calls of a transcript as they were judged: what was asked for, where, in which mode, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..core.blocks import ToolUse
from ..core.immutable import freeze
from ..core.prompting import who_answered
from .transcript_lines import Line, read_lines

Was = Literal["allow", "ask", "deny", "failed", "unknown"]
"""How a call was judged: nobody had to be asked and it ran, somebody was asked (whatever the answer), it was denied, it
never came so far, or the transcript does not say."""

_KINDS = ("session", "resumed", "state", "call_start", "stage", "permission_request", "permission_answer", "call_end")


class RecordedVerdict(NamedTuple):
    """How a call was judged then.

    Attributes:
        was: in a word. why: the reason. answer: what the person who was asked said, ``""`` when nobody was.
    """

    was: Was = "unknown"
    why: str = ""
    answer: str = ""


NOT_KNOWN = RecordedVerdict()


@dataclass(frozen=True)
class RecordedCall:
    """One call of a transcript.

    Args:
        tool_use: what was asked for. cwd, mode: where and in which mode; ``""`` where the transcript does not say.
        rules: the deny and ask rules that the session itself had then.
        verdict: how it was judged. status: how it ended, ``""`` when it did not.
    """

    tool_use: ToolUse
    cwd: str = ""
    mode: str = ""
    rules: tuple[tuple[str, str], ...] = ()
    verdict: RecordedVerdict = NOT_KNOWN
    status: str = ""


def recorded_calls(path: Path) -> Iterator[RecordedCall]:
    """Every call of the transcript, in the order in which they began. Takes time linear in its length.

    Raises:
        UsageError: the file cannot be read.
    """
    reading = _Reading()
    for line in read_lines(path, only=_KINDS):
        reading.take(line)
    yield from reading.calls.values()


class _Reading:
    def __init__(self) -> None:
        self.calls: dict[str, RecordedCall] = {}
        self._state: dict[str, Any] = {}

    def take(self, line: Line) -> None:
        if line.kind in ("session", "resumed", "state"):
            self._state.update((k, line.fields[k]) for k in ("cwd", "mode", "session_rules") if k in line.fields)
        elif line.kind == "call_start":
            self._start(line)
        elif line.tool_use_id in self.calls:
            self.calls[line.tool_use_id] = _with(self.calls[line.tool_use_id], line)

    def _start(self, line: Line) -> None:
        use = line.mapping("tool_use")
        if not isinstance(use.get("name"), str) or line.tool_use_id is None:
            return
        given = use.get("input")
        rules = self._state.get("session_rules")
        self.calls[line.tool_use_id] = RecordedCall(
            ToolUse(use["name"], freeze(given) if isinstance(given, dict) else {}, line.tool_use_id),
            cwd=str(self._state.get("cwd", "")),
            mode=str(self._state.get("mode", "")),
            rules=tuple(
                (behavior, rule)
                for behavior, texts in (rules.items() if isinstance(rules, dict) else ())
                if behavior in ("deny", "ask") and isinstance(texts, list)
                for rule in texts
                if isinstance(rule, str)
            ),
        )


def _with(call: RecordedCall, line: Line) -> RecordedCall:
    """The call with what one more line says of it."""
    verdict = call.verdict
    if line.kind == "call_end":
        return replace(call, status=line.text("status"), verdict=_at_the_end(verdict, line.text("status")))
    if line.kind == "permission_request":
        verdict = RecordedVerdict("ask", line.text("reason"))
    elif line.kind == "permission_answer":
        answer = "allowed" if line.text("behavior") == "allow" else "denied"
        who, message = who_answered(line.text("answered_by")), line.text("message")
        verdict = verdict._replace(answer=f"{answer}{f' by {who}' if who else ''}{f': {message}' if message else ''}")
    elif line.text("stage") == "permission" and verdict.was != "ask":
        verdict = _judged(line)
    elif line.text("stage") == "pre_hooks" and line.text("status") == "denied":
        verdict = RecordedVerdict("deny", line.text("reason"))
    return replace(call, verdict=verdict) if verdict is not call.verdict else call


def _judged(line: Line) -> RecordedVerdict:
    """What the line of the gate's stage says. What nobody could be asked about was asked about all the same."""
    decision = line.mapping("out").get("decision")
    trace = decision.get("trace") if isinstance(decision, dict) else None
    asked = any(isinstance(step, dict) and step.get("outcome") == "ask" for step in trace or ())
    status = line.text("status")
    if status == "denied":
        return RecordedVerdict("ask" if asked else "deny", line.text("reason"))
    return RecordedVerdict("allow", line.text("reason")) if status in ("ok", "edited") else RecordedVerdict()


def _at_the_end(verdict: RecordedVerdict, status: str) -> RecordedVerdict:
    """A call that ended without the gate having had its say never got there."""
    return (
        verdict._replace(was="failed") if verdict.was == "unknown" and status in ("error", "interrupted") else verdict
    )
