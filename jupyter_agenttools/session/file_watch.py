"""Watching single files for hooks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

CHANGES: Mapping[str, str] = {"added": "add", "modified": "change", "deleted": "unlink"}
"""The words of the file watcher, and those of the wire."""

CLOSE_PATIENCE_S = 2.0


class FileWatch:
    """Tells of changes of some files, in a thread of its own that only lives while there is something to watch.

    Args:
        on_change: told the absolute path and ``add``, ``change`` or ``unlink``.
    """

    def __init__(self, on_change: Callable[[str, str], None]) -> None:
        self._on_change = on_change
        self._lock = threading.Lock()
        self._named: frozenset[str] = frozenset()
        self._also: frozenset[str] = frozenset()
        self._watched: frozenset[str] = frozenset()
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def watch(self, paths: Iterable[str]) -> None:
        """Watch these in place of those of the last time."""
        self._named = frozenset(map(os.path.abspath, paths))
        self._begin()

    def also(self, paths: Iterable[str]) -> None:
        """Watch these as well."""
        added = frozenset(os.path.abspath(path) for path in paths if os.path.isabs(path))
        if not added <= self._also:
            self._also |= added
            self._begin()

    def _begin(self) -> None:
        with self._lock:
            wanted = self._named | self._also
            if wanted == self._watched:
                return
            self._end()
            self._watched = wanted
            folders = {os.path.dirname(path) for path in wanted if os.path.isdir(os.path.dirname(path))}
            if folders:
                self._stop = threading.Event()
                self._thread = threading.Thread(
                    target=self._work, args=(sorted(folders), wanted, self._stop), name="agenttools-watch", daemon=True
                )
                self._thread.start()

    def _work(self, folders: list[str], wanted: frozenset[str], stop: threading.Event) -> None:
        from watchfiles import watch

        with suppress(OSError):  # a folder that is gone has nothing more to tell
            for changes in watch(
                *folders, watch_filter=None, stop_event=stop, recursive=False, raise_interrupt=False, rust_timeout=500
            ):
                for change, path in sorted(changes):
                    if path in wanted and not stop.is_set():
                        self._on_change(path, CHANGES[change.name])

    def _end(self) -> None:
        if self._stop is not None:
            self._stop.set()
        self._stop = self._thread = None

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            thread = self._thread
            self._end()
            self._watched = frozenset()
        if thread is not None and thread is not threading.current_thread():
            thread.join(CLOSE_PATIENCE_S)
