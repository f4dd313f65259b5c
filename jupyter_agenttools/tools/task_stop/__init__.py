"""TaskStop: ends a command in the background."""

from .tool import TaskStopInput, TaskStopResult, task_stop_tool

__all__ = ["TaskStopInput", "TaskStopResult", "task_stop_tool"]
