"""Where a path really leads, for a program that will look at it in a moment."""

from __future__ import annotations

from collections.abc import Iterable

from ..look import Astray, Look
from .parsed import TooComplex

_SYSTEM = ("/dev/", "/proc/", "/run/", "/sys/")


def follow(path: str, directory: str, known: Look | None = None) -> str:
    """The absolute path that ``path`` leads to from ``directory``, every link followed; what is missing stays.

    Args:
        known: what this decision has seen already; added to.

    Raises:
        TooComplex: it leads through a path that means something else in every process, or through too many links.
    """
    try:
        return (known or Look()).follow(path, directory)
    except Astray as astray:
        if astray.through:
            said = f"`{path}` leads through {astray.through}, which is another file in every process"
            raise TooComplex("path-system", said) from None
        raise TooComplex("path", f"`{path}` leads through too many links") from None


def is_system(path: str, roots: Iterable[str]) -> bool:
    """Whether a path (links followed) is the system's own, although a working directory holds it."""
    if not f"{path}/".startswith(_SYSTEM):
        return False
    for prefix in _SYSTEM:
        if path.startswith(prefix) or path == prefix[:-1]:
            return not any(f"{root}/".startswith(prefix) and root != "/" for root in roots)
    return False
