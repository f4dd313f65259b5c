"""Bash: run a command."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field

from ...core.build import build_tool
from ...core.context import ToolUseContext
from ...core.names import BASH_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput, lazy_schema
from . import judging, view
from .execution import execute
from .file_changes import run_watched
from .output import BashOutput, map_output
from .prompt import DESCRIPTION, prompt
from .sed_edit import judged_plan
from .sed_result import run_sed_edit

DEFAULT_TIMEOUT_MS = 120_000
MAX_TIMEOUT_MS = 600_000
_MOVES = re.compile(r"\b(cd|pushd|popd)\b")


def _input_model() -> type[StrictInput]:
    class BashInput(StrictInput):
        command: str = Field(description="The command for bash, exactly as it is to be run")
        timeout: int | None = Field(
            None,
            description=f"Milliseconds until it is stopped: {DEFAULT_TIMEOUT_MS} by default, {MAX_TIMEOUT_MS} at most",
        )
        description: str | None = Field(None, description="What the command does, in five to ten words, for the person")
        run_in_background: bool = Field(
            False, description="Start it and go on: no time limit, and TaskOutput shows what came of it"
        )
        dangerouslyDisableSandbox: bool = Field(
            False, description="Run it outside of the sandbox, where commands run in one; the person is always asked"
        )

    return BashInput


def validate_command(command: str) -> ValidationResult:
    """Whether bash can be given this text at all."""
    if not command.strip():
        return ValidationResult(False, "`command` is empty: give the command to run", "bash-empty-command")
    if "\0" in command:
        return ValidationResult(False, "`command` holds a NUL character, which no shell can read", "bash-nul")
    try:
        command.encode()
    except UnicodeEncodeError:
        return ValidationResult(False, "`command` holds half of a surrogate pair, which is no text", "bash-not-text")
    return VALID


async def _validate(input: Any, context: ToolUseContext) -> ValidationResult:
    if not (readable := validate_command(input.command)).result:
        return readable
    if input.timeout is not None and input.timeout <= 0:
        message = f"`timeout` is {input.timeout}: give milliseconds above 0 (at most {MAX_TIMEOUT_MS}), or leave it out"
        return ValidationResult(False, message, "bash-timeout")
    return judging.validate_sandbox(input, context)


async def _call(input: Any, context: ToolUseContext) -> ToolResult[BashOutput]:
    timeout_ms = min(input.timeout or DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS)
    if (plan := judged_plan(input.command, context)) is not None:
        return await run_sed_edit(plan, context)
    described, where = input.description or "", {"is_disabled": input.dangerouslyDisableSandbox}
    if input.run_in_background:
        return await execute(input.command, timeout_ms, context, background=True, description=described, **where)
    run = partial(execute, input.command, timeout_ms, context, description=described, **where)
    return await run_watched(input.command, context, run)


def _is_read_only(input: Any) -> bool:
    from ...permissions.command import is_read_only_shape

    return is_read_only_shape(input.command)


def _is_concurrency_safe(input: Any) -> bool:
    # A command that may move the session's working directory is one that the next command waits for.
    return _MOVES.search(input.command) is None and _is_read_only(input)


def _permission_matcher(input: Any) -> Callable[[str], bool]:
    from ...permissions.command.matching import compile_command_pattern, fires

    return lambda pattern: fires(compile_command_pattern(pattern), input.command)


bash_tool = build_tool(
    name=BASH_TOOL_NAME,
    call=_call,
    input_model=lazy_schema(_input_model),
    primary_field="command",
    description=DESCRIPTION,
    prompt=prompt,
    search_hint="run shell commands in a terminal",
    validate_input=_validate,
    map_tool_result=map_output,
    max_result_size_chars=None,  # it cuts its own output and says where the rest is
    check_permissions=judging.check_permissions,
    preview=judging.preview,
    prepare_permission_matcher=_permission_matcher,
    rule_family="command",
    to_auto_classifier_input=lambda input: input.command,
    is_read_only=_is_read_only,
    is_concurrency_safe=_is_concurrency_safe,
    is_search_or_read_command=_is_read_only,
    render_tool_use=view.tool_use,
    render_progress=view.progress,
    render_result=view.result,
    render_rejected=view.rejected,
    render_error=view.error,
    render_grouped=view.grouped,
    extract_search_text=view.search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=view.activity,
)
