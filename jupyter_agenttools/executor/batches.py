"""Which calls may run together?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..core.blocks import ToolUse
from ..core.faults import faults
from ..core.immutable import freeze
from ..core.schema import parse_input
from ..core.tool import Tool, find_tool_by_name
from .schedule import Schedule


class Batch(NamedTuple):
    """Consecutive calls that run together, or one call alone."""

    uses: tuple[ToolUse, ...]
    concurrent: bool


def is_concurrency_safe(use: ToolUse, tools: tuple[Tool, ...]) -> bool:
    """May this call overlap others? An unknown tool, a bad input or a fault counts as no."""
    tool = find_tool_by_name(tools, use.name)
    if tool is None:
        return False
    try:
        # A foreign schema may take its time, and what does not fit it is refused by the call itself.
        parsed = freeze(use.input) if tool.input_model is None else parse_input(tool, use.input)
        return bool(tool.is_concurrency_safe(parsed))
    except faults():  # whatever went wrong, running alone is the safe answer
        return False


def partition_tool_calls(uses: Sequence[ToolUse], tools: tuple[Tool, ...]) -> list[Batch]:
    """The calls in their order, as they run: consecutive safe ones are a batch, every other call is its own."""
    schedule = Schedule(cap=1)
    for use in uses:
        schedule.add(is_concurrency_safe(use, tools))
    return [Batch(tuple(uses[i] for i in batch), schedule.is_safe(batch[0])) for batch in schedule.batches]
