"""Where does a pattern match in the bytes of one file?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from .words import spelled_out

SMALL_BYTES = 1 << 17
"""Most files of a project are shorter, and read at one go."""

BLOCK_BYTES = 1 << 24
"""A file longer than this is searched block by block, each ending at the end of a line."""

MAX_WHOLE_BYTES = 1 << 29
"""The longest stretch that is taken into memory at once (512 MiB): a line, or a file where matches may span lines."""

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF8_MARK = b"\xef\xbb\xbf"
_FOLDS_BEYOND_ASCII = frozenset("ksKS")
"""Letters that stand for a letter beyond ASCII as well when case does not count: K (Kelvin) and ſ."""


class TooLargeError(Exception):
    """A line, or a file that has to be looked at as a whole, does not fit into memory."""


class Span(NamedTuple):
    start: int
    end: int


class Matcher:
    """A pattern, ready to be looked for.

    Args:
        pattern: a Python regular expression with the marks of :mod:`.words`.
        required: texts of which a match holds at least one; none when nothing is known.
        ignore_case: whether case counts.
        by_line: each line is looked at alone; else matches may span lines.
        one_line_at_a_time: the pattern can look beyond a line and must not be given more than one.
    """

    def __init__(
        self, pattern: str, required: list[str], *, ignore_case: bool, by_line: bool, one_line_at_a_time: bool
    ) -> None:
        self._pattern = pattern
        self._ignore_case = ignore_case
        self.by_line = by_line
        self._alone = one_line_at_a_time
        folded = [text.lower() for text in required] if ignore_case else required
        plain = not ignore_case or all(text.isascii() for text in folded)
        self._required = [text.encode("utf-8", "surrogateescape") for text in folded] if plain else []
        self._folds = ignore_case and any(_FOLDS_BEYOND_ASCII.intersection(text) for text in folded)

    @cached_property
    def _for_any_text(self) -> re.Pattern[str]:
        return re.compile(spelled_out(self._pattern, ascii_only=False), self._flags)

    @cached_property
    def _for_ascii(self) -> re.Pattern[str]:
        if self._ignore_case and not (self._pattern.isascii() and "\\u" not in self._pattern.lower()):
            return self._for_any_text
        return re.compile(spelled_out(self._pattern, ascii_only=True), self._flags | re.ASCII)

    @property
    def _flags(self) -> re.RegexFlag:
        return re.IGNORECASE if self._ignore_case else re.NOFLAG

    def compile(self) -> None:
        """Find out now whether the pattern is one.

        Raises:
            re.error: it is not.
        """
        _ = self._for_ascii

    def may_match(self, data: bytes) -> bool:
        """A quick look: whether it is worth while to look closely."""
        if not self._required or data.startswith(UTF16_MARKS):
            return True
        if self._ignore_case:
            if self._folds and not data.isascii():
                return True
            data = data.lower()
        return any(text in data for text in self._required)

    def spans(self, text: str) -> Iterator[Span]:
        """Every match in ``text``, from left to right. An empty one that touches the one before it is none, nor is one
        behind the last line end, where no line is."""
        pattern = self._for_ascii if text.isascii() else self._for_any_text
        if not self._alone:
            length = len(text) if text and not text.endswith("\n") else len(text) - 1
            yield from (span for span in _matches(pattern, text) if span.start <= length)
            return
        for offset, line in _lines(text):
            yield from (Span(offset + start, offset + end) for start, end in _matches(pattern, line))

    def count(self, text: str, *, each: bool) -> int:
        """How many lines match; with ``each``, and where matches may span lines, how many matches are not empty."""
        if each or not self.by_line:
            return sum(1 for span in self.spans(text) if span.start < span.end)
        pattern = self._for_ascii if text.isascii() else self._for_any_text
        if self._alone:
            return sum(1 for _, line in _lines(text) if pattern.search(line) is not None)
        last = len(text) if text and not text.endswith("\n") else len(text) - 1
        found = at = 0
        while at <= last and (match := pattern.search(text, at)) is not None and match.start() <= last:
            found += 1
            at = text.find("\n", match.start()) + 1 or last + 1
        return found


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """As ripgrep goes on after an empty match: with the next character, not with a longer match at the same place."""
    at, last_end, length = 0, -1, len(text)
    while at <= length and (match := pattern.search(text, at)) is not None:
        start, end = match.span()
        if start == end == last_end:
            at, last_end = at + 1, -1
            continue
        yield Span(start, end)
        at = last_end = end


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines without their ends, and where each begins."""
    at = 0
    for line in text.split("\n"):
        if at < len(text):
            yield at, line.removesuffix("\r")
        at += len(line) + 1


def decoded(data: bytes) -> str:
    """The text of a file. Bytes that are no UTF-8 become lone surrogates, which no pattern matches."""
    if data.startswith(UTF16_MARKS):
        return data.decode("utf-16", "replace")
    return data.removeprefix(UTF8_MARK).decode("utf-8", "surrogateescape")


class FileBytes:
    """The bytes of a regular file, once. Neither a link nor a pipe that has taken its place is waited for.

    Args:
        path: of the file.

    Raises:
        OSError: it cannot be opened, or is no regular file any more.
    """

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._descriptor)

    def blocks(self, *, whole: bool) -> Iterator[bytes]:
        """All of it, in blocks that end with a line; with ``whole`` in one piece.

        Raises:
            OSError: it cannot be read. TooLargeError: a line, or the whole, is too long.
        """
        first = os.read(self._descriptor, SMALL_BYTES)
        if len(first) < SMALL_BYTES:
            if first:
                yield first
            return
        in_one = whole or first.startswith(UTF16_MARKS)
        rest, size = [first], len(first)
        while block := os.read(self._descriptor, BLOCK_BYTES):
            cut = 0 if in_one else block.rfind(b"\n") + 1
            if cut:
                yield b"".join((*rest, block[:cut]))
                rest, size = [], 0
            rest.append(block[cut:])
            size += len(block) - cut
            if size > MAX_WHOLE_BYTES:
                raise TooLargeError
        if size:
            yield b"".join(rest)
