"""One writer at a time for settings files, whichever folder each kernel keeps its own things in."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..core.errors import SettingsError, ToolError
from ..files import file_lock

WAIT_S = 30.0
_LOOK_AGAIN_S = 0.01


@contextmanager
def settings_locks(paths: Iterable[Path]) -> Iterator[None]:
    """Hold all of these settings files against every other writer, in one order everywhere. For worker threads only.

    The folder around the settings folder is locked too: it is the same for kernels with homes of their own, whose locks
    of single files do not know each other.

    Raises:
        SettingsError: somebody else held one of them all the time.
    """
    files = sorted(set(paths))
    with ExitStack() as held:
        try:
            for path in files:
                held.enter_context(file_lock(str(path)))
        except ToolError as busy:
            raise SettingsError(busy.message) from busy
        for folder in sorted({os.path.realpath(path.parent.parent) for path in files}):
            held.enter_context(_folder_lock(folder))
        yield


@contextmanager
def _folder_lock(folder: str) -> Iterator[None]:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # not there yet, or not ours to open: then the lock of the file has to do
        yield
        return
    try:
        _wait_for(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, folder: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise SettingsError(f"another kernel writes the settings in {folder}; try again") from None
            time.sleep(_LOOK_AGAIN_S)
        except OSError:  # a file system without locks
            return None
