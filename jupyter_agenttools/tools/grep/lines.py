"""From an engine's records of one file to the lines that are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...files.encoding import visible
from ...files.line_records import LineRecord
from .output import ShownLine

MAX_COLUMNS = 500
"""A longer line is shown in part, around its matches."""

LEAD = 100
"""How much of a long line is shown before and after each of its matches, at least."""

LINE_COST = 10
"""Characters that a line takes beside its own: at least its number, signs and an end."""

Span = tuple[int, int]


class Page(NamedTuple):
    """Which part of one file to show.

    Attributes:
        skip, take: the matching lines (or the matches, where these are counted) to pass over, and to show then.
        before, after: how many lines around each.
        only_matching: show each match alone.
        by_line: matches stay within a line; else each is shown with the lines that it is on.
        room: characters that there is room for; the first match is shown even so.
    """

    skip: int
    take: int
    room: int
    before: int = 0
    after: int = 0
    only_matching: bool = False
    by_line: bool = True


def shown_lines(records: Iterable[LineRecord], page: Page) -> tuple[list[ShownLine], int]:
    """The lines of one page, and how many of what is counted they hold: fewer than asked for where the records or the
    room end.

    Args:
        records: the file's, in order.
    """
    shown: list[ShownLine] = []
    seen = last = size = 0
    around: list[ShownLine] = []  # until it is known whether the match after them is shown
    for record in records:
        if not record.is_match:
            around.append(ShownLine(record.number, preview(_body(record.text), ()), False))
            continue
        for matching in _units(record, page):
            if seen == page.skip + page.take:
                return [*shown, *_following(around, last, page)], page.take
            seen += 1
            if seen > page.skip:
                first = matching[0].number
                before = [line for line in around if line.number >= first - page.before]
                after = [line for line in _following(around, last, page) if line.number < first - page.before]
                fresh = matching if page.only_matching else [line for line in matching if line.number > last]
                size += sum(len(line.text) + LINE_COST for line in (*after, *before, *fresh))
                if size > page.room and shown:
                    return [*shown, *after], seen - 1 - page.skip
                shown += [*after, *before, *fresh]
                last = max(last, matching[-1].number)
            around = []
    return [*shown, *_following(around, last, page)], max(0, seen - page.skip)


def _following(around: list[ShownLine], last: int, page: Page) -> list[ShownLine]:
    """The lines after the last match that is shown."""
    return [line for line in around if last and line.number <= last + page.after]


def _units(record: LineRecord, page: Page) -> Iterator[list[ShownLine]]:
    """What is counted in a record, each with its lines."""
    if page.only_matching:
        yield from _matches_alone(record)
    elif page.by_line:
        hidden = record.matches - len(record.spans)
        yield [_matching(record.number, _body(record.text), record.spans, hidden)]
    else:
        for span in record.spans:
            yield list(_lines_of_match(record, span))


def _matches_alone(record: LineRecord) -> Iterator[list[ShownLine]]:
    for start, end in record.spans:
        number = record.number + record.text.count("\n", 0, start)
        text = _body(record.text[start:end])
        pieces = text.split("\n")
        yield [ShownLine(number + i, preview(_body(piece), ())) for i, piece in enumerate(pieces)]


def _lines_of_match(record: LineRecord, span: Span) -> Iterator[ShownLine]:
    start, end = span
    at, number = 0, record.number
    for line in record.text.removesuffix("\n").split("\n"):
        line_end = at + len(line)
        if at <= start <= line_end or (at <= end - 1 and start <= line_end):
            inside = (max(start - at, 0), min(end - at, len(line)))
            yield _matching(number, _body(line), (inside,))
        at, number = line_end + 1, number + 1


def _matching(number: int, line: str, spans: tuple[Span, ...], hidden: int = 0) -> ShownLine:
    """A line with its matches, whose places are known as long as it is shown as it is."""
    text = preview(line, spans, hidden)
    return ShownLine(number, text, True, spans if text == line else ())


def _body(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def preview(line: str, spans: tuple[Span, ...], hidden: int = 0) -> str:
    """The line as it is shown: a long one in part, around its matches, with its length.

    Args:
        spans: its matches. hidden: how many more there are.
    """
    if len(line) <= MAX_COLUMNS:
        return visible(line)
    windows = _windows(len(line), spans)
    parts = ["…" if windows[0][0] > 0 else ""]
    for i, (start, end) in enumerate(windows):
        parts.append(line[start:end])
        parts.append("…" if end < len(line) or i < len(windows) - 1 else "")
    # A match that is longer than what is shown of it counts as shown: its beginning is.
    shown = [(s, min(e, s + MAX_COLUMNS - 2 * LEAD)) for s, e in spans]
    inside = sum(1 for s, e in shown if any(start <= s and e <= end for start, end in windows))
    more = len(spans) - inside + hidden
    told = f"; {more} more match{'es' if more > 1 else ''}" if more > 0 else ""
    return visible(f"{''.join(parts)} ({len(line)} characters{told})")


def _windows(length: int, spans: tuple[Span, ...]) -> list[Span]:
    """Which parts of a long line to show: around its first matches as much as fits, in order and apart."""
    windows: list[Span] = [] if spans else [(0, MAX_COLUMNS)]
    for start, end in spans:
        end = min(end, start + MAX_COLUMNS - 2 * LEAD)
        low, high = max(0, start - LEAD), min(length, end + LEAD)
        joined = [*windows, (low, high)]
        if windows and low <= windows[-1][1]:
            joined = [*windows[:-1], (windows[-1][0], max(high, windows[-1][1]))]
        if sum(stop - begin for begin, stop in joined) > MAX_COLUMNS:
            break
        windows = joined
    if len(windows) == 1:
        (low, high), room = windows[0], (MAX_COLUMNS - (windows[0][1] - windows[0][0])) // 2
        windows = [(max(0, low - room), min(length, high + room))]
    return windows
