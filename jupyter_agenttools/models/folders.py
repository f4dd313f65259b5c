"""Folders that are elsewhere on another machine or in another run, by a name that stays: ``⟦cwd⟧/data.csv``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_OPEN = "⟦"
_BEFORE = r"(?:(?<![\w.~+/-])|(?<=://))"
_AFTER = r"(?![\w-]|\.\w)"
_NAMED = re.compile(r"⟦([a-z_]*)⟧")


class Folders:
    """Puts names in place of folders, and folders in place of names.

    Args:
        paths: the absolute folders by their names (lower-case letters and ``_``). The root is never one of them.
    """

    def __init__(self, paths: Mapping[str, str | Path]) -> None:
        named = {str(path).rstrip("/"): name for name, path in paths.items()}
        self._names = {path: name for path, name in named.items() if path.startswith("/") and len(path) > 1}
        self._paths = {name: path for path, name in self._names.items()}
        longest_first = "|".join(map(re.escape, sorted(self._names, key=len, reverse=True)))
        self._find = re.compile(f"{_OPEN}|{_BEFORE}(?:{longest_first}){_AFTER}" if longest_first else _OPEN)

    def name(self, text: str) -> str:
        """``text`` with the name in place of each folder. ``/work`` is none in ``/workers`` and in ``/data/work``."""
        return self._find.sub(self._named, text)

    def _named(self, found: re.Match[str]) -> str:
        return f"{_OPEN}⟧" if found[0] == _OPEN else f"{_OPEN}{self._names[found[0]]}⟧"

    def place(self, text: str) -> str:
        """The inverse of :meth:`name`, for the folders of this machine; a name that is not known stays."""
        return _NAMED.sub(lambda found: self._paths.get(found[1], found[0]) if found[1] else _OPEN, text)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same JSON data with every text in it changed, those of keys too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key) if isinstance(key, str) else key: map_texts(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [map_texts(item, change) for item in value]
    return value
