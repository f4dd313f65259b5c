"""How many tokens does the model see in a text? Asked only where an estimate is near the limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import anyio.from_thread

from ...core.faults import faults

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

COUNT_TIMEOUT_S = 5.0
"""A provider answers in a fraction of it; without an answer the estimate is good enough."""


def token_counter(context: ToolUseContext) -> Callable[[str], int | None]:
    """What counts with the model of this context; it gives ``None`` where it cannot. For worker threads only."""

    def count(text: str) -> int | None:
        if context.count_tokens is None:
            return None
        try:
            tokens = anyio.from_thread.run(_counted, context, text)
        except faults():  # somebody else's code or network: a reading never fails for it
            return None
        return tokens if type(tokens) is int and tokens >= 0 else None

    return count


async def _counted(context: ToolUseContext, text: str) -> int | None:
    if context.count_tokens is not None:
        with anyio.move_on_after(COUNT_TIMEOUT_S):
            return await context.count_tokens(text)
    return None
