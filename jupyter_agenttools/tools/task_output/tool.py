"""The logic of TaskOutput."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import anyio
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.context import ToolUseContext
from ...core.decision import PermissionResult
from ...core.names import TASK_OUTPUT_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...shell import Job, JobState
from ..bash.background import find_job, unknown_task
from ..bash.execution import output_limit
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

DEFAULT_TIMEOUT_MS = 30_000
MAX_TIMEOUT_MS = 600_000


class TaskOutputInput(StrictInput):
    task_id: Annotated[str, Field(description="The task, e.g. bash_1")]
    block: Annotated[bool, Field(description="Wait for its end")] = True
    timeout: Annotated[int, Field(description="How many milliseconds to wait, 600000 at most")] = DEFAULT_TIMEOUT_MS


@dataclass(frozen=True)
class TaskOutputResult:
    """How a task stands.

    Args:
        retrieval_status: ``success`` when it is over, ``timeout`` when it was waited for in vain, else ``not_ready``.
        task_id, task_type, command, description: which task.
        state: ``running``, ``completed``, ``failed``, ``killed`` or ``timed out``.
        words: the state with what is known of it.
        exit_code: its own; ``None`` while it runs and when a signal ended it.
        signal: the number of the signal that ended it.
        output: what it has printed, cut in the middle when it is long.
        output_path: the file with the output.
        total_lines, total_bytes: of the output.
        elapsed_ms: since its start, or up to its end.
        notes: what else there is to say.
    """

    retrieval_status: Literal["success", "timeout", "not_ready"]
    task_id: str
    task_type: str
    command: str
    description: str
    state: JobState
    words: str
    exit_code: int | None
    signal: int | None
    output: str
    output_path: str
    total_lines: int
    total_bytes: int
    elapsed_ms: int
    notes: tuple[str, ...] = ()


async def validate(input: TaskOutputInput, context: ToolUseContext) -> ValidationResult:
    if input.timeout < 0:
        message = f"timeout is {input.timeout}: give milliseconds from 0 to {MAX_TIMEOUT_MS}, or leave it out"
        return ValidationResult(False, message, "task-timeout")
    if find_job(input.task_id, context) is None:
        return ValidationResult(False, unknown_task(input.task_id, context), "task-unknown")
    return VALID


async def call(input: TaskOutputInput, context: ToolUseContext) -> ToolResult[TaskOutputResult]:
    job = find_job(input.task_id, context)
    assert job is not None
    if input.block and not job.over:
        with anyio.move_on_after(min(input.timeout, MAX_TIMEOUT_MS) / 1000):
            await job.wait()
    return ToolResult(_result(job, input.block, output_limit(context.options.env, os.environ)))


def _result(job: Job, waited: bool, limit: int) -> TaskOutputResult:
    over = job.over  # asked once: it may end while this is written down
    if over:
        job.told = True
    return TaskOutputResult(
        retrieval_status="success" if over else "timeout" if waited else "not_ready",
        task_id=job.id,
        task_type=f"local_{job.label.kind}",
        command=job.label.command,
        description=job.label.description,
        state=job.state if over else "running",
        words=job.state_words if over else "still running",
        exit_code=job.exit_code if over else None,
        signal=job.signal if over else None,
        output=job.output.so_far(limit).removesuffix("\n"),
        output_path=str(job.output.path),
        total_lines=job.output.total_lines,
        total_bytes=job.output.total_bytes,
        elapsed_ms=round(job.elapsed_s * 1000),
        notes=(*_notes(job, waited and not over), *job.output.gaps),
    )


def _notes(job: Job, in_vain: bool) -> Iterator[str]:
    if in_vain:
        yield "It was waited for in vain; it goes on"
    if job.end is not None and job.end.left:
        yield f"These processes could not be ended: {', '.join(map(str, job.end.left))}"


async def check_permissions(input: TaskOutputInput, context: ToolUseContext) -> PermissionResult:
    """The command was allowed when it began; rules that deny or ask still win."""
    return PermissionResult("allow", "it only shows what a task of this session printed", check_id="task-own")


def map_result(output: TaskOutputResult, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


task_output_tool = build_tool(
    name=TASK_OUTPUT_TOOL_NAME,
    aliases=("BashOutput", "AgentOutputTool"),
    call=call,
    input_model=TaskOutputInput,
    primary_field="task_id",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="read the output of a background task",
    validate_input=validate,
    map_tool_result=map_result,
    max_result_size_chars=None,  # the output is cut already, and its file is named
    interrupt_behavior=lambda: "cancel",
    check_permissions=check_permissions,
    is_read_only=True,
    is_concurrency_safe=True,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=view.activity,
)
