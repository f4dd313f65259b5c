"""What the model is told of ExitPlanMode, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import ExitPlanModeOutput

DESCRIPTION = "Put the plan before the person; when it is approved, plan mode ends."

PROMPT = """\
- Call it in plan mode, once the plan is ready. Give the plan as Markdown in `plan`, or leave that out when it is in the
  plan's file.
- The plan says what will be changed, where, in which order, and how it is checked. What is unclear is asked
  before, with AskUserQuestion; the person cannot choose between ways in a plan.
- The person may change the plan: carry out the one in the result. When the person wants to keep planning, the result
  says what is missing; mend the plan and call this again.
- Do not use it to report what was found out when nothing is to be changed."""


def result_text(output: ExitPlanModeOutput) -> str:
    """The result as the model reads it."""
    edits = "edits of files need no question now" if output.mode == "acceptEdits" else f"the mode is {output.mode}"
    return f"The person approved the plan; {edits}. Begin. The plan as it was approved:\n\n{output.plan}"
