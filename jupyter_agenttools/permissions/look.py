"""What one decision finds out about the file system: each place is looked at once, and nothing is kept for the next."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Hashable
from contextvars import ContextVar, Token
from typing import Any, TypeVar

T = TypeVar("T")

MAX_LINKS = 40
"""The kernel's own bound for links in one path."""

_OWN = frozenset({"/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tcp", "/dev/udp"})
"""Paths that mean something else in every process, so that looking at them here says nothing."""


class Astray(Exception):
    """A path that cannot be followed.

    Attributes:
        through: the place on its way that is another file in every process, ``""`` for too many links.
    """

    def __init__(self, through: str) -> None:
        super().__init__(through)
        self.through = through


class Look:
    """One look at the file system, for as long as a decision lasts."""

    __slots__ = ("_found", "_modes", "_real")

    def __init__(self) -> None:
        self._modes: dict[str, int] = {}
        self._real: dict[str, str] = {}
        self._found: dict[Hashable, Any] = {}

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """What ``find`` found of the file system when it was first asked for ``key``. What it raises is not kept.

        Args:
            key: everything that the answer depends on, and what is asked.
        """
        try:
            return self._found[key]
        except KeyError:
            found = self._found[key] = find()
            return found

    def mode(self, path: str) -> int:
        """The mode of what is at ``path`` itself, a link not followed; 0 when nothing is, or nobody may look."""
        mode = self._modes.get(path)
        if mode is None:
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                mode = 0
            self._modes[path] = mode
        return mode

    def is_folder(self, path: str) -> bool:
        """Whether a folder is at ``path``, of which all links were followed."""
        return stat.S_ISDIR(self.mode(path))

    def walk(self, start: str, path: str) -> str:
        """Where ``path`` leads from ``start`` (all links followed, ``""`` for the root); what is missing stays.

        Raises:
            Astray: it leads through a place that is another file in every process, or through too many links.
        """
        at, parts, links, modes = start, _parts(path), 0, self._modes
        while parts:
            part = parts.pop()
            if part == "..":
                at = at.rpartition("/")[0]
                continue
            at = f"{at}/{part}"
            if at in _OWN:
                raise Astray(at)
            mode = modes.get(at)
            if stat.S_ISLNK(self.mode(at) if mode is None else mode):
                links += 1
                if links > MAX_LINKS:
                    raise Astray("")
                target = os.readlink(at)
                at = "" if target.startswith("/") else at.rpartition("/")[0]
                parts.extend(_parts(target))
        return at or "/"

    def follow(self, path: str, directory: str) -> str:
        """Where ``path`` leads from the absolute ``directory``; raises as :meth:`walk`."""
        if path.startswith("/"):
            return self.walk("", path)
        start = self._real.get(directory)
        if start is None:
            start = self._real[directory] = self.walk("", directory)
        return self.walk("" if start == "/" else start, path)

    def real(self, path: str) -> str:
        """What ``os.path.realpath`` says of ``path``."""
        if not path.startswith("/"):
            return os.path.realpath(path)
        found = self._real.get(path)
        if found is None:
            folder, _, name = path.rpartition("/")
            start = self._real.get(folder, "/")
            try:
                found = self.walk("", path) if start == "/" else self.walk(start, name)
            except Astray:
                return os.path.realpath(path)
            self._real[path] = found
        return found


def _parts(path: str) -> list[str]:
    """The parts of a path, the last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


_current: ContextVar[Look | None] = ContextVar("look", default=None)


def current_look() -> Look:
    """The look of the decision under way; outside of one a fresh look, which sees what is there now."""
    return _current.get() or Look()


class OneLook:
    """``with OneLook():`` whatever is decided inside of it looks at the file system once."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token: Token[Look | None] = _current.set(Look())

    def __exit__(self, *exception: object) -> None:
        _current.reset(self._token)
