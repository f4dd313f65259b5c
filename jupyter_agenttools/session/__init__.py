"""Session: owns context, pool, runner and transcript; the API that people script against."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .session import Session

if TYPE_CHECKING:
    from .back_testing import BackTest, back_test, back_test_view, read_rules
    from .edited import problem_of_input
    from .export import export_transcript, save_export
    from .forking import fork_session
    from .form_dialog import keep_planning
    from .hook_trial import HookTrial, try_hooks
    from .hook_views import hooks_view, trials_view
    from .jobs import SessionJobs, job_title
    from .listing import list_sessions, search_sessions, search_view, sessions_view
    from .old_sessions import remove_old_sessions
    from .paths import sessions_folder
    from .prompters import AllowListPrompter, DenyPrompter, StdinPrompter, how_to_allow, register_prompter
    from .replaying import Replay, replay, replay_view
    from .resume import resume_session
    from .rule_places import rule_place
    from .transcript_reading import LoadedTranscript, load_transcript
    from .undo_views import UndoReport, history_view, undo_view

_HOMES = {
    "AllowListPrompter": "prompters",
    "BackTest": "back_testing",
    "DenyPrompter": "prompters",
    "HookTrial": "hook_trial",
    "LoadedTranscript": "transcript_reading",
    "Replay": "replaying",
    "SessionJobs": "jobs",
    "StdinPrompter": "prompters",
    "UndoReport": "undo_views",
    "back_test": "back_testing",
    "back_test_view": "back_testing",
    "export_transcript": "export",
    "fork_session": "forking",
    "history_view": "undo_views",
    "hooks_view": "hook_views",
    "how_to_allow": "prompters",
    "job_title": "jobs",
    "keep_planning": "form_dialog",
    "list_sessions": "listing",
    "load_transcript": "transcript_reading",
    "problem_of_input": "edited",
    "read_rules": "back_testing",
    "register_prompter": "prompters",
    "remove_old_sessions": "old_sessions",
    "replay": "replaying",
    "replay_view": "replaying",
    "resume_session": "resume",
    "rule_place": "rule_places",
    "save_export": "export",
    "search_sessions": "listing",
    "search_view": "listing",
    "sessions_folder": "paths",
    "sessions_view": "listing",
    "trials_view": "hook_views",
    "try_hooks": "hook_trial",
    "undo_view": "undo_views",
}
"""Where the names live that a session itself does not need; each is imported when first used. No module is called as
one of them: the name would stand for the module once that is loaded."""

__all__ = [
    "AllowListPrompter",
    "BackTest",
    "DenyPrompter",
    "HookTrial",
    "LoadedTranscript",
    "Replay",
    "Session",
    "SessionJobs",
    "StdinPrompter",
    "UndoReport",
    "back_test",
    "back_test_view",
    "export_transcript",
    "fork_session",
    "history_view",
    "hooks_view",
    "how_to_allow",
    "job_title",
    "keep_planning",
    "list_sessions",
    "load_transcript",
    "problem_of_input",
    "read_rules",
    "register_prompter",
    "remove_old_sessions",
    "replay",
    "replay_view",
    "resume_session",
    "rule_place",
    "save_export",
    "search_sessions",
    "search_view",
    "sessions_folder",
    "sessions_view",
    "trials_view",
    "try_hooks",
    "undo_view",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
