"""The logic of Monitor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, runtime_checkable

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.context import ToolUseContext
from ...core.decision import PermissionResult
from ...core.errors import ToolError
from ...core.names import BASH_TOOL_NAME, MONITOR_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...shell import Job, JobLabel, Jobs
from ..bash import bash_tool
from ..bash.execution import command_environment, start_job
from ..bash.judging import check_watched
from ..bash.tool import validate_command
from . import view
from .lines import LineBatches
from .prompt import DESCRIPTION, PROMPT, result_text

DEFAULT_TIMEOUT_MS = 300_000
MAX_TIMEOUT_MS = 3_600_000


class MonitorInput(StrictInput):
    command: Annotated[str, Field(description="The command for bash; each line that it prints is handed on")]
    description: Annotated[str, Field(description="What is watched for, in a few words; stands on every message")]
    timeout_ms: Annotated[int, Field(description="Milliseconds until it is stopped")] = DEFAULT_TIMEOUT_MS
    persistent: Annotated[bool, Field(description="No time limit: until TaskStop or the end of the session")] = False


@dataclass(frozen=True)
class MonitorOutput:
    """A command that is watched.

    Args:
        task_id: by which it is asked about.
        description: what it watches for.
        output_path: the file with everything that it prints.
        timeout_ms: when it is stopped, ``None`` for never.
    """

    task_id: str
    description: str
    output_path: str
    timeout_ms: int | None


@runtime_checkable
class TellsLines(Protocol):
    """Jobs of a session that has somebody to be told."""

    def print_lines(self, job: Job, lines: Sequence[str]) -> None: ...


async def validate(input: MonitorInput, context: ToolUseContext) -> ValidationResult:
    if not (readable := validate_command(input.command)).result:
        return readable
    if not input.description.strip():
        return ValidationResult(False, "`description` is empty: say what is watched for", "monitor-description")
    if input.timeout_ms <= 0:
        message = f"`timeout_ms` is {input.timeout_ms}: give milliseconds above 0 (at most {MAX_TIMEOUT_MS})"
        return ValidationResult(False, message, "monitor-timeout")
    return VALID


async def call(input: MonitorInput, context: ToolUseContext) -> ToolResult[MonitorOutput]:
    jobs = context.jobs
    if not (isinstance(jobs, Jobs) and isinstance(jobs, TellsLines)):
        raise ToolError("nobody would be told: this call has no session", check_id="monitor-no-session")
    timeout_ms = None if input.persistent else min(input.timeout_ms, MAX_TIMEOUT_MS)
    started: list[Job] = []
    batches = LineBatches(lambda lines: jobs.print_lines(started[0], lines))

    def beat() -> None:
        if started:
            batches.end() if started[0].output_is_over else batches.beat()

    job, _ = start_job(
        input.command,
        command_environment(input.command, context),
        JobLabel(input.command, input.description, context.tool_use_id, "monitor", context.agent_id),
        context,
        jobs,
        timeout_s=None if timeout_ms is None else timeout_ms / 1000,
        background=True,
        on_output=batches.take,
        on_beat=beat,
        on_created=started.append,
    )
    return ToolResult(MonitorOutput(job.id, input.description, str(job.output.path), timeout_ms))


async def check_permissions(input: MonitorInput, context: ToolUseContext) -> PermissionResult:
    """As for the same command in Bash."""
    return await check_watched(input.command, context)


def permission_matcher(input: MonitorInput) -> Callable[[str], bool]:
    assert bash_tool.prepare_permission_matcher is not None
    return bash_tool.prepare_permission_matcher(input)


def is_read_only(input: Any) -> bool:
    return bash_tool.is_read_only(input)


def map_result(output: MonitorOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


monitor_tool = build_tool(
    name=MONITOR_TOOL_NAME,
    call=call,
    input_model=MonitorInput,
    primary_field="command",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="watch a log or a process and be told of its lines",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    prepare_permission_matcher=permission_matcher,
    rule_family="command",
    rule_names=(BASH_TOOL_NAME,),
    to_auto_classifier_input=lambda input: input.command,
    is_read_only=is_read_only,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=view.summary,
)
