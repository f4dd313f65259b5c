"""Reading a model's stream in a task of its own, so that what its calls do can be told meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import anyio

from ..core.cancel import Cancellation, CutScope
from ..core.faults import as_exception, faults
from ..executor import Bell
from ..models import ModelPart, StopPart
from .closing import close_stream
from .part_check import checked_part


class Speech:
    """A model's stream, part by part: the next one is asked for when the one before has been dealt with.

    Args:
        ask: makes the stream. cancellation: stops the reading. bell: rings for each part, and at the end.

    Attributes:
        over: nothing more comes.
        failure: what the model raised, if that was the end.
    """

    def __init__(self, ask: Callable[[], AsyncIterator[ModelPart]], cancellation: Cancellation, bell: Bell) -> None:
        self._ask, self._cancellation, self._bell = ask, cancellation, bell
        self._part: ModelPart | None = None
        self._dealt_with = anyio.Event()
        self.over = False
        self.failure: Exception | None = None

    def take(self) -> ModelPart | None:
        """The part that waits, once; ``None`` when none does."""
        part, self._part = self._part, None
        return part

    def go_on(self) -> None:
        """What was taken has been dealt with: the next part may come."""
        self._dealt_with.set()

    async def read(self) -> None:
        """Read to the end, to a failure or to a stop. Raises nothing but the cancellation of its task.

        What comes behind the end of the message is no part of it: it is read, so that the stream comes to its own end,
        and left out.
        """
        stream, ended = None, False
        try:
            with CutScope(self._cancellation):
                stream = self._ask()
                async for sent in stream:
                    if ended:
                        continue
                    part = checked_part(sent)
                    ended = isinstance(part, StopPart)
                    self._dealt_with = anyio.Event()
                    self._part = part
                    self._bell.ring()
                    await self._dealt_with.wait()
        except faults() as failure:  # a provider can fail in any way; the person is told, the history stays whole
            self.failure = as_exception(failure)
        finally:
            self.over = True
            self._bell.ring()
            await close_stream(stream)
