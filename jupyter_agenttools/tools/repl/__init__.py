"""REPL: Python in the person's own namespace."""

from .output import ReplOutput
from .tool import ReplInput, repl_tool

__all__ = ["ReplInput", "ReplOutput", "repl_tool"]
