"""The border to a model: what it sends is looked at before any of it can come into the conversation.

A model may be anybody's own class. One wrong value in the history would be sent to the provider, and written to the
transcript, with every request from then on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from ..core.blocks import ToolUse, to_json
from ..core.errors import ModelError
from ..core.faults import faults
from ..core.usage import Usage
from ..models import ModelPart, RetryPart, StopPart, TextPart, ThinkingPart, ToolUsePart

SHOWN_CHARS = 60
"""Of what was sent, in the sentence about it."""

STOP_REASONS: tuple[str, ...] = get_args(get_type_hints(StopPart)["reason"])


def checked_part(part: Any) -> ModelPart:
    """The part, when it is one, with values of the right types.

    Raises:
        ModelError: it is not; says what the model sent.
    """
    match part:
        case TextPart(text):
            _check(part, "text", text, str)
        case ThinkingPart(text, signature):
            _check(part, "text", text, str)
            _check(part, "signature", signature, str, type(None))
        case ToolUsePart(use, problem):
            _check(part, "tool_use", use, ToolUse)
            _check(part, "problem", problem, str)
            _check_call(use)
        case RetryPart(why, delay_s, attempt):
            _check(part, "why", why, str)
            _check(part, "delay_s", delay_s, int, float)
            _check(part, "attempt", attempt, int)
        case StopPart(reason, usage, detail):
            _check(part, "detail", detail, str)
            _check_end(part, reason, usage)
        case _:
            raise _wrong(f"{_shown(part)}, which is no part of an answer")
    return part


def _check_call(use: ToolUse) -> None:
    _check(use, "name", use.name, str)
    _check(use, "id", use.id, str)
    _check(use, "input", use.input, Mapping)
    if not use.id:
        raise _wrong("a ToolUse whose id is empty")
    try:
        json.dumps(to_json(use.input))
    except (TypeError, ValueError, RecursionError) as error:
        raise _wrong(f"a ToolUse whose input is no JSON ({error})") from error


def _check_end(part: StopPart, reason: Any, usage: Any) -> None:
    if reason not in STOP_REASONS:
        raise _wrong(f"a StopPart whose reason is {_shown(reason)}, not one of {', '.join(STOP_REASONS)}")
    _check(part, "usage", usage, Usage, type(None))
    for field in fields(usage) if usage is not None else ():
        _check(usage, field.name, getattr(usage, field.name), int)


def _check(owner: Any, name: str, value: Any, *kinds: type) -> None:
    if not isinstance(value, kinds):
        wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
        raise _wrong(f"a {type(owner).__name__} whose {name} is {_shown(value)}, not {wanted}")


def _wrong(what: str) -> ModelError:
    return ModelError(f"the model sent {what}. What it sends is left out here; its stream has to be mended")


def _shown(value: Any) -> str:
    """The type of a value and the beginning of it, whatever it is."""
    try:
        text = repr(value)
    except faults():  # a class of anybody's
        text = "…"
    return f"{type(value).__name__} {text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + '…'}"
