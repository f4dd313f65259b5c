"""Can an input that a person edited work, and may it run? Told while the person still has it at hand."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from ..core.cancel import Cancellation
from ..core.context import AdditionalWorkingDirectory, ToolUseContext
from ..core.errors import ToolValidationError
from ..core.names import POWERSHELL_TOOL_NAME
from ..core.prompting import PermissionRequest
from ..core.schema import parse_input
from ..core.tool import Tool
from ..permissions.command.parse import parse_command
from ..shell.run import find_bash

if TYPE_CHECKING:
    from .session import Session

SYNTAX_TIMEOUT_S = 5.0


async def problem_of_input(session: Session, request: PermissionRequest, input: Mapping[str, Any]) -> str:
    """Why the call that is asked about cannot run with this input instead; ``""`` when it can be tried.

    The input walks through the schema, the tool's own validation and the gate, as it will again once it is answered.
    Then it is validated once more as if it were allowed already: a tool that must not look at something before
    somebody allowed it may tell this person, and nobody else, what it would find.
    """
    decision = await session.decide(request.tool_name, input)
    if decision.decided_by == "schema":
        return decision.reason
    invalid = next((s.detail for s in decision.trace if (s.check, s.outcome) == ("validate_input", "skipped")), "")
    if invalid:
        return invalid
    if decision.behavior == "deny":
        return f"it would be denied: {decision.reason}"
    tool = session.find_tool(request.tool_name)
    if tool is None:
        return ""
    parsed = parse_input(tool, dict(input))
    context = _allowed_context(session.call_context(request.tool_use_id, Cancellation()))
    return await _validated(tool, parsed, context) or await _syntax_problem(tool, input, context)


def _allowed_context(context: ToolUseContext) -> ToolUseContext:
    """The call's surroundings for somebody who may look everywhere. It only validates; nothing is decided by it."""
    everywhere = {os.sep: AdditionalWorkingDirectory(os.sep, "session")}
    permission = replace(
        context.permission, additional_working_directories=everywhere, always_ask_rules={}, always_deny_rules={}
    )
    return replace(context, state=replace(context.state, permission=permission))


async def _validated(tool: Tool, parsed: Any, context: ToolUseContext) -> str:
    if tool.validate_input is None:
        return ""
    try:
        found = await tool.validate_input(parsed, context)
    except ToolValidationError as refusal:
        return f"the call would fail: {refusal.message}"
    return "" if found.result else f"the call would fail: {found.message}"


async def _syntax_problem(tool: Tool, input: Mapping[str, Any], context: ToolUseContext) -> str:
    """Why bash cannot read the command at all, in its own words."""
    command = input.get(tool.primary_field or "")
    if tool.rule_family != "command" or tool.name == POWERSHELL_TOOL_NAME or not isinstance(command, str):
        return ""
    if parse_command(command).kind == "simple":  # what our reader understands bash reads as well
        return ""
    said = await anyio.to_thread.run_sync(_read_by_bash, command)
    return f"bash cannot read this command: {said}" if said else ""


def _read_by_bash(command: str) -> str:
    """What bash says of a text that it reads and does not run, ``""`` when it can be read or nobody can say."""
    try:
        bash = find_bash(os.environ)
        read = subprocess.run(
            [bash, "--norc", "--noprofile", "-O", "extglob", "-n"],
            input=command.encode(),
            capture_output=True,
            timeout=SYNTAX_TIMEOUT_S,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    if read.returncode == 0:
        return ""
    lines = read.stderr.decode(errors="replace").splitlines()
    return lines[0].removeprefix(f"{bash}: ") if lines else "a syntax error"
