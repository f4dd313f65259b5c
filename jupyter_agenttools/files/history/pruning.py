"""Throwing old file histories away: only logs of ours, only inside the folder of all sessions, never through a link."""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from .record_log import LOG_NAME

MAX_AGE_S = 30 * 24 * 3600.0
"""The field keeps transcripts and checkpoints for 30 days."""

MAX_TOTAL_BYTES = 2_000_000_000
"""All histories together; the oldest go first."""

_SESSION = re.compile(r"[0-9a-f]{32}")
_HISTORY = re.compile(r"file-history(-\d+)?")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Old(NamedTuple):
    changed: float
    size: int
    session: str
    name: str


def prune(sessions: Path, *, max_age_s: float = MAX_AGE_S, max_total_bytes: int = MAX_TOTAL_BYTES) -> int:
    """Remove the histories of sessions that have not changed a file for long, and the oldest beyond a total size.

    Those of running sessions stay, and so does every file that is not a log of a history.

    Returns how many were removed. What cannot be removed stays, and nobody is bothered with it.
    """
    removed = total = 0
    try:
        with _opened(str(sessions)) as root:
            for old in sorted(_histories(root), reverse=True):
                total += old.size
                if old.changed < time.time() - max_age_s or total > max_total_bytes:
                    removed += _remove(root, old)
    except OSError:
        pass
    return removed


def _histories(root: int) -> Iterator[_Old]:
    for session in filter(_SESSION.fullmatch, os.listdir(root)):
        with suppress(OSError), _opened(session, root) as folder:
            for name in filter(_HISTORY.fullmatch, os.listdir(folder)):
                with suppress(OSError), _opened(name, folder) as history:
                    logs = [os.stat(log, dir_fd=history, follow_symlinks=False) for log in _logs(history)]
                    changed = max((log.st_mtime for log in logs), default=os.fstat(history).st_mtime)
                    yield _Old(changed, sum(log.st_size for log in logs), session, name)


def _logs(history: int) -> list[str]:
    names = filter(LOG_NAME.fullmatch, os.listdir(history))
    return [n for n in names if stat.S_ISREG(os.stat(n, dir_fd=history, follow_symlinks=False).st_mode)]


def _remove(root: int, old: _Old) -> bool:
    try:
        with _opened(old.session, root) as folder, _opened(old.name, folder) as history:
            logs = _logs(history)
            if os.fstat(history).st_uid != os.geteuid() or any(_in_use(history, log) for log in logs):
                return False
            for log in logs:
                os.unlink(log, dir_fd=history)
            os.rmdir(old.name, dir_fd=folder)
    except OSError:
        return False
    return True


def _in_use(history: int, log: str) -> bool:
    """Whether a running session holds this log."""
    descriptor = os.open(log, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=history)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


@contextmanager
def _opened(name: str, inside: int | None = None) -> Iterator[int]:
    descriptor = os.open(name, _FOLDER, dir_fd=inside)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
