"""What a person says to the model while it works, by a field below the turn or with ``%agent say``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..core.errors import UsageError

if TYPE_CHECKING:
    from .runtime import Runtime

Hear = Callable[[str], None]

NOTHING_RUNS = (
    "%agent say: no turn is running that could be told this. Write it in an %%agent cell; during a turn there is a "
    "field for it below what it shows, and one with --background leaves the cells free for %agent say"
)


class Saying:
    """Tells the running turn, and those who show it. Thread-safe.

    Args:
        runtime: the kernel's extension.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._hearers: tuple[Hear, ...] = ()

    def say(self, text: str) -> None:
        """Let the model read this before its next answer.

        Raises:
            UsageError: no turn runs, or there is nothing to say.
        """
        if not text.strip():
            raise UsageError("%agent say: write what the model is to be told after it")
        if not self._runtime.session.steer(text):
            raise UsageError(NOTHING_RUNS)
        for hear in self._hearers:
            hear(text)

    @contextmanager
    def heard_by(self, hear: Hear) -> Iterator[None]:
        """Call ``hear`` with all that is said while the block runs, on whatever thread."""
        with self._lock:
            self._hearers = (*self._hearers, hear)
        try:
            yield
        finally:
            with self._lock:
                self._hearers = tuple(each for each in self._hearers if each is not hear)
