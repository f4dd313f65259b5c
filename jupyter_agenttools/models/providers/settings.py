"""How a request is to be carried out, in pydantic-ai's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..protocol import ModelRequest

if TYPE_CHECKING:
    from pydantic_ai.models import Model as WireModel

_SMALLEST_BUDGET = 1024
"""Tokens; Anthropic's least."""
_EFFORTS = ((1024, "minimal"), (4096, "low"), (16384, "medium"))
"""For providers that take a word instead of a number of tokens: up to how many each word stands for."""


def wire_settings(request: ModelRequest, model: WireModel, timeout_s: float) -> dict[str, Any]:
    """The settings of one request, without those that the model would only warn about.

    Asking again is somebody else's business, so that the provider's own client never does. The prompt's stable part
    is cached where that has to be asked for.
    """
    settings: dict[str, Any] = {"max_retries": 0, "timeout": timeout_s, "cache": True}
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    if request.thinking is not None:
        settings.update(_thinking(request.thinking, request.max_tokens, model))
    return {name: value for name, value in settings.items() if name not in model.unsupported_settings}


def _thinking(budget: int, max_tokens: int | None, model: WireModel) -> dict[str, Any]:
    if budget <= 0:
        return {"thinking": False}
    profile = model.profile
    if model.system == "anthropic" and not profile.get("anthropic_disallows_budget_thinking", False):
        budget = max(budget, _SMALLEST_BUDGET)
        room = {} if max_tokens is None else {"max_tokens": max_tokens + budget}  # thinking counts towards the limit
        return {"anthropic_thinking": {"type": "enabled", "budget_tokens": budget}, **room}
    if model.system == "google" and not profile.get("google_supports_thinking_level", False):
        return {"google_thinking_config": {"thinking_budget": budget, "include_thoughts": True}}
    return {"thinking": next((word for most, word in _EFFORTS if budget <= most), "high")}
