"""The query loop."""

from .loop import DEFAULT_MAX_TURNS, QueryLoop
from .system_prompt import build_effective_system_prompt

__all__ = ["DEFAULT_MAX_TURNS", "QueryLoop", "build_effective_system_prompt"]
