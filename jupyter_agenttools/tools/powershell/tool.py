"""PowerShell: run a command in ``pwsh``, over the same supervisor as Bash."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Callable
from functools import partial
from shlex import quote
from typing import Any

from pydantic import Field

from ...core.build import build_tool
from ...core.context import ToolOptions, ToolUseContext
from ...core.names import POWERSHELL_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput, lazy_schema
from ..bash import view
from ..bash.execution import execute
from ..bash.file_changes import run_watched
from ..bash.output import BashOutput, map_output
from ..bash.tool import DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS, validate_command

MAX_COMMAND_CHARS = 30_000
"""It is handed over as one word, encoded, and the system takes 128 KiB for a word."""

DESCRIPTION = "Runs a command in PowerShell and returns its output and exit code."

PROMPT = """\
Runs a command in PowerShell (`pwsh`) on the person's machine.

- Every call is a fresh PowerShell without profile. Nothing of it lasts: neither variables and functions nor its
  location; it begins in the working directory of the session.
- It is not interactive: `Read-Host` and confirmations fail. Use `-Confirm:$false` or `-Force` where you mean it.
- `timeout` is in milliseconds: 120000 unless given, at most 600000. When it is over, everything is stopped.
- The exit code is that of the last program when that failed, and 1 when a cmdlet failed last.
- Long output is cut in the middle, and the file with all of it is named.
- Use Bash unless PowerShell is what the task is about.
"""

# The code of the last program is lost otherwise: all that pwsh tells by itself is 0 and 1.
_EXIT = "\nexit $(if ($?) { 0 } elseif ($LASTEXITCODE) { $LASTEXITCODE } else { 1 })"


def _input_model() -> type[StrictInput]:
    class PowerShellInput(StrictInput):
        command: str = Field(description="The command for PowerShell, exactly as it is to be run")
        timeout: int | None = Field(
            None,
            description=f"Milliseconds until it is stopped: {DEFAULT_TIMEOUT_MS} by default, {MAX_TIMEOUT_MS} at most",
        )
        description: str | None = Field(None, description="What the command does, in five to ten words, for the person")

    return PowerShellInput


def find_pwsh() -> str | None:
    """The absolute path of PowerShell, ``None`` where it is not installed."""
    found = shutil.which("pwsh")
    return os.path.abspath(found) if found else None


def is_enabled(options: ToolOptions) -> bool:
    return find_pwsh() is not None


async def validate(input: Any, context: ToolUseContext) -> ValidationResult:
    if not (readable := validate_command(input.command)).result:
        return readable
    if len(input.command) > MAX_COMMAND_CHARS:
        message = (
            f"`command` has {len(input.command):,} characters, and at most {MAX_COMMAND_CHARS:,} can be handed over"
        )
        return ValidationResult(False, f"{message}; write a .ps1 file and run that", "powershell-too-long")
    if input.timeout is not None and input.timeout <= 0:
        return ValidationResult(False, f"`timeout` is {input.timeout}: give milliseconds above 0", "bash-timeout")
    if find_pwsh() is None:
        return ValidationResult(False, "PowerShell (`pwsh`) is not installed here; use Bash", "powershell-missing")
    return VALID


def shell_words(command: str, program: str) -> str:
    """What bash is given so that PowerShell gets the command byte for byte."""
    encoded = base64.b64encode((command + _EXIT).encode("utf-16-le")).decode()
    return f"{quote(program)} -NoLogo -NoProfile -NonInteractive -EncodedCommand {encoded}"


async def call(input: Any, context: ToolUseContext) -> ToolResult[BashOutput]:
    program = find_pwsh()
    assert program is not None
    timeout_ms = min(input.timeout or DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS)
    words = shell_words(input.command, program)
    described = input.description or input.command.strip().partition("\n")[0]
    return await run_watched(words, context, partial(execute, words, timeout_ms, context, description=described))


def _permission_matcher(input: Any) -> Callable[[str], bool]:
    from ...permissions.powershell import powershell_fires

    return lambda pattern: powershell_fires(pattern, input.command)


powershell_tool = build_tool(
    name=POWERSHELL_TOOL_NAME,
    call=call,
    input_model=lazy_schema(_input_model),
    primary_field="command",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="run PowerShell commands",
    is_enabled=is_enabled,
    validate_input=validate,
    map_tool_result=map_output,
    max_result_size_chars=None,  # as for Bash, it cuts its own output
    prepare_permission_matcher=_permission_matcher,
    rule_family="command",
    to_auto_classifier_input=lambda input: input.command,
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
