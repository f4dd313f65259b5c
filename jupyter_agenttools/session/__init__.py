"""Session: owns context, pool, runner and transcript; the API that people script against."""

from .prompters import AllowListPrompter, DenyPrompter, StdinPrompter, how_to_allow, register_prompter
from .session import Session

__all__ = ["AllowListPrompter", "DenyPrompter", "Session", "StdinPrompter", "how_to_allow", "register_prompter"]
