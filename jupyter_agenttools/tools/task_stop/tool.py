"""The logic of TaskStop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.context import ToolUseContext
from ...core.decision import PermissionResult
from ...core.names import TASK_STOP_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...shell import JobState
from ..bash.background import find_job, unknown_task
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text


class TaskStopInput(StrictInput):
    task_id: Annotated[str | None, Field(description="The task, e.g. bash_1")] = None
    shell_id: Annotated[str | None, Field(description="An older name for task_id")] = None

    @property
    def id(self) -> str:
        return self.task_id or self.shell_id or ""


@dataclass(frozen=True)
class TaskStopResult:
    """What came of stopping a task.

    Args:
        task_id, command: which task.
        was_over: it had ended before.
        state: how it is now; ``running`` when it could not be ended.
        words: the state with what is known of it.
    """

    task_id: str
    command: str
    was_over: bool
    state: JobState
    words: str


async def validate(input: TaskStopInput, context: ToolUseContext) -> ValidationResult:
    if not input.id or (input.task_id and input.shell_id and input.task_id != input.shell_id):
        return ValidationResult(False, "say which task to stop, once: task_id, e.g. bash_1", "task-id")
    if find_job(input.id, context) is None:
        return ValidationResult(False, unknown_task(input.id, context), "task-unknown")
    return VALID


async def call(input: TaskStopInput, context: ToolUseContext) -> ToolResult[TaskStopResult]:
    job = find_job(input.id, context)
    assert job is not None
    was_over = job.over
    job.told = True
    if not await job.stop_and_wait(by=f"stopped by {TASK_STOP_TOOL_NAME}"):
        job.told = False
    result = TaskStopResult(job.id, job.label.command, was_over, job.state, job.state_words)
    return ToolResult(result, is_error=not job.over)


async def check_permissions(input: TaskStopInput, context: ToolUseContext) -> PermissionResult:
    """Only what this session has started can be stopped; rules that deny or ask still win."""
    return PermissionResult("allow", "it only ends a task that this session has started", check_id="task-own")


def map_result(output: TaskStopResult, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output), is_error=output.state == "running")


task_stop_tool = build_tool(
    name=TASK_STOP_TOOL_NAME,
    aliases=("KillShell", "KillBash"),
    call=call,
    input_model=TaskStopInput,
    primary_field="task_id",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="stop a background task",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    is_concurrency_safe=True,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=view.summary,
)
