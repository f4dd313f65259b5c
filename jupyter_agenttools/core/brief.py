"""Whether the person wants short answers: a word in the state that only context modifiers change."""

from __future__ import annotations

from dataclasses import replace

from .context import ContextState

_STATE_KEY = "brief"


def is_brief(state: ContextState) -> bool:
    """Are short answers wanted in this session?"""
    return bool(state.app_state.get(_STATE_KEY, False))


def with_brief(state: ContextState, brief: bool) -> ContextState:
    """The same state with short answers wanted, or as usual; that leaves no trace."""
    kept = {key: value for key, value in state.app_state.items() if key != _STATE_KEY}
    return replace(state, app_state={**kept, _STATE_KEY: True} if brief else kept)
