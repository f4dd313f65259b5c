"""Plan mode in the state of a session: entering and leaving it, and the one file that may be written in it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .context import ContextState, PermissionMode

if TYPE_CHECKING:
    from .context import ToolOptions, ToolUseContext

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
    """The absolute path of the file that holds the plan of the session. It need not exist."""
    return plan_file_of(context.session_dir, context.options)


def plan_file_of(session_dir: Path, options: ToolOptions) -> str:
    """The plan's file of the session that has this folder; see :func:`plan_file`."""
    folder = options.plans_directory or os.path.join(session_dir, "plans")
    name = re.sub(r"[^A-Za-z0-9_-]", "", session_dir.name)[:12]
    return os.path.join(folder, f"plan-{name or 'session'}.md")
