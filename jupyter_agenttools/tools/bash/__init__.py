"""Bash: run commands in a fresh shell each, with nothing of them left alive."""

from .output import BashOutput, BashProgress
from .tool import bash_tool

__all__ = ["BashOutput", "BashProgress", "bash_tool"]
