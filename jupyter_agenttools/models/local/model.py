"""The local model: small, honest about it, and held to the tools' schemas while it writes."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx

from ...core.errors import ModelConnectionError
from ...core.immutable import thaw
from ...core.usage import Usage
from ..protocol import ModelPart, ModelRequest, StopPart, TextPart
from .constraint import reply_schema
from .engine import WINDOW, Engine, engine_for, refusal
from .files import BUNDLED, model_file
from .reading import ReplyReader
from .wording import chat_body, chat_messages

MAX_TOKENS = 1024
"""Of an answer, where nothing else is asked for: a small model that does not find its end goes round in circles."""
SMALL_BYTES = 1_000_000_000
"""Of a model's file: a smaller model is only offered the fields that a call must have."""
SILENCE_S = 600.0
"""Seconds without a token after which the engine counts as lost; a long conversation is read first."""


def make_local_model(named: str = "") -> LocalModel:
    """The bundled model, or that of a GGUF file. Starts nothing yet.

    Raises:
        UsageError: something is not installed (says the command), or it is no such file.
    """
    return LocalModel(model_file(named))


class LocalModel:
    """A model in a process of its own on this machine; see :func:`make_local_model`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name = f"local:{file.stem}"
        self._engine = engine_for(file)

    def __repr__(self) -> str:
        return f"<LocalModel {self.file.name}>"

    @property
    def description(self) -> str:
        """What it is, and what not to expect of it."""
        size = f"{self.file.stat().st_size / 1e6:.0f} MB"
        if self.file.name == BUNDLED:
            return (
                f"SmolLM2-135M ({size}): 135 million parameters, about a thousandth of what large models have. It runs "
                "without a key or a network and shows how an agent works. Its calls always fit the tools' schemas; "
                "whether they make sense is luck, and what it says is often wrong."
            )
        return f"{self.file.name} ({size}), run on this machine; its calls always fit the tools' schemas"

    @property
    def context_window(self) -> int | None:
        """Tokens, as the engine says; ``None`` before it was started."""
        return self._engine.window

    @property
    def engine(self) -> Engine:
        """The process behind it, shared with every model of the same file."""
        return self._engine

    def count_tokens(self, text: str) -> int:
        """How many of its tokens ``text`` is, as the engine counts. Starts it where it does not run."""
        return self._engine.count_tokens(text)

    def close(self) -> None:
        """End the process; it is started again when it is asked."""
        self._engine.close()

    async def load(self) -> None:
        """Start the engine, about a second, so that the first turn need not."""
        await anyio.to_thread.run_sync(self._engine.start, abandon_on_cancel=True)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """The parts of the next answer; see :class:`~..protocol.Model`. Leaving it stops the engine's work."""
        await self.load()
        body = self._body(request)
        reader = ReplyReader() if request.tools else None
        reason, usage = "", None
        async with aclosing(self._chunks(body)) as chunks:
            async for chunk in chunks:
                usage = _usage(chunk) or usage
                for choice in chunk.get("choices", ()):
                    reason = choice.get("finish_reason") or reason
                    if piece := choice.get("delta", {}).get("content"):
                        for part in reader.feed(piece) if reader is not None else (TextPart(piece),):
                            yield part
        if not reason:
            raise ModelConnectionError("the local model's answer broke off before its end")
        if reader is not None:
            for part in reader.finish(cut=reason == "length"):
                yield part
        if reason == "length":
            yield StopPart("max_tokens", usage, "the answer was cut off at the longest that is allowed")
        else:
            yield StopPart("tool_use" if reader is not None and reader.called else "end_turn", usage)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        small = self.file.stat().st_size < SMALL_BYTES
        messages = chat_messages(request, self._engine.window or WINDOW, needed_only=small)
        body = chat_body(request, messages, MAX_TOKENS)
        tools = request.tools
        schema = reply_schema(tools, needed_only=small) if tools else thaw(request.output_schema)
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        return body

    async def _chunks(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The events of one chat request."""
        timeout = httpx.Timeout(SILENCE_S, connect=10)
        try:
            async with (
                httpx.AsyncClient(timeout=timeout, trust_env=False) as client,
                client.stream(
                    "POST", f"{self._engine.url}/v1/chat/completions", json=body, headers=self._engine.headers
                ) as answer,
            ):
                if answer.status_code != 200:
                    raise refusal(answer.status_code, (await answer.aread()).decode("utf-8", "replace"))
                async for line in answer.aiter_lines():
                    kind, _, data = line.partition(":")
                    if kind == "error":
                        raise refusal(answer.status_code, f'{{"error":{data}}}')
                    if kind == "data" and data.strip() != "[DONE]":
                        chunk = json.loads(data)
                        if "error" in chunk:
                            raise refusal(answer.status_code, data)
                        yield chunk
        except (httpx.HTTPError, ValueError) as error:
            raise self._engine.failure_of(error) from error


def _usage(chunk: dict[str, Any]) -> Usage | None:
    counted = chunk.get("usage")
    if not counted:
        return None
    cached = (counted.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(counted["prompt_tokens"] - cached, counted["completion_tokens"], cached)
