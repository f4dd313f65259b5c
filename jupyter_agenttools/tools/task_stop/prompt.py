"""What the model is told of TaskStop, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import TaskStopResult

DESCRIPTION = "Stops a background task with everything that it has started."

PROMPT = """\
- task_id is what the result of Bash with run_in_background, or of Monitor, named (e.g. bash_1).
- The task is asked to end, and killed a moment later; the result says how it ended. Its output can still be read.
- Stop what is no longer needed: servers, watchers, monitors. Everything ends with the session anyway."""


def result_text(output: TaskStopResult) -> str:
    """The result as the model reads it."""
    if output.was_over:
        return f"Task {output.task_id} was over already: {output.words}."
    if output.state == "running":
        return f"Task {output.task_id} was told to end and does not: {output.command}"
    if output.state == "killed":
        return f"Task {output.task_id} is stopped, with everything that it had started. It ran: {output.command}"
    return f"Task {output.task_id} has ended by itself meanwhile: {output.words}. It ran: {output.command}"
