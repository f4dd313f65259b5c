"""Tools and hooks that are written in a cell, told to whoever wants to use them at once.

The decorators ``@tool`` and ``@hook`` only make values; a notebook session listens here and picks them up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Listener = Callable[[Any, str], None]
_listeners: list[Listener] = []


def announce(made: Any, *, key: str) -> None:
    """Tell every listener of a new tool or hook; ``key`` names its place, so that running a cell again replaces it."""
    for listener in tuple(_listeners):
        listener(made, key)


def listen(listener: Listener) -> Callable[[], None]:
    """Be told of every tool and hook that is defined from now on. Returns the undo."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener) if listener in _listeners else None
