"""The model protocol and its adapters."""

from .protocol import (
    CountsTokens,
    Model,
    ModelPart,
    ModelRequest,
    RetryPart,
    StopPart,
    TextPart,
    ThinkingPart,
    ToolUsePart,
    token_counter,
)
from .scripted import ScriptedModel

__all__ = [
    "CountsTokens",
    "Model",
    "ModelPart",
    "ModelRequest",
    "RetryPart",
    "ScriptedModel",
    "StopPart",
    "TextPart",
    "ThinkingPart",
    "ToolUsePart",
    "token_counter",
]
