"""Write: a whole new content for a file."""

from .tool import WriteInput, WriteOutput, write_tool

__all__ = ["WriteInput", "WriteOutput", "write_tool"]
