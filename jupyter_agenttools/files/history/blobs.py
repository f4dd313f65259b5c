"""Contents by their hash, each kept once."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from ..opening import content_hash
from .record_log import Place, Record, RecordLog


class Blobs:
    """The contents in a log. Thread-safe."""

    def __init__(self, log: RecordLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._places: dict[str, Place | None] = {content_hash(b""): None}

    def __contains__(self, digest: str) -> bool:
        return digest in self._places

    def found(self, digest: str, place: Place | None) -> None:
        """Note a content that an earlier process kept."""
        self._places.setdefault(digest, place)

    def put(self, contents: Iterable[tuple[str, bytes]], then: Iterable[Record] = ()) -> int:
        """Keep contents that are not kept yet, with their hashes, and write records after them.

        Returns how many bytes of content were added.

        Raises:
            OSError: the disk is full or failed; nothing was kept or written.
        """
        with self._lock:
            fresh = {digest: data for digest, data in contents if digest not in self._places}
            blobs: list[tuple[Record, bytes]] = [({"is": "blob", "digest": digest}, fresh[digest]) for digest in fresh]
            places = self._log.append([*blobs, *((record, b"") for record in then)])
            self._places.update(zip(fresh, places, strict=False))
            return sum(len(data) for data in fresh.values())

    def read(self, digest: str) -> bytes:
        """The content of that hash.

        Raises:
            KeyError: it is not kept.
            OSError: it cannot be read, or is damaged.
        """
        place = self._places[digest]
        data = b"" if place is None else self._log.read(place)
        if content_hash(data) != digest:
            raise OSError("the copy in the file history is damaged")
        return data
