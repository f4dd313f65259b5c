"""ExitPlanMode: putting a plan before the person, and leaving plan mode when it is approved."""

from .tool import ExitPlanModeInput, ExitPlanModeOutput, exit_plan_mode_tool

__all__ = ["ExitPlanModeInput", "ExitPlanModeOutput", "exit_plan_mode_tool"]
