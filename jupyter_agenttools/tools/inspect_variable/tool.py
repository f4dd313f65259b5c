"""The logic of InspectVariable."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.cancel import Cancellation
from ...core.errors import InterruptedToolError, ToolError, ToolTimeoutError, ToolValidationError
from ...core.faults import faults
from ...core.names import INSPECT_VARIABLE_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...interpreter import beside
from . import view
from .describe import describe
from .described import Described
from .listing import list_variables
from .paths import Path, follow, read_path
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

DEFAULT_ROWS = 5
MAX_ROWS = 50
MAX_NAMES = 20
LIMIT_S = 5.0
"""Libraries may call code of what a table holds, which may take for ever. The time begins when the kernel is free."""


class InspectVariableInput(StrictInput):
    name: Annotated[
        str | None, Field(description='A name with attributes and items, e.g. df or rows[0]["id"]; left out: list all')
    ] = None
    rows: Annotated[int | None, Field(description="Rows of a table to show; 5 by default, 50 at most")] = None


@dataclass(frozen=True)
class InspectVariableOutput:
    """What there is.

    Args:
        variables: those that were asked for.
        listed: name, class and a few words of each variable, ``None`` when some were asked for by name.
        more: how many are not listed.
    """

    variables: tuple[Described, ...] = ()
    listed: tuple[tuple[str, str, str], ...] | None = None
    more: int = 0


def _paths(name: str | None) -> tuple[Path, ...]:
    """The paths that are asked for; commas separate them, but not inside of a text in quotes."""
    if name is None or not name.strip():
        return ()
    try:
        node = ast.parse(name.strip(), mode="eval").body
        parts = [ast.unparse(part) for part in node.elts] if isinstance(node, ast.Tuple) else [name]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        parts = [name]
    return tuple(read_path(part) for part in parts)


async def validate(input: InspectVariableInput, context: ToolUseContext) -> ValidationResult:
    if context.interpreter is None:
        return ValidationResult(False, "there is no Python here whose variables could be looked at", "inspect-nobody")
    if input.rows is not None and not 0 <= input.rows <= MAX_ROWS:
        return ValidationResult(False, f"rows is {input.rows}; it can be 0 to {MAX_ROWS}", "inspect-rows")
    try:
        paths = _paths(input.name)
    except ToolValidationError as problem:
        return ValidationResult(False, problem.message, problem.check_id)
    if len(paths) > MAX_NAMES:
        return ValidationResult(False, f"{len(paths)} names; at most {MAX_NAMES} at once", "inspect-many")
    return VALID


async def call(input: InspectVariableInput, context: ToolUseContext) -> ToolResult[InspectVariableOutput]:
    paths, rows = _paths(input.name), DEFAULT_ROWS if input.rows is None else input.rows
    stop = Cancellation(context.cancellation)
    begun, token = anyio.Event(), anyio.lowlevel.current_token()

    def look(namespace: Mapping[str, Any]) -> InspectVariableOutput:
        anyio.from_thread.run_sync(begun.set, token=token)
        return _looked(namespace, paths, rows)

    try:
        async with beside(partial(_limit, begun, stop)):
            output = await context.interpreter.look(look, stop)
    except InterruptedToolError:
        if context.cancellation.cancelled:
            raise
        names = input.name or "the variables"
        message = f"looking at {names} took longer than {LIMIT_S:g} s and was stopped: what it holds runs code"
        raise ToolTimeoutError(message, check_id="inspect-slow") from None
    finally:
        stop.close()
    return ToolResult(output)


async def _limit(begun: anyio.Event, stop: Cancellation) -> None:
    await begun.wait()
    await anyio.sleep(LIMIT_S)
    stop.cancel("it took too long")


def _looked(namespace: Mapping[str, Any], paths: tuple[Path, ...], rows: int) -> InspectVariableOutput:
    if not paths:
        listed, more = list_variables(namespace)
        return InspectVariableOutput(listed=listed, more=more)
    return InspectVariableOutput(tuple(_described(path, namespace, rows) for path in paths))


def _described(path: Path, namespace: Mapping[str, Any], rows: int) -> Described:
    value = follow(path, namespace)
    try:
        return describe(path.text, value, rows)
    except faults() as fault:
        message = f"{path.text} cannot be described: its {type(fault).__name__} comes from what it holds"
        raise ToolError(message, check_id="inspect-failed") from fault


def map_result(output: InspectVariableOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


inspect_variable_tool = build_tool(
    name=INSPECT_VARIABLE_TOOL_NAME,
    call=call,
    input_model=InspectVariableInput,
    primary_field="name",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="see variables, data frames and arrays of the notebook",
    validate_input=validate,
    map_tool_result=map_result,
    is_read_only=True,  # it looks, and calls nothing of the person's: rules that deny or ask still win
    is_concurrency_safe=True,
    is_search_or_read_command=True,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=view.extract_search_text,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Looking at variables",
)
