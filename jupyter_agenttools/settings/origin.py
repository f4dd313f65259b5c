"""Where the settings of a session come from, and whether anything there has changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .places import MANAGED_FOLDER, SettingsFile, SettingsPlaces
from .trust import trust_file

Stamp = tuple[str, int, int, int]
Fingerprint = tuple[Stamp, ...]
"""For each path: the inode, the size and the time of its last change."""


@dataclass(frozen=True)
class SettingsOrigin:
    """Where the settings of a session come from, so that they can be read again.

    Args:
        cwd: absolute folder of the session when it began.
        own: settings that a program handed over.
        command_line: a file that the person who started the process named.
        places: the other files; ``None`` for none at all.
    """

    cwd: str
    own: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    command_line: Path | None = None
    places: SettingsPlaces | None = None

    def files(self) -> tuple[SettingsFile, ...]:
        """Every file that may hold settings, whether it exists or not, weakest first."""
        return () if self.places is None else self.places.files(self.cwd, self.command_line)

    def watched(self) -> tuple[str, ...]:
        """The paths that a fingerprint is made of: the files, the record of approvals, and the folders that would bring
        other files if they came to be."""
        if self.places is None:
            return ()
        files = (str(file.path) for file in self.files())
        return (*files, str(trust_file()), *map(str, self.places.folders(self.cwd)))


def fingerprint(paths: Iterable[str]) -> Fingerprint:
    """Something that is another thing after any of the files at these paths was changed, or a folder came or went."""
    return tuple(_stamp(path) for path in paths)


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return (path, 0, 0, 0)
    if stat.S_ISDIR(status.st_mode):
        changed = status.st_mtime_ns if path.endswith(MANAGED_FOLDER) else 0
        return (path, status.st_ino, 0, changed)
    return (path, status.st_ino, status.st_size, status.st_mtime_ns)
