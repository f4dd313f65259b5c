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
        plan: as it was approved, Markdown. mode: the one that holds now. edited: the person changed the plan.
    """

    plan: str
    mode: PermissionMode
    edited: bool = False


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
    if context.agent_id is not None:
        return ValidationResult(False, "a sub-agent cannot end plan mode; report back what you found", "plan-sub-agent")
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
    now: list[PermissionMode] = []

    def leave(state: ContextState) -> ContextState:
        # A mode that the person chose with the approval holds already.
        return with_mode(state, mode_after_plan(state)) if state.permission.mode == "plan" else state

    now.append(leave(context.current_state()).permission.mode)
    plan = plan_of(input, context)
    first = context.parent_input.get("plan") if isinstance(context.parent_input, dict) else None
    return ToolResult(ExitPlanModeOutput(plan, now[0], bool(first)), context_modifier=leave)
