"""The history of a session for a page: all of it is searched, and what is told says what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import UsageError
from ...session.entries import Entry
from ...session.marking import Span, Words, pieces
from .messages import AskEntry, AskHistory
from .shelf import Shelf, transcript_of

if TYPE_CHECKING:
    from ...session import Session

EXCERPT_CHARS, EXCERPT_LINES = 400, 8
BEFORE_CHARS, BEFORE_LINES = 100, 3
"""So much of a text stands before the first place that was found."""

WINDOW_CHARS = 20_000
"""So much of a text is told at once; a page asks for the rest of it."""


def history(session: Session, ask: AskHistory, shelf: Shelf) -> dict[str, Any]:
    """The entries in which every word of the query stands, as many as are asked for, and how many there are."""
    read, words = shelf.entries(transcript_of(session, ask.session)), Words(ask.query)
    found = [entry for entry in read.entries if words.found_in(entry.shown)] if words else list(read.entries)
    if ask.order == "latest":
        found.reverse()
    return {
        "entries": [told(entry, words) for entry in found[: ask.limit]],
        "found": len(found),
        "total": len(read.entries),
        "notes": list(read.notes),
    }


def entry(session: Session, ask: AskEntry, shelf: Shelf) -> dict[str, Any]:
    """A window on the text of one entry, with what was found marked.

    Raises:
        UsageError: there is none such any more.
    """
    read = shelf.entries(transcript_of(session, ask.session))
    found = next((each for each in read.entries if each.ref == ask.ref), None)
    if found is None:
        raise UsageError("this entry is not in the transcript any more")
    spans = Words(ask.query).spans(found.text)
    return _window(found.text, spans, min(ask.start, max(0, len(found.text) - 1)), WINDOW_CHARS)


def told(entry: Entry, words: Words) -> dict[str, Any]:
    """An entry as a page lists it: whole where it is short, else what stands around the first place that was found."""
    spans = words.spans(entry.text)
    start, end = _excerpt(entry.text, spans[0][0] if spans else 0)
    return {
        "ref": entry.ref,
        "kind": entry.kind,
        **{name: marked(getattr(entry, name), words) for name in ("who", "title", "status")},
        **_window(entry.text, spans, start, end - start),
    }


def _excerpt(text: str, at: int) -> Span:
    """The part of a text that is shown at first: around this place, and no more than a few lines."""
    start, end = 0, len(text)
    if end > EXCERPT_CHARS or text.count("\n") >= EXCERPT_LINES:
        start = max(0, at - BEFORE_CHARS)
        before = text[start:at].split("\n")
        start = at - len("\n".join(before[-BEFORE_LINES:]))
        lines = text[start : start + EXCERPT_CHARS].split("\n")
        end = start + len("\n".join(lines[:EXCERPT_LINES]))
    return start, end


def marked(text: str, words: Words) -> list[str]:
    """A text in pieces, see :func:`.pieces`."""
    return pieces(text, words.spans(text))


def _window(text: str, spans: Sequence[Span], start: int, chars: int) -> dict[str, Any]:
    end = min(len(text), start + chars)
    later = next((a for a, _ in spans if a >= end), None)
    return {
        "text": pieces(text, spans, start, end),
        "start": start,
        "end": end,
        "chars": len(text),
        "hits": len(spans),
        "later": None if later is None else max(end, later - BEFORE_CHARS),
    }
