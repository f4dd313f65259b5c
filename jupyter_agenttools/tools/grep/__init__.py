"""Grep: lines of files by a regular expression."""

from .output import GrepOutput
from .tool import GrepInput, grep_tool

__all__ = ["GrepInput", "GrepOutput", "grep_tool"]
