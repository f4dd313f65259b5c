"""Keeping a rule that a person chose: first everything is checked, then everything is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from ..core.context import ContextState
from ..core.errors import UsageError
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
    for update in updates:
        if update.destination != "session":
            from ..settings import save_rule

            await anyio.to_thread.run_sync(save_rule, update, session.cwd)
        session.modify_state(_adding(update))


def _adding(update: RuleUpdate) -> ContextModifier:
    def modifier(state: ContextState) -> ContextState:
        permission = state.permission.with_rule(update.behavior, update.destination, update.rule)
        return replace(state, permission=permission)

    return modifier
