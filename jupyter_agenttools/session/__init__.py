"""Session: owns context, pool, runner and transcript; the API that people script against."""

from .jobs import SessionJobs, job_title
from .prompters import AllowListPrompter, DenyPrompter, StdinPrompter, how_to_allow, register_prompter
from .session import Session
from .undo_view import UndoReport, history_view, undo_view

__all__ = [
    "AllowListPrompter",
    "DenyPrompter",
    "Session",
    "SessionJobs",
    "StdinPrompter",
    "UndoReport",
    "history_view",
    "how_to_allow",
    "job_title",
    "register_prompter",
    "undo_view",
]
