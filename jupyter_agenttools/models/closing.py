"""An answer that is closed when its reader leaves it, whatever kind of iterator a model returns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .protocol import Model, ModelPart, ModelRequest


@asynccontextmanager
async def answer_of(model: Model, request: ModelRequest) -> AsyncIterator[AsyncIterator[ModelPart]]:
    """The parts of the answer of ``model``; what the stream holds open is let go of at the end of the block."""
    parts = model.stream(request)
    try:
        yield parts
    finally:
        if (close := getattr(parts, "aclose", None)) is not None:
            await close()
