"""Where a path really leads, for a program that will look at it in a moment."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from .parsed import TooComplex

MAX_LINKS = 40
"""The kernel's own bound for links in one path."""

_SYSTEM = ("/dev/", "/proc/", "/run/", "/sys/")
_OWN = ("/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tcp", "/dev/udp")
"""Paths that mean something else in every process, so that looking at them here says nothing."""


def follow(path: str, directory: str, known: dict[str, str] | None = None) -> str:
    """The absolute path that ``path`` leads to from ``directory``, every link followed; what is missing stays.

    Args:
        known: where directories lead, as far as this decision has looked already; added to.

    Raises:
        TooComplex: it leads through a path that means something else in every process, or through too many links.
    """
    if path.startswith("/"):
        return _walk("", path)
    start = known.get(directory) if known is not None else None
    if start is None:
        start = _walk("", directory)
        if known is not None:
            known[directory] = start
    return _walk("" if start == "/" else start, path)


def _walk(at: str, path: str) -> str:
    """Go on from ``at``, which is resolved, along ``path``."""
    parts, links = _parts(path), 0
    while parts:
        part = parts.pop()
        if part == "..":
            at = at.rpartition("/")[0]
            continue
        at = f"{at}/{part}"
        if at in _OWN:
            raise TooComplex("path-system", f"`{path}` leads through {at}, which is another file in every process")
        try:
            is_link = stat.S_ISLNK(os.lstat(at).st_mode)
        except OSError:  # it is not there, or nobody may look: nothing to follow
            continue
        if is_link:
            links += 1
            if links > MAX_LINKS:
                raise TooComplex("path", f"`{path}` leads through too many links")
            target = os.readlink(at)
            at = "" if target.startswith("/") else at.rpartition("/")[0]
            parts.extend(_parts(target))
    return at or "/"


def _parts(path: str) -> list[str]:
    """The parts of a path, the last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def is_system(path: str, roots: Iterable[str]) -> bool:
    """Whether a path (links followed) is the system's own, although a working directory holds it."""
    for prefix in _SYSTEM:
        if path.startswith(prefix) or path == prefix[:-1]:
            return not any(f"{root}/".startswith(prefix) and root != "/" for root in roots)
    return False
