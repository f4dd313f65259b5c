"""The logic of REPL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.cancel import Cancellation
from ...core.decision import PASSTHROUGH, PermissionResult
from ...core.interpreter import CodeResult, Interpreter
from ...core.names import REPL_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...core.texts import visible
from ...interpreter import CodeClock, ToolCalls, beside
from ...permissions import ParsedRule, format_rule
from . import view
from .output import ReplOutput, blocks_of
from .prompt import DEFAULT_TIMEOUT_MS, DESCRIPTION, MAX_TIMEOUT_MS, prompt

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_RULE_CHARS = 500
"""Of code that a rule is offered for."""
MAX_CODE_CHARS = 200_000
"""Nobody can look through more before saying yes."""


class ReplInput(StrictInput):
    code: Annotated[str, Field(description="Python code; await works at its top")]
    description: Annotated[str | None, Field(description="What it does, in a few words, for the person")] = None
    timeout: Annotated[
        int | None, Field(description=f"Milliseconds, {DEFAULT_TIMEOUT_MS} by default, {MAX_TIMEOUT_MS} at most")
    ] = None


async def validate(input: ReplInput, context: ToolUseContext) -> ValidationResult:
    if context.interpreter is None:
        return ValidationResult(False, "there is nothing here that could run Python code", "repl-no-interpreter")
    if not input.code.strip():
        return ValidationResult(False, "code is empty; write what is to be run", "repl-empty")
    if "\0" in input.code or visible(input.code) != input.code:
        message = "code holds a NUL character or half of a character, which no Python source can; write it as an escape"
        return ValidationResult(False, message, "repl-no-text")
    if len(input.code) > MAX_CODE_CHARS:
        message = f"code has {len(input.code):,} characters; nobody can look through more than {MAX_CODE_CHARS:,}"
        return ValidationResult(False, message, "repl-too-long")
    if input.timeout is not None and input.timeout <= 0:
        return ValidationResult(False, f"timeout is {input.timeout} ms; it has to be above 0", "repl-timeout")
    return VALID


async def call(input: ReplInput, context: ToolUseContext) -> ToolResult[ReplOutput]:
    interpreter: Interpreter = context.interpreter
    limit_ms = min(input.timeout or DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS)
    stop = Cancellation(context.cancellation)
    over: list[str] = []

    def end() -> None:
        over.append(f"stopped: its {limit_ms:,} ms were over; what it had done by then stays done")
        stop.cancel(over[0])

    clock = CodeClock(limit_ms / 1000, end)
    pool = (*context.options.tools, *context.options.repl_tools)
    functions = [tool for tool in pool if tool.name != REPL_TOOL_NAME]
    calls = ToolCalls(context, functions, clock)
    try:
        async with beside(calls.serve, clock.watch):
            result = await interpreter.run(input.code, stop, bound=calls, on_output=context.on_progress)
    finally:
        calls.close()
        stop.close()
    return _told(result, tuple(over))


def _told(result: CodeResult, over: tuple[str, ...]) -> ToolResult[ReplOutput]:
    is_over = result.status == "interrupted" and bool(over)
    status = "timeout" if is_over else result.status
    notes = (*result.notes, *(over if is_over else ()))
    output = ReplOutput(status, result.outputs, notes, result.error_name)
    interrupted = result.status == "interrupted" and not is_over
    return ToolResult(output, is_error=status in ("error", "timeout"), interrupted=interrupted)


async def check_permissions(input: ReplInput, context: ToolUseContext) -> PermissionResult:
    """Code can do anything: nothing of its own lets any pass. A rule that is kept means this very code."""
    if len(input.code) > MAX_RULE_CHARS:
        return PASSTHROUGH
    rule = format_rule(ParsedRule(REPL_TOOL_NAME, input.code.strip()))
    return PermissionResult("passthrough", suggestions=(rule,))


def map_result(output: ReplOutput, tool_use_id: str) -> ToolResultBlock:
    blocks = blocks_of(output)
    is_error = output.status in ("error", "timeout")
    if len(blocks) == 1 and blocks[0].type == "text":
        return ToolResultBlock(tool_use_id, blocks[0].text, is_error=is_error)
    return ToolResultBlock(tool_use_id, blocks, is_error=is_error)


repl_tool = build_tool(
    name=REPL_TOOL_NAME,
    call=call,
    input_model=ReplInput,
    primary_field="code",
    description=DESCRIPTION,
    prompt=prompt,
    search_hint="run Python code with the variables of the notebook",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    to_auto_classifier_input=lambda input: input.code,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_progress=view.render_progress,
    render_result=view.render_result,
    preview=view.preview,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Running Python",
)
