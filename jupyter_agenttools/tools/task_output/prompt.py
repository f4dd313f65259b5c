"""What the model is told of TaskOutput, and how its result reads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import TaskOutputResult

DESCRIPTION = "Shows how a background task stands and what it has printed."

PROMPT = """\
- task_id is what the result of Bash with run_in_background, or of Monitor, named (e.g. bash_1).
- It waits for the end of the task, at most timeout milliseconds (30000 unless given, 600000 at most); with
  block: false it answers at once. A task that still runs after that is no failure: its output so far is shown.
- Long output is cut in the middle; the file with all of it is named. Read that with offset and limit, or search it.
- You are told when a task is over, so there is no need to ask again and again."""


def result_text(output: TaskOutputResult) -> str:
    """The result as the model reads it."""
    head = f"Task {output.task_id}: {output.words}, after {output.elapsed_ms / 1000:.1f} s."
    lines = f"{output.total_lines:,} line{'' if output.total_lines == 1 else 's'}"
    where = f"Output ({lines}, {output.total_bytes:,} bytes) in {output.output_path}:"
    more = [f"[{note}]" for note in output.notes]
    return "\n".join([head, f"Command: {output.command}", where, output.output or "(no output)", *more])
