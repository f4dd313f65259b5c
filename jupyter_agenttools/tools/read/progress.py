"""How far the reading of a large file is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...core.context import ToolUseContext

AFTER_S = 1.0
EVERY_S = 0.5


@dataclass(frozen=True)
class ReadProgress:
    """How many bytes of a file have been looked through, and of how many."""

    done: int
    size: int


class Reports:
    """Passes progress on: not at once, and not for every piece."""

    def __init__(self, context: ToolUseContext) -> None:
        self._context = context
        self._next = time.monotonic() + AFTER_S

    def __call__(self, done: int, size: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY_S
            self._context.on_progress(ReadProgress(done, size))
