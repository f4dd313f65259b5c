"""Transcripts that a person looks at in a page, read once as long as they stay as they are."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import UsageError
from ...core.secrets import secrets_version
from ...session.entries import Entries, Entry, read_entries
from ...session.marking import Words
from ...session.paths import session_folder
from ...session.transcript_reading import TRANSCRIPT_NAME

if TYPE_CHECKING:
    from ...session import Session

KEPT_TRANSCRIPTS = 2
KEPT_SEARCHES = 5_000
_ID = re.compile(r"[0-9a-f]{32}")
_Stamp = tuple[str, int, int, int]


class Found(NamedTuple):
    """What a search found in one transcript: in how many entries, and the first of them."""

    count: int
    first: Entry | None


class Shelf:
    """Keeps the last transcripts that were read, and what was found in others. Thread-safe; for worker threads, since
    it reads files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: OrderedDict[_Stamp, Entries] = OrderedDict()
        self._found: OrderedDict[tuple[_Stamp, tuple[str, ...]], Found] = OrderedDict()

    def entries(self, path: Path) -> Entries:
        """What the transcript holds now.

        Raises:
            UsageError: it cannot be read.
        """
        stamp = _stamp(path)
        with self._lock:
            if stamp not in self._read:
                self._read[stamp] = read_entries(path)
                while len(self._read) > KEPT_TRANSCRIPTS:
                    self._read.popitem(last=False)
            self._read.move_to_end(stamp)
            return self._read[stamp]

    def has_searched(self, path: Path, words: Words) -> bool:
        """Whether what is found in the transcript is known already."""
        with self._lock:
            return (_stamp(path), words.words) in self._found

    def search(self, path: Path, words: Words) -> Found:
        """What is found in the transcript.

        Raises:
            UsageError: it cannot be read.
        """
        key = (_stamp(path), words.words)
        with self._lock:
            known, read = self._found.get(key), self._read.get(key[0])
        if known is None:
            entries = (read or read_entries(path)).entries
            hits = [entry for entry in entries if words.found_in(entry.shown)]
            known = Found(len(hits), hits[0] if hits else None)
            with self._lock:
                self._found[key] = known
                while len(self._found) > KEPT_SEARCHES:
                    self._found.popitem(last=False)
        return known


def transcript_of(session: Session, id: str) -> Path:
    """The transcript of the session with this whole id, ``""`` for the one of the kernel. A page names no paths.

    Raises:
        UsageError: there is none.
    """
    own = session.transcript.path
    if id in ("", session.id, own.parent.name):
        return own
    path = session_folder(id) / TRANSCRIPT_NAME
    if not _ID.fullmatch(id) or not path.is_file():
        raise UsageError("this session is not on disk any more")
    return path


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, 0, 0)
    return (str(path), status.st_mtime_ns, status.st_size, secrets_version())
