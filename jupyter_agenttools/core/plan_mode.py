"""Plan mode in the state of a session: entering and leaving it, and the one file that may be written in it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .context import ContextState, PermissionMode

if TYPE_CHECKING:
    from .context import ToolUseContext

_STATE_KEY = "plan"
"""In ``app_state``, while plan mode is on: the mode before it."""


def with_mode(state: ContextState, mode: PermissionMode) -> ContextState:
    """The same state in another mode. Which mode plan mode goes back to is kept while it is on."""
    before = state.permission.mode
    if mode == before:
        return state
    kept = {key: value for key, value in state.app_state.items() if key != _STATE_KEY}
    if mode == "plan":
        kept[_STATE_KEY] = before
    return replace(state, permission=replace(state.permission, mode=mode), app_state=kept)


def mode_after_plan(state: ContextState) -> PermissionMode:
    """The mode that leaving plan mode goes back to: the one before it, ``default`` when there was none."""
    return state.app_state.get(_STATE_KEY, "default")


def plan_file(context: ToolUseContext) -> str:
    """The absolute path of the file that holds the plan of this session. It need not exist."""
    folder = context.options.plans_directory or os.path.join(context.session_dir, "plans")
    name = re.sub(r"[^A-Za-z0-9_-]", "", context.session_dir.name)[:12]
    return os.path.join(folder, f"plan-{name or 'session'}.md")
