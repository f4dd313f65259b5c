"""Who has a say in a turn, beside the model and the person: before the prompt, after the calls, and at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..core.outcome import Outcome

MAX_STOP_BLOCKS = 8
"""So often in a row may the end of a turn be refused; then it ends, whatever is said. The field's own limit."""


class Verdict(NamedTuple):
    """What was said at one moment of a turn.

    Attributes:
        ends: why the turn has to end now, ``None`` when it goes on.
        refused: why it must not end yet, ``None`` when it may.
        texts: what the model is told.
    """

    ends: str | None = None
    refused: str | None = None
    texts: tuple[str, ...] = ()


NOTHING_SAID = Verdict()


class TurnHooks(Protocol):
    """Somebody who has a say in a turn. None of these raises."""

    async def on_prompt(self, prompt: str) -> Verdict:
        """Before the prompt enters the conversation; ``ends`` keeps it out."""
        ...

    async def after_tools(self, outcomes: Sequence[Outcome]) -> Verdict:
        """After all calls of a message, before the model is asked again."""
        ...

    async def on_stop(self, text: str, was_refused: bool) -> Verdict:
        """The model has nothing more to run. ``was_refused``: it goes on only because the end was refused before."""
        ...

    async def on_failure(self, detail: str, text: str) -> None:
        """The model could not be asked, and the turn is over."""
        ...


class NoTurnHooks:
    """Nobody has a say."""

    async def on_prompt(self, prompt: str) -> Verdict:
        return NOTHING_SAID

    async def after_tools(self, outcomes: Sequence[Outcome]) -> Verdict:
        return NOTHING_SAID

    async def on_stop(self, text: str, was_refused: bool) -> Verdict:
        return NOTHING_SAID

    async def on_failure(self, detail: str, text: str) -> None:
        return None
