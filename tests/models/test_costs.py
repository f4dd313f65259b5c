"""What an answer cost: known prices, and honest silence where there is none."""

from __future__ import annotations

import pytest

from jupyter_agenttools import ScriptedModel
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import RetryingModel, cost_of, cost_of_answer
from jupyter_agenttools.models.costs import _LISTED_AS
from jupyter_agenttools.models.providers import PROVIDERS

MANY = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
SOME = Usage(input_tokens=1_000, output_tokens=1_000, cache_read_tokens=10_000, cache_write_tokens=100)


class Named:
    def __init__(self, name: str, **more: str) -> None:
        self.name = name
        self.__dict__.update(more)


def test_a_known_price() -> None:
    cost = cost_of("claude-haiku-4-5", "anthropic", Usage(input_tokens=1_000_000))
    assert cost == pytest.approx(1.0)


def test_the_cache_has_its_own_price() -> None:
    whole = cost_of("claude-haiku-4-5", "anthropic", Usage(input_tokens=11_100, output_tokens=1_000))
    cached = cost_of("claude-haiku-4-5", "anthropic", SOME)
    assert whole is not None and cached == pytest.approx(1_000e-6 + 10_000e-7 + 125e-6 + 5e-3)
    assert cached < whole


@pytest.mark.parametrize("provider", ["scripted", "manual", "replay", "local"])
def test_nobody_is_paid(provider: str) -> None:
    assert cost_of("anything", provider, MANY) == 0.0


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("no-such-model", "anthropic"), ("claude-haiku-4-5", "heroku"), ("claude-haiku-4-5", "nobody"), ("", "openai"),
        ("claude-haiku-4-5", ""), ("gpt-4o@http://127.0.0.1:8080/v1", "openai"), ("qwen3", "ollama"), ("x", "vllm"),
    ],
)  # fmt: skip
def test_no_price_is_none(name: str, provider: str) -> None:
    assert cost_of(name, provider, MANY) is None


def test_of_a_model() -> None:
    assert cost_of_answer(ScriptedModel([]), MANY) == 0.0
    assert cost_of_answer(RetryingModel(ScriptedModel([])), MANY) == 0.0
    assert cost_of_answer(Named("anthropic:claude-haiku-4-5"), MANY) == pytest.approx(6.0)
    assert cost_of_answer(Named("bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0"), MANY) is not None
    assert cost_of_answer(Named("something"), MANY) is None
    mine = Named("openai:gpt-4o", provider="somebody-else", model_name="gpt-4o")
    assert cost_of_answer(mine, MANY) is None and cost_of_answer(Named("openai:gpt-4o"), MANY) is not None


@pytest.mark.parametrize(("provider", "listed"), _LISTED_AS.items())
def test_the_list_has_each_provider_and_so_have_we(provider: str, listed: str) -> None:
    from genai_prices.data import providers

    assert provider in PROVIDERS and listed in {each.id for each in providers}
