"""The lines that a watched command prints, gathered so that whoever is told of them is not flooded."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ...shell import plain_line

MIN_BETWEEN_S = 1.0
MAX_BETWEEN_S = 30.0
"""Between two messages: at first, and for a command that never stops talking."""

MESSAGES_PER_STEP = 10
"""After so many messages without a pause, the time between them doubles."""

MAX_LINES = 20
MAX_LINE_CHARS = 500
MAX_UNFINISHED_BYTES = 64 * 1024


class LineBatches:
    """Gathers lines and tells of them in batches. Belongs to one thread, that of the job.

    Args:
        tell: given the lines of a batch, :data:`MAX_LINES` at most and a last one that counts what was left out.
        clock: seconds that only go up.
    """

    def __init__(self, tell: Callable[[Sequence[str]], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._tell, self._clock = tell, clock
        self._unfinished = b""
        self._lines: list[str] = []
        self._omitted = 0
        self._told_at = float("-inf")
        self._in_a_row = 0

    def take(self, data: bytes) -> None:
        """Take the next output."""
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._add(line)
        if len(self._unfinished) > MAX_UNFINISHED_BYTES:
            self._add(self._unfinished)
            self._unfinished = b""

    def _add(self, line: bytes) -> None:
        if len(self._lines) >= MAX_LINES:
            self._omitted += 1
            return
        text = plain_line(line[: 4 * MAX_UNFINISHED_BYTES])
        if text.strip():
            self._lines.append(text if len(text) <= MAX_LINE_CHARS else text[: MAX_LINE_CHARS - 1] + "…")

    @property
    def between_s(self) -> float:
        """How long after the last message the next one may come."""
        return min(MAX_BETWEEN_S, MIN_BETWEEN_S * 2 ** (self._in_a_row // MESSAGES_PER_STEP))

    def beat(self) -> None:
        """Tell of what there is, if it is time."""
        since = self._clock() - self._told_at
        if since > 2 * self.between_s:
            self._in_a_row = 0
        if self._lines and since >= self.between_s:
            self._send()

    def end(self) -> None:
        """Tell of the rest: no more output comes."""
        if self._unfinished:
            self._add(self._unfinished)
            self._unfinished = b""
        if self._lines:
            self._send()

    def _send(self) -> None:
        lines, omitted = self._lines, self._omitted
        self._lines, self._omitted, self._told_at = [], 0, self._clock()
        self._in_a_row += 1
        self._tell([*lines, f"… and {omitted:,} more lines"] if omitted else lines)
