"""The lines of one text that match, with lines around them, as records like those of ``rg --json``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from .scan import Matcher, Span


class _Lines:
    """A text by its lines, each with its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        at = text.find("\n") + 1
        while 0 < at < len(text):
            self.starts.append(at)
            at = text.find("\n", at) + 1
        self.count = len(self.starts) if text else 0

    def number_at(self, position: int) -> int:
        """The index of the line that holds the position."""
        return bisect_right(self.starts, position) - 1

    def between(self, first: int, last: int) -> str:
        """The lines from index ``first`` to ``last``, which is among them."""
        end = self.starts[last + 1] if last + 1 < self.count else len(self.text)
        return self.text[self.starts[first] : end]


class Wish(NamedTuple):
    """What to give of a text.

    Attributes:
        before, after: lines around each match; a line is given once.
        most: how many matching lines; 0 for all.
        most_spans: how many matches of one record are told where they are.
    """

    before: int
    after: int
    most: int
    most_spans: int


class _Block(NamedTuple):
    """Lines that belong together because matches reach from one into the other, and the first of their matches."""

    first: int
    last: int
    spans: list[Span]
    matches: int


def excerpts(matcher: Matcher, text: str, wish: Wish) -> Iterator[dict[str, Any]]:
    """The matching lines, and the lines around each."""
    lines = _Lines(text)
    shown = -1  # the index of the last line that was given
    owed = -1  # up to which index lines after the last match are still to be given
    for number, block in enumerate(_blocks(matcher, lines, wish.most_spans)):
        for index in range(shown + 1, min(owed, block.first - 1) + 1):
            yield _record("context", lines, _Block(index, index, [], 0))
            shown = index
        if wish.most and number >= wish.most:
            return
        for index in range(max(shown + 1, block.first - wish.before), block.first):
            yield _record("context", lines, _Block(index, index, [], 0))
        yield _record("match", lines, block)
        shown, owed = block.last, block.last + wish.after
    for index in range(shown + 1, min(owed, lines.count - 1) + 1):
        yield _record("context", lines, _Block(index, index, [], 0))


def _blocks(matcher: Matcher, lines: _Lines, most_spans: int) -> Iterator[_Block]:
    first = last = -1
    stop = matches = 0  # where the last of the lines ends; how many matches there are
    spans: list[Span] = []
    for span in matcher.spans(lines.text):
        within = matches and span.start < stop
        if matches and not within:
            yield _Block(first, last, spans, matches)
            matches, spans = 0, []
        if not within:
            first = lines.number_at(span.start)
        if not within or span.end > stop:
            last = lines.number_at(max(span.start, span.end - 1))
            stop = lines.starts[last + 1] if last + 1 < lines.count else len(lines.text) + 1
        matches += 1
        if len(spans) < most_spans:
            spans.append(span)
    if matches:
        yield _Block(first, last, spans, matches)


def _record(kind: str, lines: _Lines, block: _Block) -> dict[str, Any]:
    text = lines.between(block.first, block.last)
    start = lines.starts[block.first]
    places = _byte_places(text, [Span(span.start - start, span.end - start) for span in block.spans])
    return {
        "type": kind,
        "data": {
            "lines": {"text": text},
            "line_number": block.first + 1,
            "matches": block.matches,
            "submatches": [{"start": begin, "end": end} for begin, end in places],
        },
    }


def _byte_places(text: str, spans: list[Span]) -> list[Span]:
    """The spans counted in bytes of UTF-8, as ripgrep counts."""
    if text.isascii():
        return spans
    at = size = 0
    sizes = {}
    for position in sorted({place for span in spans for place in span}):
        size += len(text[at:position].encode("utf-8", "surrogateescape"))
        at, sizes[position] = position, size
    return [Span(sizes[span.start], sizes[span.end]) for span in spans]
