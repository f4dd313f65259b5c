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


def settings_lines(settings: LoadedSettings, hook_notes: Sequence[str]) -> list[str]:
    """What a person should know of the settings when a session begins; a file that waits for an approval is told of
    once, with what of it does not count, and not again for each of its hooks."""
    requests = trust_requests(settings)
    waiting = tuple(f"{request.path}: " for request in requests)
    told = [*settings.notes, *filter(None, (trust_hint(requests),))]
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
        UsageError: the settings of this machine forbid the mode. SettingsError: a file cannot be used.
    """
    settings = kernel_settings(config, session.settings.origin.cwd)
    if change.name == "watch_settings":
        session.watch_settings(config.watch_settings)
        return
    if config.mode in settings.forbidden_modes:
        raise UsageError(f"AgentTools.mode: the settings forbid the mode {config.mode}")
    session.reload_settings(settings, also_refused=False)
    if change.name == "mode":
        session.modify_state(lambda state: _in_mode_of(state, settings))


def _in_mode_of(state: ContextState, settings: LoadedSettings) -> ContextState:
    """The mode that the settings name holds, whatever was chosen in the session before."""
    named = settings.permission
    available = named.is_bypass_permissions_mode_available
    permission = replace(state.permission, is_bypass_permissions_mode_available=available)
    return with_mode(replace(state, permission=permission), named.mode)
