"""The logic of ExitPlanMode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ...core.blocks import ToolResultBlock
from ...core.build import build_tool
from ...core.context import PermissionMode
from ...core.decision import PermissionResult
from ...core.names import EXIT_PLAN_MODE_TOOL_NAME
from ...core.plan_mode import mode_after_plan, plan_file, with_mode
from ...core.result import VALID, ToolResult, ValidationResult
from ...core.schema import StrictInput
from ...core.texts import visible
from ...core.views import Badge, ToolView
from . import view
from .prompt import DESCRIPTION, PROMPT, result_text

if TYPE_CHECKING:
    from ...core.context import ContextState, ToolUseContext

MAX_PLAN_CHARS = 100_000
"""A person has to read it."""


class ExitPlanModeInput(StrictInput):
    plan: Annotated[str | None, Field(description="The plan, Markdown; left out: what is in the plan's file")] = None
    allowedPrompts: Annotated[Any, Field(description="Not used")] = None


@dataclass(frozen=True)
class ExitPlanModeOutput:
    """An approved plan.

    Args:
        plan: as it was approved, Markdown. mode: the one that holds now.
    """

    plan: str
    mode: PermissionMode


def plan_of(input: Any, context: ToolUseContext) -> str:
    """The plan that is put before the person, ``""`` for none."""
    given = input.get("plan") if isinstance(input, dict) else input.plan
    return given.strip() if isinstance(given, str) and given.strip() else _written(context)


def _written(context: ToolUseContext) -> str:
    try:
        with open(plan_file(context), encoding="utf-8", errors="replace") as file:
            return file.read(MAX_PLAN_CHARS + 1).strip()
    except OSError:
        return ""


async def validate(input: ExitPlanModeInput, context: ToolUseContext) -> ValidationResult:
    if context.permission.mode != "plan":
        return ValidationResult(False, "plan mode is not on, so there is nothing to leave; go on", "plan-not-on")
    plan = plan_of(input, context)
    if not plan:
        message = f"there is no plan yet: give it in `plan`, or write it to {plan_file(context)} first"
        return ValidationResult(False, message, "plan-empty")
    if len(plan) > MAX_PLAN_CHARS:
        message = f"the plan has more than {MAX_PLAN_CHARS:,} characters; a person has to read it, so sum it up"
        return ValidationResult(False, message, "plan-too-long")
    return VALID


def backfill(observed: dict[str, Any], context: ToolUseContext) -> None:
    """Hooks and the person's card are given the plan, wherever it is."""
    observed["plan"] = plan_of(observed, context)


async def call(input: ExitPlanModeInput, context: ToolUseContext) -> ToolResult[ExitPlanModeOutput]:
    now = _left(context.state).permission.mode
    return ToolResult(ExitPlanModeOutput(plan_of(input, context), now), context_modifier=_left)


def _left(state: ContextState) -> ContextState:
    """Out of plan mode; a mode that the person chose with the approval holds already."""
    return with_mode(state, mode_after_plan(state)) if state.permission.mode == "plan" else state


async def check_permissions(input: ExitPlanModeInput, context: ToolUseContext) -> PermissionResult:
    return PermissionResult("passthrough", "a plan is approved by a person", check_id="plan-approval")


def preview(input: ExitPlanModeInput, context: ToolUseContext) -> ToolView:
    """The whole plan, and which mode an approval goes back to."""
    then = Badge(f"mode when approved: {mode_after_plan(context.state)}", "info")
    return view.plan_view(plan_of(input, context), "verbose", then)


def map_result(output: ExitPlanModeOutput, tool_use_id: str) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id, visible(result_text(output)))


exit_plan_mode_tool = build_tool(
    name=EXIT_PLAN_MODE_TOOL_NAME,
    call=call,
    input_model=ExitPlanModeInput,
    primary_field="plan",
    description=DESCRIPTION,
    prompt=PROMPT,
    search_hint="have a plan approved and leave plan mode",
    validate_input=validate,
    map_tool_result=map_result,
    max_result_size_chars=None,  # the plan is what is carried out, and a person has just read it
    check_permissions=check_permissions,
    backfill_observable_input=backfill,
    preview=preview,
    requires_user_interaction=True,
    prompt_form="plan",
    is_read_only=True,
    user_facing_name=lambda input: view.NAME,
    render_tool_use=view.render_tool_use,
    render_result=view.render_result,
    extract_search_text=lambda output: output.plan,
    get_tool_use_summary=view.summary,
    get_activity_description=lambda input: "Waiting for the plan to be approved",
)
