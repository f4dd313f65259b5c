"""What an answer cost, from the price list that genai-prices carries; nothing is looked up in the net."""

from __future__ import annotations

from typing import Any

from ..core.usage import Usage

FREE = frozenset({"scripted", "manual", "replay", "local"})
"""Providers that nobody pays for an answer: turns written beforehand, a person, a recording, this machine."""

_LISTED_AS = {
    "anthropic": "anthropic", "azure": "azure", "bedrock": "aws", "cerebras": "cerebras", "cohere": "cohere",
    "deepseek": "deepseek", "fireworks": "fireworks", "google": "google", "google-cloud": "google", "groq": "groq",
    "mistral": "mistral", "moonshotai": "moonshotai", "openai": "openai", "openai-chat": "openai",
    "openai-responses": "openai", "openrouter": "openrouter", "ovhcloud": "ovhcloud", "together": "together",
    "xai": "x-ai", "zai": "zai",
}  # fmt: skip
"""How the price list calls each provider that it has."""


def cost_of(model_name: str, provider: str, usage: Usage) -> float | None:
    """US dollars for ``usage``, ``None`` where no price is known.

    The first call for a provider that is paid loads the list, about 0.2 s.

    Args:
        model_name: as the provider calls it, e.g. ``claude-sonnet-4-5``.
        provider: e.g. ``anthropic``. One that the list does not have is never given the price of another.
    """
    if provider in FREE:
        return 0.0
    listed = _LISTED_AS.get(provider, "")
    if not listed or not model_name or "@http" in model_name:  # the server of somebody else has prices of its own
        return None
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    priced = Priced(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        return float(calc_price(priced, model_name, provider_id=listed).total_price)
    except (LookupError, ValueError):
        return None


def cost_of_answer(model: Any, usage: Usage) -> float | None:
    """The same for an answer of ``model``: by its ``model_name`` and ``provider``, where it has these.

    Else by its name, ``PROVIDER:MODEL``, e.g. ``anthropic:claude-sonnet-4-5``.
    """
    provider, _, name = str(model.name).partition(":")
    return cost_of(getattr(model, "model_name", name), getattr(model, "provider", provider), usage)
