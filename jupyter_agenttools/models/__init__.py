"""The model protocol and its adapters: scripts, recordings, a person, and live models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from .choosing import (
        ALIASES,
        MODEL_KINDS,
        MODEL_VARIABLE,
        ModelSpec,
        default_spec,
        make_model,
        model_specs,
        resolve_spec,
    )
    from .closing import answer_of
    from .costs import cost_of, cost_of_answer
    from .faults import FAULT_KINDS, Fault, fault_of
    from .form_fields import Choice, FormError, FormField, ToolForm
    from .form_values import LEFT_OUT, accepted, parse_value, print_value
    from .forms import parse_form, print_form, tool_form
    from .manual import ManualModel, Player
    from .recorded import RecordedModel
    from .recording import RecordingModel
    from .retrying import RetryingModel, RetryPolicy
    from .scripted import ScriptedModel
    from .terminal_player import TerminalPlayer
    from .turns import RawToolUse, Turn, play

_HOMES = {
    "ALIASES": "choosing",
    "Choice": "form_fields",
    "FAULT_KINDS": "faults",
    "Fault": "faults",
    "FormError": "form_fields",
    "FormField": "form_fields",
    "LEFT_OUT": "form_values",
    "MODEL_KINDS": "choosing",
    "MODEL_VARIABLE": "choosing",
    "ManualModel": "manual",
    "ModelSpec": "choosing",
    "Player": "manual",
    "RawToolUse": "turns",
    "RecordedModel": "recorded",
    "RecordingModel": "recording",
    "RetryPolicy": "retrying",
    "RetryingModel": "retrying",
    "ScriptedModel": "scripted",
    "TerminalPlayer": "terminal_player",
    "ToolForm": "form_fields",
    "Turn": "turns",
    "accepted": "form_values",
    "answer_of": "closing",
    "cost_of": "costs",
    "cost_of_answer": "costs",
    "default_spec": "choosing",
    "fault_of": "faults",
    "make_model": "choosing",
    "model_specs": "choosing",
    "parse_form": "forms",
    "parse_value": "form_values",
    "play": "turns",
    "print_form": "forms",
    "print_value": "form_values",
    "resolve_spec": "choosing",
    "tool_form": "forms",
}
"""Where the names live that a session does not need before it has a model; each is imported when first used."""

__all__ = [
    "ALIASES",
    "FAULT_KINDS",
    "LEFT_OUT",
    "MODEL_KINDS",
    "MODEL_VARIABLE",
    "Choice",
    "CountsTokens",
    "Fault",
    "FormError",
    "FormField",
    "ManualModel",
    "Model",
    "ModelPart",
    "ModelRequest",
    "ModelSpec",
    "Player",
    "RawToolUse",
    "RecordedModel",
    "RecordingModel",
    "RetryPart",
    "RetryPolicy",
    "RetryingModel",
    "ScriptedModel",
    "StopPart",
    "TerminalPlayer",
    "TextPart",
    "ThinkingPart",
    "ToolForm",
    "ToolUsePart",
    "Turn",
    "accepted",
    "answer_of",
    "cost_of",
    "cost_of_answer",
    "default_spec",
    "fault_of",
    "make_model",
    "model_specs",
    "parse_form",
    "parse_value",
    "play",
    "print_form",
    "print_value",
    "resolve_spec",
    "token_counter",
    "tool_form",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
