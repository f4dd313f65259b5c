"""Where in a file's bytes does a text stand, exactly?

The text is looked for in the bytes, in the file's own encoding: nothing is decoded, normalised or changed on the way.
One thing only is taken as the same: a line end that is written LF in the text and CR LF in the file, because a reading
shows lines without their ends.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from .encoding import TextFormat

_LONE_FEED = re.compile(r"(?<!\r)\n")
_UNIT_BYTES = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
_SEVERAL_BYTES = frozenset("big5 cp932 cp949 cp950 euc_jp euc_kr gb18030 gb2312 gbk johab shift_jis".split())
"""Encodings in which the second byte of a character may look like another one's only byte. In the single-byte ones and
in UTF-8 the bytes of a text begin nowhere else than where a character begins."""


MIN_FOUND_BYTES = 8
"""A shorter first line may be found far more often than the text that it begins."""


class Match(NamedTuple):
    """The bytes ``start`` to ``end`` of a file."""

    start: int
    end: int


class Matcher:
    """Finds one text in contents of one encoding.

    Args:
        text: what to look for; not empty.
        form: the encoding of the contents.
    """

    def __init__(self, text: str, form: TextFormat) -> None:
        self._form, self._first_line, self._worth_finding = form, b"", 1
        self._pattern: re.Pattern[bytes] | None = None
        with suppress(UnicodeEncodeError):  # a character that the encoding does not have is nowhere in the content
            self._pattern = re.compile(_pattern_of(text, form.encoding))
            self._worth_finding = MIN_FOUND_BYTES if "\n" in text else 1
            self._first_line = text.split("\n", 1)[0].removesuffix("\r").encode(form.encoding)

    def all(self, data: bytes) -> list[Match]:
        """Every place, from the beginning on, none of which overlaps the one before."""
        return list(self._from(data, overlapping=False))

    def count(self, data: bytes, at_most: int) -> list[Match]:
        """The first ``at_most`` places, those that overlap included: so many could be meant."""
        return [match for match, _ in zip(self._from(data, overlapping=True), range(at_most), strict=False)]

    def _from(self, data: bytes, *, overlapping: bool) -> Iterator[Match]:
        position = 0
        while (found := self._next(data, position)) is not None:
            start, end = found.span()
            if starts_character(data, start, self._form):
                yield Match(start, end)
                position = start + 1 if overlapping else end
            else:
                position = start + 1

    def _next(self, data: bytes, position: int) -> re.Match[bytes] | None:
        """The first place from ``position`` on. Finding plain bytes is many times faster than matching a pattern."""
        if self._pattern is None:
            return None
        if len(self._first_line) < self._worth_finding:
            return self._pattern.search(data, position)
        while (position := data.find(self._first_line, position)) >= 0:
            if (found := self._pattern.match(data, position)) is not None:
                return found
            position += 1
        return None


def _pattern_of(text: str, encoding: str) -> bytes:
    feed, carriage = (re.escape(char.encode(encoding)) for char in "\n\r")
    line_end = b"(?:%b%b|(?<!%b)%b)" % (carriage, feed, carriage, feed)  # never the second half of a CR LF
    return line_end.join(re.escape(part.encode(encoding)) for part in _LONE_FEED.split(text))


def starts_character(data: bytes, position: int, form: TextFormat) -> bool:
    """Whether a character, and not the rest of one, begins at ``position``."""
    if form.encoding not in _SEVERAL_BYTES:
        return position % _UNIT_BYTES.get(form.encoding, 1) == 0
    decoder = codecs.getincrementaldecoder(form.encoding)("backslashreplace")
    decoder.decode(data[data.rfind(b"\n", 0, position) + 1 : position])  # no character holds the byte of a line feed
    return not decoder.getstate()[0]
