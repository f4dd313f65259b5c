"""Be the model: the answers come from a person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from .protocol import ModelPart, ModelRequest
from .turns import Turn, play


class Player(Protocol):
    """Who plays the model: a form in a notebook, a terminal, or any function's object in a test."""

    async def play(self, request: ModelRequest) -> Turn:
        """The next answer. Cancelled when the query is stopped meanwhile.

        Raises:
            ModelError: the person does not answer, e.g. closed the form; the turn ends with that.
        """
        ...


class ManualModel:
    """A model whose turns are given by ``player``; they count no tokens and cost nothing."""

    name = "manual"
    provider = "manual"

    def __init__(self, player: Player) -> None:
        self.player = player

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        async for part in play(await self.player.play(request)):
            yield part
