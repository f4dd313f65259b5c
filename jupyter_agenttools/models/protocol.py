"""What a model is here: messages and tools in, a stream of parts out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
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
    """Anything that answers a conversation."""

    name: str

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """The parts of the next assistant message. Raises what the provider raises."""
        ...
