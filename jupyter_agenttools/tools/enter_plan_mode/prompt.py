"""What the model is told of EnterPlanMode, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import EnterPlanModeOutput

DESCRIPTION = "Enter plan mode: only look around until the person has approved a plan."

PROMPT = """\
- Use it before work of which the person should see the plan first: a new feature, several ways to do something, changes
  in many files, or when it is not clear yet what is wanted.
- Leave it for small changes, for questions, and when the person has said exactly what to do.
- In plan mode everything that may change something is denied, but for the plan's own file. ExitPlanMode puts the plan
  before the person."""


def result_text(output: EnterPlanModeOutput) -> str:
    """The result as the model reads it."""
    first = "Plan mode is on already." if output.was_on else "Plan mode is on: from now on calls can only read."
    return (
        f"{first} Look at what there is, ask the person what is unclear, and write the plan. It can be kept in "
        f"{output.plan_file}, the one file that can be written now. When it is ready call ExitPlanMode."
    )
