"""Where paths really lead, and whether that is inside given folders."""

from __future__ import annotations

import os
from collections.abc import Iterable

from .look import current_look


def resolve(path: str, cwd: str) -> str:
    """The absolute path that ``path`` leads to from ``cwd``, every link followed; parts that do not exist stay."""
    return current_look().real(os.path.join(cwd, path))


def resolve_all(roots: Iterable[str]) -> tuple[str, ...]:
    """The folders with their links followed, each once."""
    look = current_look()
    return tuple(dict.fromkeys([look.real(root) for root in roots]))


def is_inside(path: str, roots: Iterable[str]) -> bool:
    """Whether ``path`` is one of ``roots`` or below one. All of them have to be absolute and resolved."""
    for root in roots:
        if path == root or path.startswith(root.rstrip("/") + "/"):
            return True
    return False
