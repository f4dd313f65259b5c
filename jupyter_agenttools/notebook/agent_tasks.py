"""``%agent tasks`` and ``%agent stop``: the commands that run in the background."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError
from ..core.views import Badge, CodeBlockView, ColumnKind, TableBlockView, TextBlockView, ToolView
from ..session import Session, job_title
from ..shell import Job
from .note import note_bundle
from .output import show
from .plan import Plan
from .runtime import Runtime

TONES: Mapping[str, Any] = {"running": "info", "completed": "ok", "failed": "error", "killed": "warning"}

BY_PERSON = "stopped by the person"

COLUMNS = ("task", "state", "for", "lines", "what")
KINDS: tuple[ColumnKind, ...] = ("code", "text", "text", "number", "text")


def find_task(session: Session, id: str) -> Job:
    """The task of that id.

    Raises:
        UsageError: there is none; says which there are.
    """
    job = session.jobs.find(id)
    if job is None:
        known = ", ".join(job.id for job in session.jobs.all() if job.id) or "none was started"
        raise UsageError(f"%agent: there is no task {id!r} in the background ({known})")
    return job


def tasks_bundle(session: Session, id: str = "") -> Mapping[str, Any]:
    """All tasks, or the one of this id with the end of its output."""
    from ..render import view_bundle

    return view_bundle(task_view(find_task(session, id)) if id else tasks_view(session))


def tasks_view(session: Session) -> ToolView:
    """The tasks with how they stand; the newest first."""
    jobs = [job for job in reversed(session.jobs.all()) if job.id]
    running = sum(not job.over for job in jobs)
    if not jobs:
        return ToolView("Tasks in the background", (Badge("none"),))
    badges = (Badge(f"{running} running", "info"), Badge(f"{len(jobs) - running} over"))
    return ToolView("Tasks in the background", badges, (TableBlockView(COLUMNS, tuple(map(_row, jobs)), kinds=KINDS),))


def _row(job: Job) -> tuple[str, ...]:
    return job.id, job.state_words, elapsed_words(job.elapsed_s), f"{job.output.total_lines:,}", job_title(job)


def task_view(job: Job) -> ToolView:
    """One task: how it stands, its command, and the end of what it has printed."""
    badges = (Badge(job.state_words, TONES.get(job.state, "error")), Badge(elapsed_words(job.elapsed_s)))
    tail = job.output.tail()
    shown = tail.count("\n") + (bool(tail) and not tail.endswith("\n"))
    omitted = max(0, job.output.total_lines - shown)
    output = CodeBlockView(tail, "terminal", omitted=omitted) if tail else TextBlockView("(no output)")
    path = TextBlockView(f"{job.output.total_bytes:,} bytes in {job.output.path}", tone="info")
    return ToolView(f"{job.id}: {job_title(job)}", badges, (CodeBlockView(job.label.command, "bash"), output, path))


def elapsed_words(seconds: float) -> str:
    """``3.2 s``, ``4 min 5 s``, ``2 h 7 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def stop_plan(runtime: Runtime, id: str) -> Plan:
    """End a turn or a command that runs in the background, and say how it ended; without an id the turn that runs.

    Raises:
        UsageError: there is none of that id.
    """
    turn = runtime.background.find(id) if id else runtime.background.running
    if turn is not None:
        return (yield from runtime.background.stopping(turn))
    if not id:
        return stop_what_runs(runtime)
    return (yield from _stop_task(runtime, id))


def stop_what_runs(runtime: Runtime) -> None:
    """Stop the turn or the calls of another cell, or say that there is nothing to stop."""
    running = runtime.running
    if running:
        runtime.stop(BY_PERSON)
    show(note_bundle("the turn was told to stop" if running else "no turn runs; %agent tasks lists the commands"))


def _stop_task(runtime: Runtime, id: str) -> Plan:
    job = find_task(runtime.session, id)
    was_over = job.over
    run = runtime.new_run(lambda: job.stop_and_wait(BY_PERSON))
    yield run
    ended = runtime.result_of(run)
    if was_over:
        show(note_bundle(f"{job.id} was over already: {job.state_words}"))
    else:
        show(note_bundle(f"{job.id}: {job.state_words}" if ended else f"{job.id} was told to end and does not"))
    return None
