"""What a model is here: messages and tools in, a stream of parts out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Literal, Protocol

from ..core.blocks import Message, ToolUse
from ..core.tool import Tool
from ..core.usage import Usage


@dataclass(frozen=True)
class TextPart:
    """A piece of text, as it streams."""

    text: str


@dataclass(frozen=True)
class ThinkingPart:
    """A piece of what the model thinks. ``signature`` comes with the last piece of a block, and ends the block."""

    text: str
    signature: str | None = None


@dataclass(frozen=True)
class ToolUsePart:
    """A ``tool_use`` block, sent when its input is complete.

    Args:
        tool_use: the block. Its input is ``{}`` where what the model wrote cannot be read.
        problem: why it cannot be read, ``""`` when it can; the call is then answered with that and never run.
    """

    tool_use: ToolUse
    problem: str = ""


@dataclass(frozen=True)
class RetryPart:
    """Nothing has come yet, and the provider is asked again after ``delay_s`` seconds, for the ``attempt``-th time."""

    why: str
    delay_s: float
    attempt: int


@dataclass(frozen=True)
class StopPart:
    """The end of the message: why, and what it used up (``None`` where the model does not say).

    A stream that ends without one broke off.
    """

    reason: Literal["end_turn", "tool_use", "max_tokens", "refusal"] = "end_turn"
    usage: Usage | None = None
    detail: str = ""


ModelPart = TextPart | ThinkingPart | ToolUsePart | RetryPart | StopPart


@dataclass(frozen=True)
class ModelRequest:
    """One turn's question.

    Args:
        system: the system prompt.
        messages: the conversation so far.
        tools: the pool, in its stable order.
        max_tokens: the longest answer, ``None`` for the provider's own limit.
        thinking: whether and how the model thinks: tokens for it, ``None`` for the provider's own way.
        output_schema: a JSON schema that the answer's text must fit, for models that can be held to one.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    max_tokens: int | None = None
    thinking: int | None = None
    output_schema: Mapping[str, Any] | None = None


class Model(Protocol):
    """Anything that answers a conversation.

    A model that knows its tokens also has ``count_tokens``, see :class:`CountsTokens`; one that knows its window has
    ``context_window: int`` (tokens).
    """

    name: str

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """The parts of the next assistant message. Raises a :class:`ModelError` where the provider fails, and
        ``UsageError`` where a person has to set something up first."""
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
