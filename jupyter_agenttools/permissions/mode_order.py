"""Which permission mode lets less pass than another?"""

from __future__ import annotations

from collections.abc import Mapping

_NARROWER: Mapping[str, frozenset[str]] = {
    "plan": frozenset({"plan"}),
    "dontAsk": frozenset({"dontAsk"}),
    "default": frozenset({"default", "plan", "dontAsk"}),
    "acceptEdits": frozenset({"acceptEdits", "default", "plan", "dontAsk"}),
    "auto": frozenset({"auto", "default", "plan", "dontAsk"}),
    "bypassPermissions": frozenset({"bypassPermissions", "auto", "acceptEdits", "default", "plan", "dontAsk"}),
}
"""For each mode those that let nothing pass that it would not let pass, itself among them."""


def is_narrower(mode: str, than: str) -> bool:
    """Whether nothing passes in ``mode`` without a question that would not pass in ``than``; also for the same one."""
    return mode in _NARROWER.get(than, frozenset())
