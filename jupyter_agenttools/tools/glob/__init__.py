"""Glob: files by the pattern of their names."""

from .tool import GlobInput, GlobOutput, glob_tool

__all__ = ["GlobInput", "GlobOutput", "glob_tool"]
