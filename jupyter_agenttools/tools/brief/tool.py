"""The logic of Brief."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.brief import is_brief, with_brief
from ...core.build import build_tool
from ...core.decision import PermissionResult
from ...core.names import BRIEF_TOOL_NAME
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ContextState, ToolUseContext


class BriefInput(StrictInput):
    enabled: Annotated[bool | None, Field(description="true: short answers; false: as usual; left out: switch")] = None


@dataclass(frozen=True)
class BriefOutput:
    """Whether answers are short from now on."""

    brief: bool


async def validate(input: BriefInput, context: ToolUseContext) -> ValidationResult:
    if context.agent_id is not None:
        return ValidationResult(False, "a sub-agent cannot change how the person is answered", "brief-sub-agent")
    return VALID


async def call(input: BriefInput, context: ToolUseContext) -> ToolResult[BriefOutput]:
    brief = not is_brief(context.state) if input.enabled is None else input.enabled

    def keep(state: ContextState) -> ContextState:
        return with_brief(state, brief)

    return ToolResult(BriefOutput(brief), context_modifier=keep)


async def check_permissions(input: BriefInput, context: ToolUseContext) -> PermissionResult:
    """Nothing but the length of answers changes; rules that deny or ask still win."""
    return PermissionResult("allow", "it only changes how long answers are", check_id="brief-session-only")


def map_result(output: BriefOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


brief_tool = build_tool(
    name=BRIEF_TOOL_NAME,
    call=call,
    input_model=BriefInput,
    primary_field="enabled",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="shorter answers",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    is_enabled=lambda options: options.flags.brief,
    is_read_only=True,  # of all that lies outside of the session
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Setting the length of answers",
)
