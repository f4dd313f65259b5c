"""The model protocol and its adapters."""

from .protocol import Model, ModelPart, ModelRequest, StopPart, TextPart, ToolUsePart
from .scripted import ScriptedModel

__all__ = ["Model", "ModelPart", "ModelRequest", "ScriptedModel", "StopPart", "TextPart", "ToolUsePart"]
