"""TodoWrite: the list of what is to be done."""

from .tool import TodoWriteInput, TodoWriteOutput, todo_write_tool

__all__ = ["TodoWriteInput", "TodoWriteOutput", "todo_write_tool"]
