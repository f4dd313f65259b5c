"""Where are the line feeds in the bytes of a text, in whatever encoding?"""

from __future__ import annotations

from .encoding import TextFormat


class Feeds:
    """The line feeds of one content. Positions are in bytes, and are those of whole characters.

    Attributes:
        feed, carriage: LF and CR in this encoding.
    """

    def __init__(self, data: bytes, form: TextFormat) -> None:
        self._data, self._encoding = data, form.encoding
        self.feed, self.carriage = (char.encode(form.encoding) for char in "\n\r")

    def before(self, position: int, start: int = 0) -> int:
        """Where the last line feed between ``start`` and ``position`` stands, -1 for none."""
        while (at := self._data.rfind(self.feed, start, position)) >= 0 and at % len(self.feed):
            position = at + len(self.feed) - 1
        return at

    def after(self, position: int) -> int:
        """Where the first line feed from ``position`` on stands, -1 for none."""
        while (at := self._data.find(self.feed, position)) >= 0 and at % len(self.feed):
            position = at + 1
        return at

    def count(self, start: int, end: int) -> int:
        """How many line feeds there are between two positions."""
        if len(self.feed) == 1:
            return self._data.count(self.feed, start, end)
        return self.count_in(self._data[start:end])

    def count_in(self, piece: bytes) -> int:
        """How many line feeds there are in another piece of text in this encoding."""
        return piece.count(self.feed) if len(self.feed) == 1 else piece.decode(self._encoding, "replace").count("\n")

    @property
    def are_mixed(self) -> bool:
        """Whether some lines end in CR LF and some in LF alone."""
        if len(self.feed) == 1:
            return 0 < self._data.count(b"\r\n") < self._data.count(b"\n")
        text = self._data.decode(self._encoding, "replace")
        return 0 < text.count("\r\n") < text.count("\n")

    def line_start(self, position: int, lines_up: int = 0) -> int:
        """Where the line begins that holds ``position``, or one that is some lines above it."""
        for _ in range(lines_up + 1):
            at = self.before(position)
            if at < 0:
                return 0
            position = at
        return position + len(self.feed)

    def line_end(self, position: int, lines_down: int = 0) -> int:
        """Where the line ends that holds ``position``, behind its line feed, or one that is some lines below it."""
        for _ in range(lines_down + 1):
            at = self.after(position)
            if at < 0:
                return len(self._data)
            position = at + len(self.feed)
        return position

    def end_before(self, feed: int) -> str:
        """The line end whose line feed stands at ``feed``."""
        width = len(self.carriage)
        return "\r\n" if self._data[max(feed - width, 0) : feed] == self.carriage else "\n"
