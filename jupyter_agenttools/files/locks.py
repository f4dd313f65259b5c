"""One writer at a time for each file, within this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_guard = threading.Lock()
_waiting: dict[str, tuple[threading.Lock, int]] = {}


@contextmanager
def file_lock(path: str) -> Iterator[None]:
    """Hold the file at ``path`` (links resolved) against every other writer here. Blocks; for worker threads only."""
    key = os.path.realpath(path)
    with _guard:
        lock, users = _waiting.get(key, (threading.Lock(), 0))
        _waiting[key] = (lock, users + 1)
    try:
        with lock:
            yield
    finally:
        with _guard:
            _, users = _waiting[key]
            if users == 1:
                del _waiting[key]
            else:
                _waiting[key] = (lock, users - 1)
