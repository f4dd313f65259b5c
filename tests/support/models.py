"""A model that plays parts, waits and failures exactly as they are written down."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from jupyter_agenttools.core import ToolUse
from jupyter_agenttools.models import ModelPart, ModelRequest, StopPart, TextPart, ToolUsePart

Step = ModelPart | BaseException | Callable[[], Awaitable[Any] | None] | str | ToolUse


class PlayingModel:
    """Plays one list of steps for each time it is asked; after the last one it says ``Done.``.

    A step is a part, a text or a ``ToolUse`` for short, an exception that is raised, or a function that is called, and
    awaited where it returns something to await. Nothing is added: a turn without a ``StopPart`` breaks off.

    Attributes:
        requests: what it was asked.
        closed: how many of its streams have been closed or are over.
    """

    name = "playing"

    def __init__(self, *turns: Sequence[Step], **attributes: Any) -> None:
        self._turns = list(turns)
        self.requests: list[ModelRequest] = []
        self.closed = 0
        for name, value in attributes.items():
            setattr(self, name, value)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        self.requests.append(request)
        steps = self._turns.pop(0) if self._turns else ["Done.", StopPart()]
        try:
            for step in steps:
                if isinstance(step, BaseException):
                    raise step
                if isinstance(step, str):
                    yield TextPart(step)
                elif isinstance(step, ToolUse):
                    yield ToolUsePart(step)
                elif callable(step):
                    if inspect.isawaitable(waiting := step()):
                        await waiting
                else:
                    yield step
        finally:
            self.closed += 1


CALLS = StopPart("tool_use")
END = StopPart("end_turn")
