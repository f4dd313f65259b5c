"""The logic of EnterPlanMode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.decision import PermissionResult
from ...core.names import ENTER_PLAN_MODE_TOOL_NAME
from ...core.plan_mode import plan_file, with_mode
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ContextState, ToolUseContext


class EnterPlanModeInput(StrictInput):
    pass


@dataclass(frozen=True)
class EnterPlanModeOutput:
    """Plan mode as it is now.

    Args:
        plan_file: where the plan can be kept. was_on: plan mode was on before.
    """

    plan_file: str
    was_on: bool


async def validate(input: EnterPlanModeInput, context: ToolUseContext) -> ValidationResult:
    if context.agent_id is not None:
        return ValidationResult(False, "a sub-agent works in the mode of the one who sent it", "plan-sub-agent")
    if context.options.is_non_interactive or context.permission.mode == "dontAsk":
        return ValidationResult(False, "nobody is here who could approve a plan; go on without", "plan-nobody")
    return VALID


async def call(input: EnterPlanModeInput, context: ToolUseContext) -> ToolResult[EnterPlanModeOutput]:
    output = EnterPlanModeOutput(plan_file(context), context.permission.mode == "plan")
    return ToolResult(output, context_modifier=_enter)


def _enter(state: ContextState) -> ContextState:
    return with_mode(state, "plan")


async def check_permissions(input: EnterPlanModeInput, context: ToolUseContext) -> PermissionResult:
    return PermissionResult("allow", "it only takes rights away; a person gives them back", check_id="plan-enter")


def map_result(output: EnterPlanModeOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, result_text(output))


enter_plan_mode_tool = build_tool(
    name=ENTER_PLAN_MODE_TOOL_NAME,
    call=call,
    input_model=EnterPlanModeInput,
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="plan before changing anything",
    validate_input=validate,
    map_tool_result=map_result,
    check_permissions=check_permissions,
    is_read_only=True,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    get_tool_use_summary=lambda input: "",
    get_activity_description=lambda input: "Entering plan mode",
)
