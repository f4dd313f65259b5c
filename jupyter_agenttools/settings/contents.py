"""What the settings files of a session hold at one moment, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ..core.errors import SettingsError
from ..permissions.from_settings import WORKSPACE
from .files import read_file
from .origin import Fingerprint, SettingsOrigin, fingerprint
from .places import SettingsFile
from .trust import is_trusted


class FileContent(NamedTuple):
    """One settings file at one moment.

    Attributes:
        data: its bytes, ``None`` when there is no file or it cannot be read.
        error: why it cannot be read, ``""`` when it can or is not there.
        trusted: whether what widens rights in it is used.
        held: it is not what is on disk now, and why that does not count.
    """

    data: bytes | None
    error: str = ""
    trusted: bool = True
    held: str = ""

    def is_same(self, other: FileContent) -> bool:
        """Whether the file holds the same in both; who has approved it is another matter."""
        return (self.data, self.error) == (other.data, other.error)


ABSENT = FileContent(None)


@dataclass(frozen=True)
class Contents:
    """All settings files of one origin at one moment, weakest first.

    Args:
        files: every one that may be there, with what it holds.
        fingerprint: taken before the first of them was read, so that a change while they are read is noticed.
    """

    files: Mapping[SettingsFile, FileContent] = field(default_factory=lambda: MappingProxyType({}))
    fingerprint: Fingerprint = ()

    def of(self, file: SettingsFile) -> FileContent:
        return self.files.get(file, ABSENT)


def read_contents(origin: SettingsOrigin) -> Contents:
    """What is in the settings files now? A file that cannot be read is an error in its content."""
    began = fingerprint(origin.watched())
    return Contents({file: _content(file) for file in origin.files()}, began)


def _content(file: SettingsFile) -> FileContent:
    try:
        data = read_file(file.path)
    except SettingsError as error:
        return FileContent(None, str(error), trusted=False)
    trusted = data is None or file.source not in WORKSPACE or is_trusted(file.path, data)
    return FileContent(data, trusted=trusted)
