"""What the model is told of TodoWrite, and how its result reads to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tool import TodoWriteOutput

DESCRIPTION = "Keep the list of tasks that the person sees while you work."

PROMPT = """\
- Use it for work of three or more steps, and when the person names several things to do; not for a question or for a
  change that is a step or two.
- Each call replaces the whole list: send every task, in the order in which you mean to do them. An empty list clears
  it.
- content says what is to be done ("Run the tests"), activeForm the same while it is being done ("Running the tests").
- Have exactly one task in_progress while you work. Mark a task completed as soon as it is done, before the next begins.
- A task is completed only when all of it is done: with failing tests or an open error it stays in_progress, and what
  stands in its way becomes a task of its own. Take out tasks that are no longer needed.
- When every task is completed, the stored list is empty again."""


def result_text(output: TodoWriteOutput) -> str:
    """The result as the model reads it."""
    todos = output.new_todos
    if not todos:
        return "The todo list is empty now."
    counts = {status: sum(todo.status == status for todo in todos) for status in ("completed", "in_progress")}
    total = f"{len(todos)} task{'' if len(todos) == 1 else 's'}"
    if counts["completed"] == len(todos):
        return f"All of the list is completed ({total}); it is empty again. Tell the person what came of it."
    said = f"The todo list is stored: {total}, {counts['completed']} completed. Keep it up to date, and go on"
    return "\n".join([f"{said} with {_next_task(output)}.", *(f"[{note}]" for note in _notes(counts["in_progress"]))])


def _next_task(output: TodoWriteOutput) -> str:
    active = any(todo.status == "in_progress" for todo in output.new_todos)
    return "the task that is in progress" if active else "the next task: mark it in_progress first"


def _notes(in_progress: int) -> Iterator[str]:
    if in_progress > 1:
        yield f"{in_progress} tasks are in_progress; the person can follow you better with one"
