"""Session: owns context, pool, runner and transcript; the API that people script against."""

from .back_test import BackTest, back_test, back_test_view, read_rules
from .edited import problem_of_input
from .form_dialog import keep_planning
from .hook_trial import HookTrial, try_hooks
from .hook_views import hooks_view, trials_view
from .jobs import SessionJobs, job_title
from .old_sessions import remove_old_sessions
from .paths import sessions_folder
from .prompters import AllowListPrompter, DenyPrompter, StdinPrompter, how_to_allow, register_prompter
from .rule_places import rule_place
from .session import Session
from .undo_view import UndoReport, history_view, undo_view

__all__ = [
    "AllowListPrompter",
    "BackTest",
    "DenyPrompter",
    "HookTrial",
    "Session",
    "SessionJobs",
    "StdinPrompter",
    "UndoReport",
    "back_test",
    "back_test_view",
    "history_view",
    "hooks_view",
    "how_to_allow",
    "job_title",
    "keep_planning",
    "problem_of_input",
    "read_rules",
    "register_prompter",
    "remove_old_sessions",
    "rule_place",
    "sessions_folder",
    "trials_view",
    "try_hooks",
    "undo_view",
]
