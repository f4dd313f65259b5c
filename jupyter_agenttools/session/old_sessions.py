"""Removing the folders of sessions that are long over."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SESSION = re.compile(r"[0-9a-f]{32}")
_OURS = re.compile(r"transcript\.jsonl|tool-results|file-history(-\d+)?|images|hook-env|cells")
"""What a session puts into its folder. A folder with anything else in it is not removed."""

DAY_S = 24 * 3600.0


def remove_old_sessions(sessions: Path, days: int) -> int:
    """Remove the folders in which nothing has changed for so many days, and say how many those were.

    Only folders of ours, right inside of ``sessions`` and never through a link; those of sessions that still run stay.
    What cannot be removed stays, and nobody is bothered with it. With 0 days nothing is removed: settings that say so
    elsewhere turn keeping off, and what is lost cannot be brought back.
    """
    if days < 1:
        return 0
    before = time.time() - days * DAY_S
    removed = 0
    with suppress(OSError):
        for entry in list(os.scandir(sessions)):
            if _SESSION.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                removed += _removed(Path(entry.path), before)
    return removed


def _removed(folder: Path, before: float) -> bool:
    try:
        names = os.listdir(folder)
        if not all(map(_OURS.fullmatch, names)) or folder.stat().st_uid != os.geteuid():
            return False
        with _nobody_uses(folder) as free:
            if not free or _changed(folder) >= before:
                return False
            shutil.rmtree(folder)
    except OSError:
        return False
    return True


def _changed(folder: Path) -> float:
    """When anything in the folder was changed last."""
    return max(os.lstat(path).st_mtime for path in _all(folder))


def _all(folder: Path) -> Iterator[str]:
    for base, folders, files in os.walk(folder):
        yield base
        yield from (os.path.join(base, name) for name in (*folders, *files))


@contextmanager
def _nobody_uses(folder: Path) -> Iterator[bool]:
    """Whether no running session holds a file of the folder, held against one that would begin to."""
    descriptors: list[int] = []
    try:
        for path in _all(folder):
            if os.path.isfile(path) and not os.path.islink(path):
                descriptors.append(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC))
                fcntl.flock(descriptors[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
