"""The settings of a kernel's session: from files, and from what a person has configured in IPython."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.context import ContextState
from ..core.errors import UsageError
from ..core.plan_mode import with_mode
from ..settings import LoadedSettings, environment_file, load_settings, trust_requests
from .agent_trust import trust_hint

if TYPE_CHECKING:
    from ..session import Session
    from .configurable import AgentTools


def kernel_settings(config: AgentTools, cwd: str | None = None) -> LoadedSettings:
    """All settings for a kernel, in its working directory unless told otherwise.

    Raises:
        SettingsError: the file that the environment or the configuration names cannot be used.
    """
    named = Path(os.path.abspath(os.path.expanduser(config.settings_file))) if config.settings_file else None
    return load_settings(cwd or os.getcwd(), config.own_settings(), settings_file=environment_file() or named)


def settings_lines(config: AgentTools, settings: LoadedSettings, hook_notes: Sequence[str]) -> list[str]:
    """What a person should know of the settings when a session begins; a file that waits for an approval is told of
    once, with what of it does not count, and not again for each of its hooks."""
    forbidden = (
        f"AgentTools.mode: the settings forbid the mode {config.mode}; the session begins in {settings.permission.mode}"
        if config.mode in settings.forbidden_modes
        else ""
    )
    requests = trust_requests(settings)
    waiting = tuple(f"{request.path}: " for request in requests)
    told = [*settings.notes, *filter(None, (forbidden, trust_hint(requests)))]
    hooks = (f"hooks: {note}" for note in hook_notes if not note.startswith(waiting))
    return [*(f"settings: {note}" for note in told), *hooks]


def remove_old_sessions_later(days: int) -> None:
    """Remove the folders of sessions that are over for so many days, in the background."""
    from ..session import remove_old_sessions, sessions_folder

    arguments = (sessions_folder(), days)
    threading.Thread(target=remove_old_sessions, args=arguments, name="old-sessions", daemon=True).start()


def follow(config: AgentTools, session: Session, change: Any) -> None:
    """Let a session have what was just configured.

    Raises:
        UsageError: the settings forbid the mode, or it cannot be turned on in a session that runs.
        SettingsError: a file cannot be used.
    """
    settings = kernel_settings(config, session.settings.origin.cwd)
    if change.name == "watch_settings":
        session.watch_settings(config.watch_settings)
        return
    if config.mode in settings.forbidden_modes:
        raise UsageError(f"AgentTools.mode: the settings forbid the mode {config.mode}; nothing was changed")
    if change.name in ("mode", "settings_file"):
        _check_bypass(change.name, session, settings)
    had_bypass = session.state.permission.is_bypass_permissions_mode_available
    session.reload_settings(settings, also_refused=False)
    if change.name == "mode":
        session.modify_state(lambda state: _in_mode_of(state, settings, had_bypass))


def _check_bypass(name: str, session: Session, settings: LoadedSettings) -> None:
    """A cell makes the mode that asks nothing no more available than ``%agent mode`` does.

    Raises:
        UsageError: the settings would, and the session began without it.
    """
    available = session.state.permission.is_bypass_permissions_mode_available
    if settings.permission.is_bypass_permissions_mode_available and not available:
        raise UsageError(
            f"AgentTools.{name}: the mode bypassPermissions is not available in this session: it has to be the "
            "`defaultMode` of your own settings, or c.AgentTools.mode in ipython_config.py, when the session begins; "
            "nothing was changed"
        )


def _in_mode_of(state: ContextState, settings: LoadedSettings, had_bypass: bool) -> ContextState:
    """The mode that the settings name holds, whatever was chosen in the session before. One that began with the mode
    that asks nothing may come back to it, as with ``%agent mode``."""
    named = settings.permission
    available = had_bypass and "bypassPermissions" not in settings.forbidden_modes
    permission = replace(state.permission, is_bypass_permissions_mode_available=available)
    return with_mode(replace(state, permission=permission), named.mode)
