"""Live models whose provider is a server of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_agenttools.core.blocks import Message, TextBlock
from jupyter_agenttools.models import ModelPart, ModelRequest, TextPart, ThinkingPart, ToolUsePart
from jupyter_agenttools.models.providers import ProviderModel, make_provider_model

from .provider_server import ProviderServer, Reply
from .provider_streams import Format

KEY = "canary-3f9d1c7b5a"
"""Looks like no known kind of key, so that only its exact value can be taken out."""


def model_at(format: Format, url: str, key: str = KEY) -> ProviderModel:
    """A model that speaks ``format`` with the server at ``url``."""
    if format == "anthropic":
        env = {"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": url}
        return make_provider_model("anthropic", "claude-haiku-5-5", env=env)
    if format == "google":
        return make_provider_model(
            "google", "gemini-2.5-flash", env={"GOOGLE_API_KEY": key, "GOOGLE_GEMINI_BASE_URL": url}
        )
    if format == "responses":
        return make_provider_model(
            "openai-responses", "gpt-5", env={"OPENAI_API_KEY": key, "OPENAI_BASE_URL": f"{url}/v1"}
        )
    return make_provider_model("openai", "small", env={"OPENAI_API_KEY": key, "OPENAI_BASE_URL": f"{url}/v1"})


@contextmanager
def served(format: Format, *replies: Reply) -> Iterator[tuple[ProviderModel, ProviderServer]]:
    """A model, and the server that plays ``replies`` to it."""
    with ProviderServer(*replies).running() as server:
        yield model_at(format, server.url), server


def asking(text: str = "hi", **fields: Any) -> ModelRequest:
    """A request with one message of the person."""
    return ModelRequest("You help.", (Message("user", (TextBlock(text),)),), (), **fields)


async def parts_of(model: ProviderModel, request: ModelRequest | None = None) -> list[ModelPart]:
    return [part async for part in model.stream(request or asking())]


async def parts_before_error(model: ProviderModel) -> tuple[list[ModelPart], Exception]:
    """What came, and the error that it ended with."""
    parts: list[ModelPart] = []
    try:
        async for part in model.stream(asking()):
            parts.append(part)
    except Exception as error:
        return parts, error
    raise AssertionError(f"no error: {parts}")


def text_of(parts: list[ModelPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def thoughts_of(parts: list[ModelPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, ThinkingPart))


def calls_of(parts: list[ModelPart]) -> list[ToolUsePart]:
    return [part for part in parts if isinstance(part, ToolUsePart)]
