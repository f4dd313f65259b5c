"""What of a session belongs into its transcript beside its events: who it is, and the state that a resume needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from ..core.blocks import to_json
from ..core.context import ContextState, RuleBehavior, ToolPermissionContext
from ..core.secrets import know_secrets

if TYPE_CHECKING:
    from .session import Session

STATE_FIELDS = ("cwd", "mode", "app_state", "session_rules", "session_folders", "exported")
"""What can change while a session lasts, and is written again when it does."""

VERSION = 2
"""Of the format. Version 1 had no head and no lines for state, schedules and updates."""


def session_head(session: Session) -> dict[str, Any]:
    """Who is this session? The fields of the first line of its transcript.

    ``parent`` says for a fork where it comes from: ``{"session_id": …, "path": …, "messages": …}``. What the settings
    put into the environment of commands is known as secret from here on, where its name says so.
    """
    know_secrets(session.settings.env)
    return {
        "version": VERSION,
        "session_id": session.id,
        "name": session.name,
        "model": getattr(session.model, "name", ""),
        "parent": to_json(session.parent),
        "began_in": session.settings.origin.cwd,
        **state_fields(session.state, session.settings.permission),
    }


def state_fields(state: ContextState, begun: ToolPermissionContext) -> dict[str, Any]:
    """What a resume has to know of the shared context, as JSON data.

    Exported variables are not in it: they may be keys.

    Args:
        begun: the rights that the settings give by themselves; what they hold was not added in the session.
    """
    now, folders = state.permission, state.permission.additional_working_directories
    added = {
        behavior: [
            rule
            for rule in now.rules(behavior).get("session", ())
            if rule not in begun.rules(behavior).get("session", ())
        ]
        for behavior in get_args(RuleBehavior)
    }
    return {
        "cwd": state.cwd,
        "mode": now.mode,
        "app_state": to_json(state.app_state),
        "session_rules": {behavior: rules for behavior, rules in added.items() if rules},
        "session_folders": [path for path in folders if path not in begun.additional_working_directories],
        "exported": sorted(state.shell_env),
    }


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not as they were."""
    return {name: value for name, value in after.items() if before.get(name) != value}
