"""TaskOutput: how a command in the background stands, and what it has printed."""

from .tool import TaskOutputInput, TaskOutputResult, task_output_tool

__all__ = ["TaskOutputInput", "TaskOutputResult", "task_output_tool"]
