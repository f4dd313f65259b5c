"""The query loop."""

from .loop import DEFAULT_MAX_TURNS, QueryLoop
from .system_prompt import build_effective_system_prompt
from .turn_hooks import MAX_STOP_BLOCKS, TurnHooks, Verdict

__all__ = [
    "DEFAULT_MAX_TURNS",
    "MAX_STOP_BLOCKS",
    "QueryLoop",
    "TurnHooks",
    "Verdict",
    "build_effective_system_prompt",
]
