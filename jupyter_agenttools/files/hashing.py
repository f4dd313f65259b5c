"""The hash of a content, taken beside whatever else is done with it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import TracebackType
from typing import Self

WORTH_A_THREAD_BYTES = 1 << 18
"""Hashing less takes no longer than starting a thread does."""

BUFFERS = 4
"""One being filled, one being hashed, two waiting."""


class HashThread:
    """Takes the SHA-256 of pieces in a thread of its own, in the order in which they come.

    Hashing leaves the interpreter to other threads, so this costs no time as long as there is a second core::

        with HashThread(piece_bytes) as hashing:
            while filled := file.readinto(hashing.buffer()):
                hashing.add(filled)
        hashing.hexdigest()
    """

    def __init__(self, piece_bytes: int) -> None:
        self._buffers = [bytearray(piece_bytes) for _ in range(BUFFERS)]
        self._free = threading.Semaphore(BUFFERS)
        self._pieces: SimpleQueue[memoryview | None] = SimpleQueue()
        self._hash = hashlib.sha256()
        self._turn = 0
        self._thread = threading.Thread(target=self._run, name="agenttools-hash", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pieces.put(None)
        self._thread.join()

    def buffer(self) -> bytearray:
        """The next buffer to fill; waits until it has been hashed. Follow each with one :meth:`add`."""
        self._free.acquire()
        return self._buffers[self._turn]

    def add(self, length: int) -> None:
        """Hash the first ``length`` bytes of the buffer that was given last."""
        self._pieces.put(memoryview(self._buffers[self._turn])[:length])
        self._turn = (self._turn + 1) % BUFFERS

    def hexdigest(self) -> str:
        """The hash of everything, after the ``with`` block."""
        return self._hash.hexdigest()

    def _run(self) -> None:
        while (piece := self._pieces.get()) is not None:
            self._hash.update(piece)
            self._free.release()


class BackgroundHash:
    """Takes the SHA-256 of ``data`` while the caller does something else, such as writing it."""

    def __init__(self, data: bytes) -> None:
        self._data, self._digest = data, ""
        self._thread: threading.Thread | None = None
        if len(data) >= WORTH_A_THREAD_BYTES:
            self._thread = threading.Thread(target=self._run, name="agenttools-hash", daemon=True)
            self._thread.start()
        else:
            self._run()

    def hexdigest(self) -> str:
        """The hash; waits for it."""
        if self._thread is not None:
            self._thread.join()
        return self._digest

    def _run(self) -> None:
        self._digest = hashlib.sha256(self._data).hexdigest()


class LateHash:
    """A hash that is taken when somebody needs it, and once. Thread-safe.

    Args:
        take: gives the hash, or ``""`` when it can no longer be known.
    """

    def __init__(self, take: Callable[[], str]) -> None:
        self._take: Callable[[], str] | None = take
        self._lock = threading.Lock()
        self._digest = ""

    @classmethod
    def known(cls, digest: str) -> LateHash:
        """A hash that is there already."""
        late = cls(lambda: digest)
        late.digest()
        return late

    @property
    def is_known(self) -> bool:
        return self._take is None

    def digest(self) -> str:
        """The hash; waits for it."""
        with self._lock:
            if self._take is not None:
                self._digest = self._take()
                self._take = None
            return self._digest

    def tell(self, listener: Callable[[str], object]) -> None:
        """Call ``listener`` with the hash: now where it is known, else from another thread once it is."""
        if self.is_known:
            listener(self._digest)
            return
        work = threading.Thread(target=lambda: listener(self.digest()), name="agenttools-hash", daemon=True)
        work.start()


def digest_of(content_hash: str | LateHash) -> str:
    """The hash in hex; waits for one that is not known yet."""
    return content_hash.digest() if isinstance(content_hash, LateHash) else content_hash
