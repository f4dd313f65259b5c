"""Completing `%agent` lines in tests."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from jupyter_agenttools.notebook.agent_completions import for_agent
from jupyter_agenttools.notebook.prompts import OpenPrompts


def next_words(before: Sequence[str], word: str = "", *, session: Any = None, in_cell: bool = False) -> list[str]:
    """What may stand in the place of `word` after these words, with no question open."""
    runtime: Any = SimpleNamespace(session=session, prompts=OpenPrompts())
    return for_agent(before, word, in_cell, runtime)
