"""Asking in a line of text, on the main thread: the terminal, a console, or a cell that cannot show widgets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from anyio.from_thread import start_blocking_portal

from ..core.errors import UsageError
from ..core.events import StageEvent
from ..core.prompting import PermissionAnswer, PermissionRequest
from ..core.stepping import StepChoice
from ..session import Session, how_to_allow
from ..session.approval_dialog import Work, read_input, request_dialog

Read = Callable[[str], str]
"""Shows a prompt and returns the line that was typed: ``input``."""
Write = Callable[[str], Any]

STEP_CHOICES = "n = next, r = run on, a = abort, e = edit the input"


def _in_own_loop(work: Work) -> Any:
    """Await something in a loop beside this thread, whose own loop waits for the person."""
    with start_blocking_portal() as portal:
        return portal.call(work)


def ask_on_stdin(
    request: PermissionRequest,
    session: Session,
    read: Read,
    write: Write,
    *,
    why: str = "",
    await_: Callable[[Work], Any] = _in_own_loop,
) -> PermissionAnswer:
    """Ask one question. The end of the input, or an input that is refused, is a denial.

    Args:
        why: why it is asked here and not with buttons, one sentence.
        await_: awaits what an answer has to be tested with, and returns what came of it.
    """
    dialog = request_dialog(request, session)
    if why:
        write(why)
    try:
        step = next(dialog)
        while True:
            step = dialog.send(read_line(step, read, write) if isinstance(step, str) else await_(step))
    except StopIteration as end:
        return end.value
    except (EOFError, RuntimeError) as end:  # ipykernel's refusal of input() is a RuntimeError
        nobody = "the input is at its end" if isinstance(end, EOFError) else "this front end takes no input"
        return PermissionAnswer("deny", how_to_allow(request, nobody), answered_by="nobody")


def read_line(text: str, read: Read, write: Write) -> str:
    """The line that is typed below a text: only the last line of it is a prompt, which a front end shows in a line."""
    above, newline, prompt = text.rpartition("\n")
    if newline:
        write(above)
    return read(prompt)


def step_on_stdin(event: StageEvent, next_stage: str, may_edit: bool, read: Read, write: Write) -> StepChoice:
    """Ask how to go on after a stage. The end of the input runs on: stepping gives no rights."""
    name = event.before.tool_use.name
    write(
        f"{name}: {event.stage} {event.status} in {event.duration_ms:.1f} ms {event.reason}\n"
        f"  in:  {json.dumps(event.went_in(), ensure_ascii=False, default=repr)}\n"
        f"  out: {json.dumps(event.came_out(), ensure_ascii=False, default=repr)}"
    )
    choices = STEP_CHOICES if may_edit else STEP_CHOICES.rpartition(", ")[0]
    try:
        while True:
            word = read(f"Before {next_stage} [{choices}] ").strip().lower()
            if word in ("", "n", "next"):
                return StepChoice("next")
            if word in ("r", "run on"):
                return StepChoice("run_on")
            if word in ("a", "abort"):
                return StepChoice("abort")
            if word not in ("e", "edit") or not may_edit:
                write(f"{word!r} is no choice here. {choices}")
            elif (edited := _step_input(read, write)) is not None:
                return StepChoice("edit", edited)
    except (EOFError, RuntimeError):
        return StepChoice("run_on")


def _step_input(read: Read, write: Write) -> dict[str, Any] | None:
    """The new input, ``None`` to go back."""
    while (typed := read("New input as JSON [empty = back]: ").strip()) not in ("", "back"):
        try:
            return read_input({}, None, typed)
        except UsageError as error:
            write(str(error))
    return None
