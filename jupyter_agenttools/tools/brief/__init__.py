"""Brief: short answers, or answers as usual."""

from .tool import BriefInput, BriefOutput, brief_tool

__all__ = ["BriefInput", "BriefOutput", "brief_tool"]
