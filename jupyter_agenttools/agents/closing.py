"""The end of a model's stream."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

from ..core.faults import faults
from ..models import ModelPart

CLOSE_S = 5.0
"""How long a provider may take to clean up after a stop."""


async def close_stream(stream: AsyncIterator[ModelPart] | None) -> None:
    """Let the provider clean up; one that cannot is left behind."""
    if (close := getattr(stream, "aclose", None)) is None:
        return
    with anyio.move_on_after(CLOSE_S, shield=True):
        try:
            await close()
        except faults():  # what was said is whole, and nobody can do anything about this
            return
