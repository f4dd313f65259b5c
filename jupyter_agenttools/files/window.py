"""Which lines does a window of a text hold?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..core.cancel import Cancellation
from .budget import MAX_BYTES, exceeded
from .content import BLOCK_BYTES, Content

DEFAULT_LIMIT = 2_000
"""Lines of one Read when nothing else is asked for; the field's default."""

MAX_LINE_CHARS = 2_000
"""The field's limit: longer lines are cut."""

PREFIX_BYTES = 8
"""What a line number with its separator adds to a line."""

_KEPT_BYTES = 4 * MAX_LINE_CHARS
"""No character takes more than four bytes, so this always holds the part of a line that is shown."""

_CONTINUATION = bytes(range(0x80, 0xC0))


@dataclass(frozen=True)
class TextWindow:
    """Some lines of a text.

    Args:
        first_line: number of the first line, from 1.
        lines: their exact text, without line ends.
        total_lines: of the whole text.
        cut: for each line that was cut, its number and how many characters are missing.
        undecodable: numbers of the lines that hold bytes which are not in the encoding (they read ``\\xNN``).
        crlf: how many of these lines end in CR LF.
        odd: numbers of the lines that hold a NUL, or a CR that is not at the end.
    """

    first_line: int
    lines: tuple[str, ...]
    total_lines: int
    cut: tuple[tuple[int, int], ...] = ()
    undecodable: tuple[int, ...] = ()
    crlf: int = 0
    odd: tuple[int, ...] = ()

    @property
    def last_line(self) -> int:
        """Number of the last line; one less than ``first_line`` when there is none."""
        return self.first_line + len(self.lines) - 1

    @property
    def is_whole(self) -> bool:
        return self.first_line <= 1 and self.last_line == self.total_lines


def read_window(content: Content, offset: int, limit: int, cancellation: Cancellation) -> TextWindow:
    """Up to ``limit`` lines from line ``offset`` (from 1) on. No line at all when ``offset`` is beyond the end.

    Raises:
        MaxFileReadTokenExceededError: these lines are more than one result may hold.
        InterruptedToolError: the call was stopped.
    """
    total = content.index.total_lines
    builder = _WindowBuilder(content.path, offset, limit)
    if offset <= total:
        for line in _raw_lines(content, offset - 1, min(limit, total - offset + 1), cancellation):
            builder.add(line)
    return builder.window(total)


class _RawLine:
    """One line as it is collected: the beginning of its bytes, and how many characters the rest has."""

    __slots__ = ("dropped_chars", "ends_in_cr", "kept")

    def __init__(self) -> None:
        self.kept = bytearray()
        self.dropped_chars = 0
        self.ends_in_cr = False

    def add(self, piece: bytes) -> None:
        if not piece:
            return
        room = _KEPT_BYTES - len(self.kept)
        self.kept += piece[:room]
        if len(piece) > room:
            self.dropped_chars += len(piece[max(room, 0) :].translate(None, _CONTINUATION))
        self.ends_in_cr = piece.endswith(b"\r")


def _raw_lines(content: Content, first: int, count: int, cancellation: Cancellation) -> Iterator[_RawLine]:
    """``count`` lines from line ``first`` (from 0) on. A long line is never held as a whole."""
    position, line = content.line_start(first), _RawLine()
    while count:
        cancellation.check()
        chunk = content.read(position, BLOCK_BYTES)
        if not chunk:
            yield line
            return
        position += len(chunk)
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            line.add(piece)
            yield line
            line, count = _RawLine(), count - 1
            if not count:
                return
        line.add(rest)


class _WindowBuilder:
    def __init__(self, path: str, offset: int, limit: int) -> None:
        self._path, self._offset, self._limit = path, offset, limit
        self._lines: list[str] = []
        self._cut: list[tuple[int, int]] = []
        self._undecodable: list[int] = []
        self._odd: list[int] = []
        self._crlf = 0
        self._bytes = 0

    def add(self, raw: _RawLine) -> None:
        number = self._offset + len(self._lines)
        if raw.ends_in_cr and not raw.dropped_chars:
            del raw.kept[-1:]
        self._crlf += raw.ends_in_cr
        text = self._decoded(bytes(raw.kept), number)
        shown = text[:MAX_LINE_CHARS]
        missing = len(text) - len(shown) + raw.dropped_chars - (raw.ends_in_cr and raw.dropped_chars > 0)
        if missing > 0:
            self._cut.append((number, missing))
        if "\0" in shown or "\r" in shown:
            self._odd.append(number)
        self._charge(shown)
        self._lines.append(shown)

    def _decoded(self, data: bytes, number: int) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if len(data) < _KEPT_BYTES or error.end < len(data):
                self._undecodable.append(number)
            return data.decode("utf-8", "backslashreplace")

    def _charge(self, shown: str) -> None:
        self._bytes += len(shown.encode()) + PREFIX_BYTES
        if self._bytes > MAX_BYTES:
            what = f"lines {self._offset}-{self._offset + self._limit - 1}"
            raise exceeded(self._path, what, "lines", self._offset, len(self._lines))

    def window(self, total: int) -> TextWindow:
        return TextWindow(
            self._offset,
            tuple(self._lines),
            total,
            tuple(self._cut),
            tuple(self._undecodable),
            self._crlf,
            tuple(self._odd),
        )
