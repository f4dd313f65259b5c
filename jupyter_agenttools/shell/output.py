"""One output of a command while it comes in: every byte to a file, counts, and a bounded text of what is to be seen."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .terminal_text import TerminalText, without_colours

MAX_FILE_BYTES = 64 * 1024 * 1024
TAIL_LINES = 200
TAIL_CHARS = 32 * 1024


@dataclass(frozen=True)
class OutputText:
    """What is shown of a finished output.

    Args:
        text: the whole of it, or its beginning and end with a line between them that says what was left out.
        omitted_chars: how many characters that are.
        same_as_file: whether the text is exactly what the file holds.
    """

    text: str
    omitted_chars: int
    same_as_file: bool


class OutputLog:
    """Takes an output as it comes.

    Args:
        path: the file for its bytes; made, with its folder, at the first byte. At most :data:`MAX_FILE_BYTES` of it.
        text_limit: characters kept of what is to be seen (:data:`TAIL_CHARS` at least).

    Attributes:
        total_bytes: of the raw output.
        file_error: why the file stopped short (a full disk, say), ``None`` when it did not.
    """

    def __init__(self, path: Path, text_limit: int) -> None:
        self.path = path
        self.total_bytes = 0
        self.file_error: str | None = None
        self._ends_open = False
        self._text = TerminalText(max(text_limit, TAIL_CHARS))
        self._file: int | None = None
        self._written = 0

    @property
    def newlines(self) -> int:
        """Of the raw output."""
        return self._text.newlines

    @property
    def total_lines(self) -> int:
        """Lines of the raw output; an unfinished last one counts."""
        return self.newlines + self._ends_open

    @property
    def file_is_whole(self) -> bool:
        return self.total_bytes <= MAX_FILE_BYTES and self.file_error is None

    @property
    def kept_bytes(self) -> int:
        """The size of the file."""
        return self._written

    @property
    def is_binary(self) -> bool:
        return self._text.is_binary

    @property
    def is_invalid(self) -> bool:
        """Whether some of it is not UTF-8."""
        return self._text.is_invalid

    def write(self, data: bytes) -> None:
        """Take the next bytes. A file that cannot be written is noted; what is to be seen goes on."""
        room = MAX_FILE_BYTES - self.total_bytes
        if room > 0 and self.file_error is None:
            try:
                self._write_file(data[:room])
            except OSError as error:
                self.file_error = error.strerror or str(error)
        self.total_bytes += len(data)
        self._ends_open = not data.endswith(b"\n")
        self._text.feed(data)

    def make_file(self) -> None:
        """Have a file although nothing may ever come. One that cannot be made is noted."""
        try:
            self._open_file()
        except OSError as error:
            self.file_error = error.strerror or str(error)

    def _open_file(self) -> int:
        if self._file is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        return self._file

    def _write_file(self, data: bytes) -> None:
        file = self._open_file()
        view = memoryview(data)
        while view:
            count = os.write(file, view)
            self._written += count
            view = view[count:]

    def close(self) -> None:
        """No more bytes come."""
        self._text.feed(b"", final=True)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def discard_file(self) -> None:
        """Take the file away, if there is one and it can be; the output is whole without it."""
        with suppress(OSError):
            self.path.unlink()

    def tail(self) -> str:
        """The last lines as they look now: at most :data:`TAIL_LINES` and :data:`TAIL_CHARS`."""
        text = self._text.tail(TAIL_CHARS)
        lines = text.split("\n")
        return "\n".join(lines[-TAIL_LINES - text.endswith("\n") :])

    def text_so_far(self, limit: int) -> str:
        """The same as :meth:`text` for an output that goes on: with its unfinished last line."""
        line = without_colours(self._text.line())[-limit // 2 :]
        return self.text(limit - len(line)).text + line

    def text(self, limit: int) -> OutputText:
        """What a model is shown of a finished output: no escape sequences, at most ``limit`` characters."""
        kept = self._text.kept
        if kept.chars <= min(limit, kept.limit):
            return OutputText(without_colours(kept.whole()), 0, not self._text.altered)
        head, tail = kept.head_and_tail(min(limit, kept.limit))
        omitted = kept.chars - len(head) - len(tail)
        lines = kept.newlines - head.count("\n") - tail.count("\n")
        gap = f"[… {f'{lines:,} lines, ' if lines else ''}{omitted:,} characters left out …]"
        joined = "\n".join((head.removesuffix("\n"), gap, tail))
        return OutputText(without_colours(joined), omitted, False)
