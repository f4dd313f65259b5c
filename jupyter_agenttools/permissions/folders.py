"""What is in a folder, looked through no further than pays."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

MAX_ENTRIES = 5_000
"""Entries that are looked through; where there are more, a person looks."""


def entries_below(folder: str) -> Iterator[str | None]:
    """The path of everything below a folder, the nearest first; at last ``None`` when there is too much.

    Links are not followed, and what cannot be listed is left out.
    """
    waiting, seen = deque([folder]), 0
    while waiting:
        try:
            with os.scandir(waiting.popleft()) as found:
                entries = list(found)
        except OSError:
            continue
        seen += len(entries)
        yield from (entry.path for entry in entries)
        if seen > MAX_ENTRIES:
            yield None
            return
        waiting.extend(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
