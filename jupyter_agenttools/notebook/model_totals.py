"""What each model's answers used up in this kernel."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace

from ..core.updates import Update, UsageAdded
from ..core.usage import NO_USAGE, Usage

answering: ContextVar[str] = ContextVar("jupyter_agenttools_answering", default="")
"""The model of the turn that runs, ``""`` for the session's own."""


@dataclass(frozen=True)
class ModelTotal:
    """What one model used up.

    Args:
        answers: how many it gave. usage: their tokens.
        cost_usd: of those whose price is known. unpriced: how many there are without one.
    """

    answers: int = 0
    usage: Usage = NO_USAGE
    cost_usd: float = 0.0
    unpriced: int = 0

    def added(self, update: UsageAdded) -> ModelTotal:
        return replace(
            self,
            answers=self.answers + 1,
            usage=self.usage + update.usage,
            cost_usd=self.cost_usd + (update.cost_usd or 0.0),
            unpriced=self.unpriced + (update.cost_usd is None),
        )


class ModelTotals:
    """An observer of the kernel's session.

    Args:
        own_model: the name of the session's model.

    Attributes:
        by_model: the totals, by the name of the model, in the order of their first answers.
    """

    def __init__(self, own_model: Callable[[], str]) -> None:
        self._own_model = own_model
        self.by_model: dict[str, ModelTotal] = {}

    def on_update(self, update: Update) -> None:
        if isinstance(update, UsageAdded):
            name = answering.get() or self._own_model()
            self.by_model[name] = self.by_model.get(name, ModelTotal()).added(update)
