"""A command that goes on in the background: when it does, and what the call says of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import anyio

from ...core.context import ToolUseContext
from ...core.names import TASK_OUTPUT_TOOL_NAME, TASK_STOP_TOOL_NAME
from ...shell import Job, Jobs
from .output import UNDO_NOTICE, BashOutput

if TYPE_CHECKING:
    from .capture import Capture

AUTO_BACKGROUND_VARIABLE = "JUPYTER_AGENTTOOLS_AUTO_BACKGROUND"
"""Switched on, a command whose time is up goes on in the background instead of being stopped."""

ON = frozenset({"1", "true", "yes", "on"})
NAMED = 20


def jobs_of(context: ToolUseContext) -> Jobs:
    """The jobs of the session; for a call outside of one, a list of its own."""
    return context.jobs if isinstance(context.jobs, Jobs) else Jobs()


def moves_at_limit(context: ToolUseContext) -> bool:
    """Whether a command whose time is up goes on in the background; else it is stopped."""
    word = context.options.env.get(AUTO_BACKGROUND_VARIABLE, os.environ.get(AUTO_BACKGROUND_VARIABLE, ""))
    return isinstance(context.jobs, Jobs) and word.strip().lower() in ON


async def wait_in_front(job: Job, jobs: Jobs, limit_s: float | None, context: ToolUseContext) -> None:
    """Wait until a command is over or in the background; whoever stops the call stops the command.

    Args:
        limit_s: when it is moved to the background, ``None`` for never.
    """

    def stop(_: str) -> None:
        job.stop()

    context.cancellation.add_callback(stop)
    try:
        if limit_s is None:
            await job.wait_in_front()
            return
        async with anyio.create_task_group() as group:
            group.start_soon(_move_at, limit_s, job, jobs)
            await job.wait_in_front()
            group.cancel_scope.cancel()
    finally:
        context.cancellation.remove_callback(stop)


async def _move_at(limit_s: float, job: Job, jobs: Jobs) -> None:
    """A command that waits for a person would wait in the background for ever: it is stopped."""
    await anyio.sleep(limit_s)
    if job.input.state:
        job.time_out()
    else:
        jobs.move(job, "limit")


def background_output(job: Job, capture: Capture, limit: int, cwd: str) -> BashOutput:
    """What a call comes to whose command goes on: how to follow it, and what it has printed so far."""
    text = capture.so_far(limit) if job.moved_by != "model" else ""
    return BashOutput(
        stdout=text,
        stderr="\n".join(_notices(job)),
        background_task_id=job.id,
        backgrounded_by_user=job.moved_by == "person",
        moved_after_ms=None if job.moved_by == "model" else round(job.elapsed_s * 1000),
        persisted_output_path=str(job.output.path),
        total_lines=capture.total_lines,
        total_bytes=capture.total_bytes,
        cwd=cwd,
        duration_ms=round(job.elapsed_s * 1000),
    )


def _notices(job: Job) -> tuple[str, ...]:
    return (
        f"Its output goes to {job.output.path}. {TASK_OUTPUT_TOOL_NAME} with task_id {job.id} shows it and waits for "
        f"the end, {TASK_STOP_TOOL_NAME} stops it; you are told when it is over. It ends with the session.",
        f"The working directory and variables that it sets do not reach later commands. {UNDO_NOTICE}",
    )


def input_notices(job: Job) -> tuple[str, ...]:
    """What there is to say of what it read, or waited for."""
    if job.end is not None and job.end.stopped == "timeout" and job.input.state == "asked":
        return ("When its time was up, the command seemed to wait for an answer, and nobody typed one.",)
    if not job.input.was_ended:
        return ()
    return (
        "The command read from the keyboard without having asked for anything, and nobody typed: it was told that "
        "there is nothing to read. Give what it should read in the command itself: a file, `<<<` or a pipe.",
    )


def find_job(task_id: str, context: ToolUseContext) -> Job | None:
    """The task of that id in this session."""
    return jobs_of(context).find(task_id.strip())


def unknown_task(task_id: str, context: ToolUseContext) -> str:
    """What is said of an id that no task has: which there are."""
    known = [f"{job.id} ({job.state})" for job in jobs_of(context).all() if job.id]
    there = f"there are {', '.join(known[-NAMED:])}" if known else "nothing was started in the background"
    return f"there is no task {task_id!r} in this session; {there}"
