"""Which parts of a file did a splice change? As text with the lines around it; the rest is not looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from .encoding import TextFormat
from .feeds import Feeds
from .patch import CONTEXT_LINES, Hunk, structured_patch
from .splice import Change, Splice


class Stretch(NamedTuple):
    """Some lines of a file before and after a change.

    Attributes:
        old, new: their text. CR LF reads LF where both have nothing else; undecodable bytes read ``\\xNN``.
        old_line, new_line: the number of the first line, from 1.
    """

    old: str
    new: str
    old_line: int
    new_line: int

    def hunks(self) -> Iterator[Hunk]:
        """Its changes, with the line numbers of the file."""
        both_end = self.old.endswith("\n") and self.new.endswith("\n")
        old, new = (text[:-1] if both_end else text for text in (self.old, self.new))
        for hunk in structured_patch(old, new):
            yield replace(
                hunk, old_start=self.old_line + hunk.old_start - 1, new_start=self.new_line + hunk.new_start - 1
            )


def changed_stretches(data: bytes, form: TextFormat, result: Splice) -> Iterator[Stretch]:
    """The changed parts of ``data``, in order, with the lines around them; parts that lie near each other are one."""
    before, after = Feeds(data, form), Feeds(result.data, form)
    passed, delta, old_line, new_line = 0, 0, 1, 1
    for group in _groups(before, result.changes):
        start, end = before.line_start(group[0].start, CONTEXT_LINES), before.line_end(group[-1].end, CONTEXT_LINES)
        skipped = before.count(passed, start)
        old_line, new_line = old_line + skipped, new_line + skipped
        grown = delta + sum(len(change.new) - (change.end - change.start) for change in group)
        yield Stretch(*_texts(data[start:end], result.data[start + delta : end + grown], form), old_line, new_line)
        old_line += before.count(start, end)
        new_line += after.count(start + delta, end + grown)
        passed, delta = end, grown


def _groups(feeds: Feeds, changes: Sequence[Change]) -> Iterator[list[Change]]:
    """The changes whose neighbourhoods overlap, together."""
    group: list[Change] = []
    for change in changes:
        if group and feeds.line_end(group[-1].end, 2 * CONTEXT_LINES) < change.start:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _texts(old: bytes, new: bytes, form: TextFormat) -> tuple[str, str]:
    """Both parts as text, without the mark and the CR that both have and that would only be in the way."""
    before, after = (part.decode(form.encoding, "backslashreplace") for part in (old, new))
    if before.startswith("\ufeff") and after.startswith("\ufeff"):
        before, after = before[1:], after[1:]
    if all(text.count("\n") == text.count("\r\n") for text in (before, after)):
        before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    return before, after
