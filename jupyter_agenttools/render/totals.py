"""The line at the end of a turn: what it took."""

from __future__ import annotations

from ..core.updates import TurnEnded
from ..core.usage import NO_USAGE, Usage
from .chars import count_of
from .words import duration


def totals_words(ended: TurnEnded, calls: int, seconds: float | None = None) -> str:
    """``2 turns · 4 calls · 12,345 tokens in (10,000 cached), 512 out · $0.0123 · 8.2 s``; what is unknown is left out.

    Args:
        seconds: how long the turn took, ``None`` where nobody took the time.
    """
    if not ended.turns and ended.usage == NO_USAGE and seconds is None:
        return ""
    parts = [
        count_of(ended.turns, "turn") if ended.turns else "",
        count_of(calls, "call"),
        usage_words(ended.usage),
        cost_words(ended.cost_usd) if ended.cost_usd is not None and ended.usage != NO_USAGE else "",
        "" if seconds is None else duration(seconds * 1_000),
    ]
    return " · ".join(part for part in parts if part)


def usage_words(usage: Usage) -> str:
    """The tokens in and out, ``""`` when none were counted."""
    if usage == NO_USAGE:
        return ""
    cached = f" ({usage.cache_read_tokens:,} cached)" if usage.cache_read_tokens else ""
    return f"{usage.prompt_tokens:,} tokens in{cached}, {usage.output_tokens:,} out"


def cost_words(usd: float) -> str:
    """US dollars: ``$1.25``, small amounts as ``$0.0042``; ``free`` where nothing is paid."""
    if not usd:
        return "free"
    if usd >= 1:
        return f"${usd:,.2f}"
    return f"${usd:.4f}" if usd >= 0.0001 else "less than $0.0001"
