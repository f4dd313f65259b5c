"""The words and symbols in which a call's fate is told; none of them needs a colour."""

from __future__ import annotations

from ..core.call import CallStatus
from ..core.decision import Decision
from ..core.outcome import Outcome
from ..core.views import Badge, Tone

STATUS_SYMBOLS = {
    "ok": "✓",
    "skipped": "–",
    "edited": "✎",
    "denied": "⊘",
    "error": "✗",
    "interrupted": "■",
}
STATUS_TONES: dict[CallStatus, Tone] = {"ok": "ok", "denied": "warning", "error": "error", "interrupted": "warning"}
_BEHAVIORS = {"allow": "allowed", "deny": "denied", "ask": "not yet decided"}


def status_words(status: str) -> str:
    """``✓ ok``."""
    return f"{STATUS_SYMBOLS.get(status, '?')} {status}"


def status_badge(outcome: Outcome) -> Badge:
    return Badge(status_words(outcome.status), STATUS_TONES.get(outcome.status, "neutral"))


def duration(ms: float) -> str:
    """A time a person can read: ``0.4 ms``, ``120 ms``, ``3.2 s``, ``2 min 5 s``."""
    if ms < 10:
        return f"{ms:.1f} ms"
    if ms < 1_000:
        return f"{ms:.0f} ms"
    seconds = ms / 1_000
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def decision_words(decision: Decision | None) -> str:
    """Who decided what: ``allowed by rule Bash(git *)``."""
    if decision is None:
        return ""
    by = "you" if decision.decided_by == "person" else decision.decided_by
    who = f" by {by}" if by else ""
    rule = f" {decision.rule}" if decision.rule else ""
    return f"{_BEHAVIORS[decision.behavior]}{who}{rule}"
