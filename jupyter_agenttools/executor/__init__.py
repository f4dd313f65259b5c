"""MANY calls: what may overlap, in what order results leave, and when the shared context changes."""

from .batches import Batch, partition_tool_calls
from .bell import Bell
from .calls import CallHost, describe_call, interrupted_outcome
from .crew import Crew
from .limits import DEFAULT_MAX_CONCURRENCY, SIBLING_ABORT_VARIABLE, max_concurrency, siblings_are_aborted
from .schedule import Schedule
from .streaming import StreamingToolExecutor

__all__ = [
    "DEFAULT_MAX_CONCURRENCY",
    "SIBLING_ABORT_VARIABLE",
    "Batch",
    "Bell",
    "CallHost",
    "Crew",
    "Schedule",
    "StreamingToolExecutor",
    "describe_call",
    "interrupted_outcome",
    "max_concurrency",
    "partition_tool_calls",
    "siblings_are_aborted",
]
