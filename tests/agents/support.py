"""What tests of the query loop share."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from typing import Any

from jupyter_agenttools.core import Message, ToolResultBlock

ALLOW = {"permissions": {"allow": ["Reader", "Writer", "Move", "Outer"]}}


def check_history(messages: tuple[Message, ...], *, one_role_after_the_other: bool = True) -> None:
    """Every tool_use has exactly one tool_result, in the next message, in order; roles alternate."""
    for message, following in zip(messages, (*messages[1:], None), strict=True):
        if message.tool_uses:
            assert following is not None and following.role == "user"
            results = [b.tool_use_id for b in following.content if isinstance(b, ToolResultBlock)]
            assert results == [u.id for u in message.tool_uses]
        elif following is not None and message.role == "assistant":
            assert not any(isinstance(b, ToolResultBlock) for b in following.content)
    if one_role_after_the_other:
        roles = [m.role for m in messages]
        assert all(a != b for a, b in itertools.pairwise(roles))


async def collect(updates: AsyncIterator[Any]) -> list[Any]:
    return [update async for update in updates]


def results_of(messages: tuple[Message, ...]) -> list[ToolResultBlock]:
    return [block for message in messages for block in message.content if isinstance(block, ToolResultBlock)]
