"""What a model is here: messages and tools in, a stream of parts out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable, iscoroutinefunction
from typing import Literal, Protocol

from ..core.blocks import Message, ToolUse
from ..core.tool import Tool


@dataclass(frozen=True)
class TextPart:
    """A piece of text, as it streams."""

    text: str


@dataclass(frozen=True)
class ToolUsePart:
    """A ``tool_use`` block, sent when its input is complete."""

    tool_use: ToolUse


@dataclass(frozen=True)
class StopPart:
    """The end of the message, and why."""

    reason: Literal["end_turn", "tool_use", "max_tokens", "refusal"] = "end_turn"


ModelPart = TextPart | ToolUsePart | StopPart


@dataclass(frozen=True)
class ModelRequest:
    """One turn's question.

    Args:
        system: the system prompt.
        messages: the conversation so far.
        tools: the pool, in its stable order.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]


class Model(Protocol):
    """Anything that answers a conversation.

    A model that knows its tokens also has ``count_tokens``, see :class:`CountsTokens`.
    """

    name: str

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """The parts of the next assistant message. Raises what the provider raises."""
        ...


class CountsTokens(Protocol):
    """A model that can say how many of its tokens a text is."""

    def count_tokens(self, text: str) -> int | Awaitable[int]:
        """The exact number. A plain function is run in a worker thread. Raises what the provider raises."""
        ...


def token_counter(model: Model | None) -> Callable[[str], Awaitable[int]] | None:
    """What counts the tokens of ``model``, ``None`` when it cannot."""
    counts = getattr(model, "count_tokens", None)
    if not callable(counts):
        return None

    async def count(text: str) -> int:
        import anyio.to_thread

        if iscoroutinefunction(counts):
            return await counts(text)
        counted = await anyio.to_thread.run_sync(counts, text, abandon_on_cancel=True)
        return await counted if isawaitable(counted) else counted

    return count
