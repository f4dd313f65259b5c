"""EnterPlanMode: look around and plan before anything is changed."""

from .tool import EnterPlanModeInput, EnterPlanModeOutput, enter_plan_mode_tool

__all__ = ["EnterPlanModeInput", "EnterPlanModeOutput", "enter_plan_mode_tool"]
