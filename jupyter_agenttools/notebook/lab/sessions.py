"""The sessions on disk for a page: listed, and searched in their whole transcripts, a while at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import UsageError
from ...core.secrets import redact
from ...render.chars import one_line, visible
from ...session.listing import SessionSummary, first_call_of, list_sessions, title_of, when
from ...session.marking import Words
from .history import marked, told
from .messages import AskSessions
from .shelf import Found, Shelf

if TYPE_CHECKING:
    from ...session import Session

LIST_BUDGET_S = 10.0
SEARCH_BUDGET_S = 1.0
"""So long does one answer take. What was searched is remembered, so that the next one goes on from there."""

TITLE_CHARS, ID_CHARS = 200, 12
NOTHING = Found(0, None)


def sessions(session: Session, ask: AskSessions, shelf: Shelf) -> dict[str, Any]:
    """The sessions of the project, or all of this user, the newest first; with a query those that speak of it.

    ``left`` says how many of them there was no time for: to search, and ``unlisted`` even to look at.
    """
    listing = list_sessions(budget_s=LIST_BUDGET_S)
    project = project_of(session)
    chosen = [each for each in listing.sessions if ask.everywhere or _is_in(each.folder, project)]
    words = Words(ask.query)
    hits, left = _search(chosen, words, shelf, project)
    now = time.time()
    return {
        "sessions": [_told(each, found, words, session, now) for each, found in hits[: ask.limit]],
        "found": len(hits),
        "total": len(chosen),
        "left": left,
        "unlisted": listing.left_out,
        "project": visible(project),
    }


def project_of(session: Session) -> str:
    """The folder whose sessions are those of the project: the one in which this session began."""
    return session.settings.origin.cwd


def _is_in(folder: str, project: str) -> bool:
    return bool(folder) and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(project))


def _search(
    chosen: Sequence[SessionSummary], words: Words, shelf: Shelf, project: str
) -> tuple[list[tuple[SessionSummary, Found]], int]:
    if not words:
        return [(each, NOTHING) for each in chosen], 0
    end = time.monotonic() + SEARCH_BUDGET_S
    hits: list[tuple[SessionSummary, Found]] = []
    went_on = False
    for number, each in enumerate(chosen):
        is_new = not shelf.has_searched(each.path, words)
        if is_new and went_on and time.monotonic() > end:  # each part reads one more, so that there is an end
            return hits, len(chosen) - number
        went_on = went_on or is_new
        try:
            found = shelf.search(each.path, words)
        except UsageError:  # it went away meanwhile
            continue
        if found.count or words.found_in(_shown(each, project)):
            hits.append((each, found))
    return hits, 0


def _shown(summary: SessionSummary, project: str) -> tuple[str, ...]:
    """What a page shows of a session itself: its title, model and id, and its folder if that is another one."""
    has_words = summary.name or summary.prompt or not summary.calls
    title = title_of(summary) if has_words else first_call_of(summary.path) or "Calls without a conversation"
    folder = summary.folder if os.path.realpath(summary.folder) != os.path.realpath(project) else ""
    texts = one_line(redact(title), TITLE_CHARS), visible(redact(summary.model)), summary.path.parent.name[:ID_CHARS]
    return (*texts, visible(redact(folder)))


def _told(summary: SessionSummary, found: Found, words: Words, session: Session, now: float) -> dict[str, Any]:
    title, model, short, folder = (marked(text, words) for text in _shown(summary, project_of(session)))
    return {
        "id": summary.path.parent.name,
        "title": title,
        "short": short,
        "folder": folder,
        "model": model,
        "when": when(summary.ended, now),
        "time": round(summary.ended * 1000),
        "calls": summary.calls,
        "turns": summary.turns,
        "current": _is_same(summary.path, session.transcript.path),
        "running": summary.is_running,
        "count": found.count,
        "first": None if found.first is None else told(found.first, words),
    }


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
