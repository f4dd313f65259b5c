"""MANY calls: what may overlap, in what order results leave, and when the shared context changes."""

from .batches import Batch, partition_tool_calls
from .runner import DEFAULT_MAX_CONCURRENCY, ToolRunner, interrupted_outcome, max_concurrency

__all__ = [
    "DEFAULT_MAX_CONCURRENCY",
    "Batch",
    "ToolRunner",
    "interrupted_outcome",
    "max_concurrency",
    "partition_tool_calls",
]
