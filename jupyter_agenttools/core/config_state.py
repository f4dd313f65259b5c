"""What was configured in a session while it runs, in the state that only context modifiers change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .context import ContextState

_STATE_KEY = "config"
"""In ``app_state``: a mapping from a setting's name to its value."""


def configured(state: ContextState) -> Mapping[str, Any]:
    """The settings that were set in this session, in place of those from files."""
    return state.app_state.get(_STATE_KEY, {})


def with_configured(state: ContextState, name: str, value: Any) -> ContextState:
    """The same state with another value for a setting."""
    return replace(state, app_state={**state.app_state, _STATE_KEY: {**configured(state), name: value}})
