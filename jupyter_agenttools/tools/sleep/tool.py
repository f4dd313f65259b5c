"""The logic of Sleep."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import anyio
import anyio.lowlevel
from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PermissionResult
from ...core.names import SLEEP_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

MAX_SECONDS = 3_600.0


class SleepInput(StrictInput):
    seconds: Annotated[float, Field(description="How long; at most an hour")]
    reason: Annotated[str | None, Field(description="What is waited for, in a few words, for the person")] = None


@dataclass(frozen=True)
class SleepOutput:
    """How long it was.

    Args:
        seconds: the time that passed.
        woken: why it ended before its time, ``""`` when it did not.
    """

    seconds: float
    woken: str = ""


async def validate(input: SleepInput, context: ToolUseContext) -> ValidationResult:
    if not 0 < input.seconds <= MAX_SECONDS:
        message = f"seconds is {input.seconds:g}; it can be more than 0 and at most {MAX_SECONDS:,.0f}"
        return ValidationResult(False, message, "sleep-seconds")
    return VALID


async def call(input: SleepInput, context: ToolUseContext) -> ToolResult[SleepOutput]:
    stopped, began = anyio.Event(), time.monotonic()
    cancellation = context.cancellation
    cancellation.bind_loop()

    def wake(_: str) -> None:
        cancellation.run_in_loop(stopped.set)

    cancellation.add_callback(wake)
    try:
        with anyio.move_on_after(input.seconds):
            await stopped.wait()
    finally:
        cancellation.remove_callback(wake)
    woken = cancellation.reason if stopped.is_set() else ""
    return ToolResult(SleepOutput(time.monotonic() - began, woken), interrupted=bool(woken))


async def check_permissions(input: SleepInput, context: ToolUseContext) -> PermissionResult:
    """Time passes for everybody; rules that deny or ask still win."""
    return PermissionResult("allow", "it only waits", check_id="sleep-only-waits")


def map_result(output: SleepOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


sleep_tool = build_tool(
    name=SLEEP_TOOL_NAME,
    call=call,
    input_model=SleepInput,
    primary_field="seconds",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="wait for some time",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    interrupt_behavior=lambda: "cancel",  # what the person says ends the waiting
    is_enabled=lambda options: options.flags.sleep,
    is_read_only=True,
    is_concurrency_safe=True,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: f"Waiting {view.summary(input)}".rstrip(),
)
