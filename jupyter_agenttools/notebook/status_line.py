"""One line in a terminal that says what runs, and that leaves nothing behind."""

from __future__ import annotations

import shutil
import sys
from typing import Any


class StatusLine:
    """Writes over its own last text. Does nothing where the output is no terminal.

    Args:
        stream: where to write; the standard output by default.
    """

    def __init__(self, stream: Any = None) -> None:
        self._stream = stream or sys.stdout
        self._width = 0
        self._enabled = self._stream.isatty()

    def show(self, text: str) -> None:
        """Put ``text`` on the line, cut to the width of the terminal; ``""`` clears it."""
        if not self._enabled or not (text or self._width):
            return
        columns = shutil.get_terminal_size().columns - 1
        text = text if len(text) <= columns else text[: columns - 1] + "…"
        # Blanks and not an escape sequence: the simplest terminal understands them.
        self._stream.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
        self._stream.flush()
        self._width = len(text)
