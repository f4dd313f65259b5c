"""The query loop."""

from .loop import DEFAULT_MAX_TURNS, QueryHost, QueryLoop
from .own_task import in_own_task
from .steering import SteeringQueue
from .system_prompt import build_effective_system_prompt
from .turn_hooks import MAX_STOP_BLOCKS, TurnHooks, Verdict

__all__ = [
    "DEFAULT_MAX_TURNS",
    "MAX_STOP_BLOCKS",
    "QueryHost",
    "QueryLoop",
    "SteeringQueue",
    "TurnHooks",
    "Verdict",
    "build_effective_system_prompt",
    "in_own_task",
]
