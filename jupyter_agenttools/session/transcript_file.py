"""A file that only grows, line by line. Each line goes to the operating system in one write."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..core.unshared import close_own, own


class LineFile:
    """Appends lines to ``path``. The file and its folder are made with the first one, private to their owner.

    While it is open it is locked, which says that its session runs; a forked child has no part in it. A line that a
    dead process, or a full disk, left without its end never takes the next one with it. A disk that is full or gone
    stops nobody: the first such fault is kept in ``fault``.

    Args:
        head: makes the line that goes before the first one of this object; tried again until it is written.
    """

    def __init__(self, path: Path, head: Callable[[], bytes] | None = None) -> None:
        self.path = path
        self.fault: OSError | None = None
        self._head = head
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._is_over = False
        self._torn = False

    def write(self, line: bytes) -> None:
        """Append one line, given without its end."""
        with self._lock:
            try:
                if self._descriptor is None or self._head is not None:
                    self._open()
                    self._write_head()
                self._put(line)
            except OSError as fault:
                self.fault = self.fault or fault
            if self._is_over:  # news of something that ended late must not make the session one that runs
                self._close()

    def begin(self) -> bool:
        """Open the file and write the head now. Whether nobody else holds the file; if somebody does, nothing is
        written.

        Raises:
            OSError: it cannot be opened.
        """
        with self._lock:
            if not self._open():
                self._close()
                return False
            self._is_over = False
            self._write_head()
            return True

    def close(self) -> None:
        """The session is over. A line that comes after this is still written."""
        with self._lock:
            self._is_over = True
            self._close()

    def _open(self) -> bool:
        """Whether the file is ours alone, as far as that can be told; ``True`` when it was open before."""
        if self._descriptor is not None:
            return True
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = own(os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600))
        size = os.fstat(self._descriptor).st_size
        self._torn = size > 0 and os.pread(self._descriptor, 1, size - 1) != b"\n"
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # where nothing can be locked, nobody can tell
            pass
        return True

    def _write_head(self) -> None:
        if self._head is not None:
            self._put(self._head())
            self._head = None

    def _put(self, line: bytes) -> None:
        """Raises an ``OSError`` when not all of it was written."""
        assert self._descriptor is not None
        text = b"\n" + line + b"\n" if self._torn else line + b"\n"
        written = os.write(self._descriptor, text)
        self._torn = written < len(text)
        if self._torn:
            raise OSError(f"only {written:,} of {len(text):,} bytes of a line could be written")

    def _close(self) -> None:
        if self._descriptor is not None:
            close_own(self._descriptor)
            self._descriptor = None


def is_held(path: Path) -> bool:
    """Whether a running session writes into this transcript."""
    try:
        descriptor = own(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC))
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        with suppress(OSError):
            close_own(descriptor)
    return False
