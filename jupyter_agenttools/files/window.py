"""Which lines does a window of a text hold?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..core.cancel import Cancellation
from .budget import MAX_BYTES_PER_TOKEN, MAX_TOKENS, exceeded, fitting_lines
from .content import READ_BYTES, Content

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


def read_window(
    content: Content, offset: int, limit: int, cancellation: Cancellation, max_tokens: int = MAX_TOKENS
) -> TextWindow:
    """Up to ``limit`` lines from line ``offset`` (from 1) on. No line at all when ``offset`` is beyond the end.

    Args:
        max_tokens: how many one result may hold. Whether these lines do fit is not looked at here: reading only ends
            early when they are far more than that can be.

    Raises:
        MaxFileReadTokenExceededError: these lines are far more than one result may hold.
        InterruptedToolError: the call was stopped.
    """
    cancellation.check()
    total = content.index.total_lines
    count = min(limit, total - offset + 1)
    if count <= 0:
        return TextWindow(offset, (), total)
    window = _plain_window(content, offset, count, max_tokens * MAX_BYTES_PER_TOKEN)
    if window is not None:
        return window
    builder = _WindowBuilder(content.path, offset, count, max_tokens)
    for line in _raw_lines(content, offset - 1, count, cancellation):
        builder.add(line)
    return builder.window(total)


def _plain_window(content: Content, offset: int, count: int, max_bytes: int) -> TextWindow | None:
    """The window taken as one piece; ``None`` where its lines have to be looked at one by one."""
    data = content.lines(offset - 1, count, max_bytes)
    if data is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != count or max(map(len, lines)) > MAX_LINE_CHARS:
        return None
    crlf, odd = 0, ()
    if "\r" in text or "\0" in text:
        crlf = sum(line.endswith("\r") for line in lines)
        lines = [line.removesuffix("\r") for line in lines]
        odd = tuple(number for number, line in enumerate(lines, offset) if "\r" in line or "\0" in line)
    return TextWindow(offset, tuple(lines), content.index.total_lines, crlf=crlf, odd=odd)


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
        chunk = content.read(position, READ_BYTES)
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
    def __init__(self, path: str, offset: int, count: int, max_tokens: int) -> None:
        self._path, self._offset, self._count, self._max_tokens = path, offset, count, max_tokens
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
        if self._bytes > self._max_tokens * MAX_BYTES_PER_TOKEN:
            what = f"lines {self._offset}-{self._offset + self._count - 1}"
            fitting = fitting_lines(self._lines, self._max_tokens)
            raise exceeded(self._path, what, "lines", self._offset, fitting, self._max_tokens)

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
