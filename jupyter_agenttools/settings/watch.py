"""Noticing that settings files change on disk, in a thread of its own."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from .origin import SettingsOrigin

STEP_MS = 100
"""How often the thread looks whether it is to end, and how long files must be still until a change counts."""

POLL_S = 2.0
"""How often to look in any case: some file systems tell of no changes, and there may be too many watches."""

CLOSE_S = 2.0


class SettingsWatcher:
    """Calls back when a settings file may have changed.

    It keeps no process alive: its thread is a daemon, and ends before the interpreter does.

    Args:
        origin: which files.
        changed: called in the watcher's thread; may be called without a change, and is to look itself.
    """

    def __init__(self, origin: SettingsOrigin, changed: Callable[[], None]) -> None:
        self._origin, self._changed = origin, changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="settings-watcher", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def close(self) -> None:
        """End the thread. May be called twice, also from the callback."""
        atexit.unregister(self.close)
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join(CLOSE_S)

    def _watch(self) -> None:
        try:
            while not self._stop.is_set():
                self._watch_folders(tuple(_folders(self._origin)))
        except Exception:  # whatever keeps the system from telling: then the files are looked at now and again
            while not self._stop.wait(POLL_S):
                self._changed()

    def _watch_folders(self, folders: tuple[Path, ...]) -> None:
        """Watch these folders until there are others to watch, for example because one was made."""
        from watchfiles import watch

        names = frozenset(str(path) for path in _interesting(self._origin))
        batches = watch(
            *folders,
            watch_filter=lambda _, path: path in names or os.path.realpath(path) in names,
            step=STEP_MS,
            debounce=STEP_MS * 4,
            stop_event=self._stop,
            rust_timeout=round(POLL_S * 1000),
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for _ in batches:  # also without news now and again: for what happened before the watch stood
            self._changed()
            if tuple(_folders(self._origin)) != folders:
                return


def _interesting(origin: SettingsOrigin) -> Iterator[Path]:
    """The settings files, where links lead to, and the folders whose coming or going brings other files."""
    for file in origin.files():
        yield file.path
        yield file.path.parent
        with suppress(OSError):
            yield Path(os.path.realpath(file.path))


def _folders(origin: SettingsOrigin) -> list[Path]:
    """The folders to watch: those with settings files in them, and those in which such folders may come to be."""
    wanted = {path.parent for path in _interesting(origin)}
    return sorted(folder for folder in wanted if folder.is_dir())
