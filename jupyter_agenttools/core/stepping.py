"""Stopping between two stages of a call: the question and the answer as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .events import StageEvent

StepAction = Literal["next", "run_on", "abort", "edit"]


@dataclass(frozen=True)
class StepChoice:
    """What to do at a stop.

    Args:
        action: go to the next stage, run on without further stops, abort the call, or go on with another input.
        input: with ``edit``: the whole new input; the call is judged again from its first stage.
        message: with ``abort``: why, told to the model.
    """

    action: StepAction
    input: Mapping[str, Any] | None = None
    message: str = ""


class Stepper(Protocol):
    """Somebody who walks through a call."""

    async def between(self, event: StageEvent, next_stage: str, may_edit: bool) -> StepChoice:
        """Called after each stage but the last. ``may_edit`` is false once the tool has been called."""
        ...
