"""Stopping between the stages of a call in a notebook."""

from __future__ import annotations

import uuid
from concurrent.futures import Future
from typing import TYPE_CHECKING

from ..core.events import StageEvent
from ..core.stepping import StepChoice
from .asking import Asking
from .open_steps import OpenStep
from .run import current_run
from .stdin import step_on_stdin

if TYPE_CHECKING:
    from .cell import Cell
    from .runtime import Runtime


class KernelStepper:
    """Asks a person after each stage how to go on; where nobody is, the call runs on."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._key = runtime, uuid.uuid4().hex
        self._walked: dict[str, tuple[StageEvent, ...]] = {}

    async def between(self, event: StageEvent, next_stage: str, may_edit: bool) -> StepChoice:
        self._walked[event.tool_use_id] = (*self._walked.get(event.tool_use_id, ()), event)
        run = current_run()
        if run is None:
            return await self._ask(event, next_stage, may_edit)
        run.held.add(event.tool_use_id)
        try:
            return await self._ask(event, next_stage, may_edit)
        finally:
            run.held.discard(event.tool_use_id)

    async def _ask(self, event: StageEvent, next_stage: str, may_edit: bool) -> StepChoice:
        asking = Asking(self._runtime, f"{event.before.tool_use.name}: before {next_stage}")
        place = asking.first_place
        if place == "card":
            from .cards import StepCard

            step = self._step(event, next_stage, may_edit, asking.cell)
            self._runtime.steps.open(step)
            try:
                if await asking.on_card(
                    lambda bag, post: StepCard(event, next_stage, may_edit, step.choice, bag, post), step.choice
                ):
                    return step.choice.result()
            finally:
                self._runtime.steps.close(step)
            place = "stdin"
        if place == "nobody":
            return StepChoice("run_on")
        return await asking.on_stdin(lambda: step_on_stdin(event, next_stage, may_edit, input, print))

    def _step(self, event: StageEvent, next_stage: str, may_edit: bool, cell: Cell) -> OpenStep:
        id = event.tool_use_id
        key = f"{self._key} {id}"
        return OpenStep(self._walked[id], next_stage, may_edit, cell.cell_id, Future(), key, cell.client)
