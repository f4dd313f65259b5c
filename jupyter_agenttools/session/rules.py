"""Keeping a rule that a person chose: first everything is checked, then everything is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from ..core.context import ContextState
from ..core.errors import SettingsError, UsageError
from ..core.prompting import RuleUpdate
from ..core.result import ContextModifier
from ..permissions import parse_rule

if TYPE_CHECKING:
    from .session import Session


async def keep_rules(session: Session, updates: Sequence[RuleUpdate]) -> None:
    """Add the rules to the session's context and, where asked, to a settings file.

    Raises:
        UsageError: a rule that cannot be read, a place that this session does not offer, a file that cannot be written.
    """
    for update in updates:
        parse_rule(update.rule)
        if update.destination not in session.rule_scopes:
            offered = ", ".join(session.rule_scopes)
            raise UsageError(f"this session keeps rules in: {offered}; not in {update.destination}")
        if update.behavior == "allow" and session.settings.managed_rules_only:
            raise UsageError("only the managed settings of this machine may allow calls; the rule was not kept")
    for update in updates:
        if update.destination != "session":
            await anyio.to_thread.run_sync(_save, update, session.cwd)
            if session.settings.origin.places is not None:
                session.reload_settings()
        if update.rule not in session.state.permission.rules(update.behavior).get(update.destination, ()):
            session.modify_state(_adding(update, session))


def _save(update: RuleUpdate, cwd: str) -> None:
    from ..settings import save_rule

    try:
        save_rule(update, cwd)
    except OSError as error:
        raise SettingsError(f"the rule cannot be written: {error}") from error


def _adding(update: RuleUpdate, session: Session) -> ContextModifier:
    """The rule in the context. From a file that nobody has approved as a whole it counts in this session alone."""
    source = "session" if session.settings.origin.places is not None else update.destination

    def modifier(state: ContextState) -> ContextState:
        return replace(state, permission=state.permission.with_rule(update.behavior, source, update.rule))

    return modifier
