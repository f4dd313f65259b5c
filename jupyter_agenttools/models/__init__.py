"""The model protocol and its adapters."""

from .protocol import CountsTokens, Model, ModelPart, ModelRequest, StopPart, TextPart, ToolUsePart, token_counter
from .scripted import ScriptedModel

__all__ = [
    "CountsTokens",
    "Model",
    "ModelPart",
    "ModelRequest",
    "ScriptedModel",
    "StopPart",
    "TextPart",
    "ToolUsePart",
    "token_counter",
]
