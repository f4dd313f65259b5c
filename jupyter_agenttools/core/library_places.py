"""Where libraries are installed, for a process of our own that is told so."""

from __future__ import annotations

import os
import sys


def library_places() -> list[str]:
    """Where Python looks for libraries. The working directory does not count: what lies there is data."""
    return [place for place in sys.path if os.path.isabs(place) and not _is_here(place)]


def _is_here(place: str) -> bool:
    try:
        return os.path.samefile(place, ".")
    except OSError:
        return False
