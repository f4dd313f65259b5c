r"""What a person would see of a program's output: the bytes as text after ``\r``, backspaces and erasures took effect.

A progress bar that drew itself 500 times over one line is one line here, and several bars that were drawn again and
again by going up are as many lines. Colours stay (they take no room); every other control sequence goes. What is kept
is bounded: the beginning and the end.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator

_SGR = r"\x1b\[[0-9;:]*m"
_COLOUR = re.compile(_SGR)
_TOKEN = re.compile(
    rf"(?P<colour>{_SGR})"
    r"|\x1b\[(?P<arguments>[0-?]*)[ -/]*(?P<final>[@-~])"  # a control sequence
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # a title, a link and the like, up to its end
    r"|\x1b[ -/]*[0-~]"
    r"|(?P<control>[\r\n\b\x1b])"
    r"|(?P<text>[^\x1b\r\n\b]+)"
)
_UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]{0,4096}\x1b?|[ -/]*)|\r)\Z")
_CELL = re.compile(rf"(?:{_SGR})*[^\x1b]|(?:{_SGR})+")
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}

LONG_LINE_CHARS = 65536
"""A line is held back for what may still be written over it up to this length; beyond it, it is as good as done."""


MAX_ROWS = 200
"""So far a program can go up to draw again; no terminal is higher."""
MAX_ROW_CHARS = 4096
"""Of a row to which it can go up."""


def without_colours(text: str) -> str:
    """The text as a model reads it: no escape sequences, and other control characters as visible signs (``␀``)."""
    return _COLOUR.sub("", text).translate(_PICTURES)


def plain_line(line: bytes) -> str:
    """One line of output as a model reads it: what is to be seen in the end, without colours."""
    text = TerminalText(max(1, len(line)))
    text.feed(line, final=True)
    return without_colours(text.kept.whole())


class BoundedText:
    """The beginning and the end of a text of any length, and how long it was.

    Args:
        limit: characters kept in all. A longer text keeps half of it on each side.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.chars = 0
        self.newlines = 0
        self._first: list[str] = []
        self._room = limit
        self._last: deque[str] = deque()
        self._last_chars = 0

    def append(self, text: str) -> None:
        if not text:
            return
        self.chars += len(text)
        self.newlines += text.count("\n")
        if self._room:
            head, text = text[: self._room], text[self._room :]
            self._first.append(head)
            self._room -= len(head)
        if text:
            self._keep_last(text[-self.limit :])

    def append_ascii(self, data: memoryview, newlines: int) -> None:
        """The same for bytes that hold so many line ends; decodes what is kept of them."""
        self.chars += len(data)
        self.newlines += newlines
        if self._room:
            head, data = data[: self._room], data[self._room :]
            self._first.append(str(head, "ascii"))
            self._room -= len(head)
        if data:
            self._keep_last(str(data[-self.limit :], "ascii"))

    def take_last_line(self) -> str | None:
        """Take the last line away again, without its end; ``None`` where none is kept whole, or it is a long one."""
        passed = chars = cut = 0
        for piece in self._backwards():
            if not chars and not piece.endswith("\n"):
                return None
            end = len(piece) if chars else len(piece) - 1
            cut = piece.rfind("\n", max(0, end - MAX_ROW_CHARS), end) + 1
            if cut:
                break
            passed, chars = passed + 1, chars + len(piece)
            if chars > MAX_ROW_CHARS:
                return None
        if not cut and (not chars or self._has_gap):
            return None
        line = "".join([self._pop() for _ in range(passed)][::-1])
        return (self._cut_last(cut) + line)[:-1] if cut else line[:-1]

    def _backwards(self) -> Iterator[str]:
        yield from reversed(self._last)
        if not self._has_gap:
            yield from reversed(self._first)

    @property
    def _has_gap(self) -> bool:
        """Whether something between the beginning and the end is not kept."""
        return self.chars > self.limit - self._room + self._last_chars

    def _pop(self) -> str:
        if self._last:
            piece = self._last.pop()
            self._last_chars -= len(piece)
        else:
            piece = self._first.pop()
            self._room += len(piece)
        self.chars -= len(piece)
        self.newlines -= piece.count("\n")
        return piece

    def _cut_last(self, cut: int) -> str:
        """Shorten the last piece and return what was behind. Of a big one the end becomes a piece of its own, so that
        taking line after line does not copy all of it each time."""
        piece = (self._last or self._first)[-1]
        if cut == len(piece):
            return ""
        self._pop()
        near = piece.rfind("\n", 0, max(0, cut - MAX_ROW_CHARS)) + 1
        self.append(piece[:near])
        self.append(piece[near:cut])
        return piece[cut:]

    def _keep_last(self, text: str) -> None:
        self._last.append(text)
        self._last_chars += len(text)
        while self._last_chars - len(self._last[0]) >= self.limit:
            self._last_chars -= len(self._last.popleft())

    def whole(self) -> str:
        """The text, when it fitted in."""
        return "".join(self._first)

    def head_and_tail(self, limit: int) -> tuple[str, str]:
        """Half of ``limit`` from each side of a longer text, cut between lines where there are any."""
        half = limit // 2
        head, tail = self.whole()[:half], self.tail(half)
        head_cut, tail_cut = head.rfind("\n") + 1, tail.find("\n") + 1
        if head_cut > half // 2:
            head = head[:head_cut]
        if 0 < tail_cut < half // 2:
            tail = tail[tail_cut:]
        return head, tail

    def tail(self, chars: int) -> str:
        """The last ``chars`` characters (fewer than ``limit``)."""
        text = "".join(self._last)
        if len(text) < chars and not self._has_gap:
            text = self.whole() + text
        return text[-chars:] if chars else ""


class TerminalText:
    """Reads bytes as they come and keeps what is to be seen of them.

    Args:
        limit: characters kept.

    Attributes:
        kept: the finished part of the text.
        newlines: in all that was read.
        altered: whether what is seen differs from the bytes as UTF-8 text.
        is_binary: whether there was a NUL byte.
        is_invalid: whether there was something that is not UTF-8.
    """

    def __init__(self, limit: int) -> None:
        self.kept = BoundedText(limit)
        self.newlines = 0
        self.altered = False
        self.is_binary = False
        self.is_invalid = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._line = ""
        self._cells: list[str] | None = None
        self._column = 0
        self._colours = ""
        self._below: list[str] = []  # the next row is the last one

    def feed(self, data: bytes, final: bool = False) -> None:
        """Read the next bytes; with ``final``, also what was held back because it might have gone on."""
        newlines = data.count(b"\n")
        self.newlines += newlines
        if not final and self._is_settled and _is_plain_ascii(data):
            self._add_plain_ascii(data, newlines)
            return
        if b"\0" in data:
            self.is_binary = self.altered = True
        text = self._held + self._decoder.decode(data, final)
        self._held = ""
        if not final and (unfinished := _UNFINISHED.search(text, max(0, len(text) - 4200))):
            text, self._held = text[: unfinished.start()], text[unfinished.start() :]
        if "\r" in text:
            self.altered = True
            text = text.replace("\r\n", "\n")
        if "\ufffd" in text:
            self.altered = True
            self.is_invalid = self.is_invalid or text.count("\ufffd") > data.count("\ufffd".encode())
        if self._cells is None and _is_plain(text):
            self._add_plain(text)
        else:
            self.altered = True
            self._add_tokens(text)
        if final:
            self._go_down(len(self._below))
            self._finish_line("")

    def line(self) -> str:
        """What is unfinished: the line that is written to, and those below it where the cursor went up."""
        return "\n".join((self._row(), *reversed(self._below)))

    def _row(self) -> str:
        return self._line if self._cells is None else "".join(self._cells) + self._colours

    def tail(self, chars: int) -> str:
        """The end of what is to be seen right now."""
        line = self.line()
        return (self.kept.tail(max(0, chars - len(line))) + line)[-chars:]

    @property
    def _is_settled(self) -> bool:
        """Whether what comes next stands for itself."""
        return self._cells is None and not self._held and not self._decoder.getstate()[0]

    def _add_plain_ascii(self, data: bytes, newlines: int) -> None:
        """As :meth:`_add_plain`, decoding no more of it than can be kept: much output is mostly not."""
        cut = data.rfind(b"\n") + 1
        if cut:
            self.kept.append(self._line)
            self.kept.append_ascii(memoryview(data)[:cut], newlines)
            self._line = ""
        self._add_plain(data[cut:].decode("ascii"))

    def _add_plain(self, text: str) -> None:
        if "\x1b" in text:
            self.altered = True
        cut = text.rfind("\n") + 1
        if cut:
            self.kept.append(self._line + text[:cut])
            self._line = text[cut:]
        else:
            self._line += text
        if len(self._line) > LONG_LINE_CHARS:
            self.kept.append(self._line)
            self._line = ""

    def _add_tokens(self, text: str) -> None:
        for token in _TOKEN.finditer(text):
            if token["control"] == "\n":
                self._finish_line("\n")
                continue
            cells = self._cells_of_line()
            if token["text"]:
                self._write(cells, list(token["text"]))
            elif token["colour"]:
                self._colours += token["colour"]
            elif token["control"] == "\r":
                self._column = 0
            elif token["control"] == "\b":
                self._column = max(0, self._column - 1)
            elif token["final"]:
                self._obey(cells, token["final"], token["arguments"])

    def _cells_of_line(self) -> list[str]:
        """The line as one entry for each column, a colour change with the character that it is in front of."""
        if self._cells is None:
            self._cells = _CELL.findall(self._line)
            if self._cells and not _COLOUR.sub("", self._cells[-1]):
                self._colours = self._cells.pop()
            self._column = len(self._cells)
        return self._cells

    def _write(self, cells: list[str], characters: list[str]) -> None:
        if self._column > len(cells):
            cells.extend(" " * (self._column - len(cells)))
        characters[0] = self._colours + characters[0]
        self._colours = ""
        cells[self._column : self._column + len(characters)] = characters
        self._column += len(characters)
        if len(cells) > LONG_LINE_CHARS:
            self._finish_line("")

    def _obey(self, cells: list[str], final: str, arguments: str) -> None:
        """Erase in the line or below, or move the cursor. Every other sequence shows nothing."""
        number = int(arguments) if arguments.isdecimal() else 0
        if final == "K" and number == 0:
            del cells[self._column :]
        elif final == "K" and number == 1:
            upto = min(self._column, len(cells))
            cells[:upto] = " " * upto
        elif final == "K":
            cells.clear()
        elif final == "G":
            self._column = min(max(number, 1) - 1, LONG_LINE_CHARS)
        elif final in "CD":
            step = max(number, 1) if final == "C" else -max(number, 1)
            self._column = min(max(0, self._column + step), LONG_LINE_CHARS)
        elif final in "ABEF":
            column = self._column if final in "AB" else 0
            move = self._go_up if final in "AF" else self._go_down
            move(max(number, 1))
            self._cells_of_line()
            self._column = column
        elif final == "J" and number == 0:
            del cells[self._column :]
            self._below.clear()

    def _go_up(self, rows: int) -> None:
        for _ in range(min(rows, MAX_ROWS - len(self._below))):
            if (above := self.kept.take_last_line()) is None:
                return
            self._below.append(self._row())
            self._line, self._cells, self._colours = above, None, ""

    def _go_down(self, rows: int) -> None:
        for _ in range(min(rows, len(self._below))):
            self._finish_line("\n")

    def _finish_line(self, end: str) -> None:
        """Keep the row, and go to the next one when it is at its ``end``."""
        self.kept.append(self._row() + end)
        self._line, self._cells, self._column, self._colours = "", None, 0, ""
        if self._below:
            self._line = self._below.pop() if end else ""
            self._cells_of_line()
            self._column = 0


def _is_plain_ascii(data: bytes) -> bool:
    """Whether these bytes are text that nothing has to be done about."""
    return data.isascii() and not any(control in data for control in (b"\r", b"\x1b", b"\b", b"\0"))


def _is_plain(text: str) -> bool:
    """Whether nothing in the text moves the cursor or erases (colours do not)."""
    if "\r" in text or "\b" in text:
        return False
    return "\x1b" not in text or text.count("\x1b") == len(_COLOUR.findall(text))
