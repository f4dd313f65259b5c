"""Which sessions are there on disk, and which of them speak of something?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.errors import UsageError
from ..core.views import Badge, TableBlockView, TextBlockView, ToolView
from ..render.chars import one_line
from .finding import transcripts
from .transcript_file import is_held
from .transcript_lines import Line, read_lines

LIST_BUDGET_S = 3.0
SEARCH_BUDGET_S = 10.0
PROMPT_CHARS = 200
EXCERPT_CHARS = 160
EXCERPTS = 3
_KINDS = ("session", "resumed", "name", "message", "history", "usage", "turn_end")


class SessionSummary(NamedTuple):
    """One session on disk.

    Attributes:
        id: of the session. path: its transcript.
        name: what a person called it. prompt: the first thing that it was asked, on one line.
        model: the model it began with, or went on with.
        turns: queries that came to their end. tokens: of all answers, in and out.
        created, ended: seconds since the epoch of its first and last line.
        is_running: whether it still writes.
        parent: the id of the session that it was forked from, ``""`` for none.
        calls: that came to their end. folder: in which it began, ``""`` when that is not known.
    """

    id: str
    path: Path
    name: str = ""
    prompt: str = ""
    model: str = ""
    turns: int = 0
    tokens: int = 0
    created: float = 0.0
    ended: float = 0.0
    is_running: bool = False
    parent: str = ""
    calls: int = 0
    folder: str = ""


class Listing(NamedTuple):
    """Sessions, the newest first, and how many older ones there was no time for."""

    sessions: tuple[SessionSummary, ...]
    left_out: int = 0


class SearchHit(NamedTuple):
    """A session that speaks of it, and where: pieces of the very texts that were searched."""

    session: SessionSummary
    excerpts: tuple[str, ...]


class SearchResult(NamedTuple):
    """What a search found, the newest first; how many sessions were searched, and for how many there was no time."""

    hits: tuple[SearchHit, ...]
    searched: int
    left_out: int = 0


def list_sessions(limit: int | None = None, *, budget_s: float = LIST_BUDGET_S) -> Listing:
    """The sessions of this user, the newest first.

    Args:
        limit: at most so many. budget_s: seconds after which no other transcript is opened.
    """
    return _list(transcripts()[:limit], budget_s)


def _list(paths: Sequence[Path], budget_s: float) -> Listing:
    end = time.monotonic() + budget_s
    found: list[SessionSummary] = []
    for number, path in enumerate(paths):
        if number and time.monotonic() > end:
            return Listing(tuple(found), len(paths) - number)
        if (read := _read(path)) is not None:
            found.append(read.summary)
    return Listing(tuple(found))


def search_sessions(text: str, *, limit: int | None = None, budget_s: float = SEARCH_BUDGET_S) -> SearchResult:
    """The sessions in whose name, or in whose conversation a person or the model says ``text``, the newest first.

    Case and line ends make no difference. Results of tools are not searched. What is shown is what is searched.

    Args:
        limit: search at most so many of the newest. budget_s: seconds after which no other transcript is opened.

    Raises:
        UsageError: there is nothing to search for.
    """
    wanted = _shown(text).casefold()
    if not wanted:
        raise UsageError("say what to search for, e.g. search_sessions('the bug in the parser')")
    paths = transcripts()[:limit]
    end = time.monotonic() + budget_s
    hits: list[SearchHit] = []
    for number, path in enumerate(paths):
        if number and time.monotonic() > end:
            return SearchResult(tuple(hits), number, len(paths) - number)
        read = _read(path)
        if read is not None and (excerpts := tuple(_excerpts(wanted, read.texts))):
            hits.append(SearchHit(read.summary, excerpts))
    return SearchResult(tuple(hits), len(paths))


def _shown(text: str) -> str:
    """A text as it is searched and shown: on one line, nothing hidden in it."""
    return one_line(text, len(text) * 10 + 10)


def _excerpts(wanted: str, texts: Sequence[str]) -> Iterator[str]:
    left = EXCERPTS
    for text in texts:
        shown = _shown(text)
        at = shown.casefold().find(wanted)
        if at >= 0 and left:
            left -= 1
            start = max(at - (EXCERPT_CHARS - len(wanted)) // 2, 0)
            end = max(start + EXCERPT_CHARS, at + len(wanted))
            yield f"{'…' * (start > 0)}{shown[start:end]}{'…' * (end < len(shown))}"


class _Read(NamedTuple):
    summary: SessionSummary
    texts: tuple[str, ...]


def _read(path: Path) -> _Read | None:
    """What one transcript says; ``None`` when it cannot be read."""
    reading = _Reading(path)
    try:
        for line in read_lines(path, only=_KINDS, counted=reading.others):
            reading.take(line)
        touched = path.stat().st_mtime
    except (UsageError, OSError):
        return None
    return reading.done(touched)


class _Reading:
    """One walk through the lines of a transcript that tell of its conversation."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._head = Line(0, "", {})
        self._name = self._model = self._prompt = self._folder = ""
        self.others: Counter[str] = Counter()
        self._turns, self._tokens, self._created = 0, 0, 0.0
        self._texts: list[str] = []

    def take(self, line: Line) -> None:
        self._created = self._created or line.count("time")
        if line.kind in ("session", "resumed"):
            self._head = line
            self._folder = self._folder or line.text("began_in") or line.text("cwd")
            self._name, self._model = line.text("name") or self._name, line.text("model") or self._model
        elif line.kind == "name":
            self._name = line.text("name")
        elif line.kind == "usage":
            self._tokens += int(sum(n for n in line.mapping("usage").values() if isinstance(n, (int, float))))
        elif line.kind == "turn_end":
            self._turns += 1
        elif line.kind == "message":
            self._message(line.fields)
        elif line.kind == "history":
            for message in line.items("messages"):
                self._message(message)

    def _message(self, data: object) -> None:
        content = data.get("content") if isinstance(data, dict) else None
        blocks = content if isinstance(content, list) else []
        texts = [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]
        self._texts += texts
        if texts and not self._prompt and isinstance(data, dict) and data.get("role") == "user":
            self._prompt = one_line(texts[-1], PROMPT_CHARS)

    def done(self, touched: float) -> _Read:
        parent = self._head.mapping("parent").get("session_id", "")
        summary = SessionSummary(
            id=self._head.text("session_id") or self._path.parent.name,
            path=self._path,
            name=self._name,
            prompt=self._prompt,
            model=self._model,
            turns=self._turns,
            tokens=self._tokens,
            created=self._created or touched,
            ended=max(touched, self._created),  # lines tell rounded times
            is_running=is_held(self._path),
            parent=parent if isinstance(parent, str) else "",
            calls=self.others["call_end"],
            folder=self._folder,
        )
        return _Read(summary, tuple(filter(None, (self._name, *self._texts))))


# ---- for people


def sessions_view(listing: Listing, now: float | None = None) -> ToolView:
    """The sessions for a person."""
    rows = tuple(_row(session, now or time.time()) for session in listing.sessions)
    columns = ("id", "when", "name or first prompt", "model", "turns", "tokens", "")
    table = TableBlockView(columns, rows, kinds=("code", "text", "text", "text", "number", "number", "text"))
    blocks = (table,) if rows else (TextBlockView("There are no sessions on disk."),)
    return ToolView("Sessions", (Badge(f"{len(rows)}"),), (*blocks, *_left_out(listing.left_out)))


def search_view(text: str, result: SearchResult, now: float | None = None) -> ToolView:
    """What a search found, for a person."""
    rows = [
        (
            hit.session.id[:12],
            when(hit.session.ended, now or time.time()),
            title_of(hit.session),
            "\n".join(hit.excerpts),
        )
        for hit in result.hits
    ]
    table = TableBlockView(("id", "when", "name or first prompt", "where"), tuple(rows), kinds=("code",))
    words = TextBlockView(f"No session of {result.searched} speaks of it.")
    badge = Badge(f"{len(rows)} of {result.searched}")
    return ToolView(f"Sessions with {text!r}", (badge,), ((table if rows else words), *_left_out(result.left_out)))


def _left_out(number: int) -> tuple[TextBlockView, ...]:
    said = f"There was no time to look into {number} older sessions."
    return (TextBlockView(said, tone="warning"),) if number else ()


def _row(session: SessionSummary, now: float) -> tuple[str, ...]:
    states = ("running" * session.is_running, f"forked from {session.parent[:12]}" if session.parent else "")
    counts = (f"{session.turns:,}", f"{session.tokens:,}")
    return (
        session.id[:12],
        when(session.ended, now),
        title_of(session),
        session.model,
        *counts,
        ", ".join(filter(None, states)),
    )


def title_of(session: SessionSummary) -> str:
    """What a session is called: its name, else the first thing that it was asked."""
    return session.name or session.prompt or "(no conversation)"


def first_call_of(path: Path) -> str:
    """The tool of the first call in a transcript, and what that was about; ``""`` when there is none."""
    try:
        line = next(read_lines(path, only=("call_start",)), None)
    except UsageError:
        return ""
    use = {} if line is None else line.mapping("tool_use")
    name, input = use.get("name"), use.get("input")
    values = [name, *(input.values() if isinstance(input, dict) else ())]
    return " ".join([value for value in values if isinstance(value, str)][:2])


def when(then: float, now: float) -> str:
    """How long ago, in words: ``just now``, ``5 min ago``, ``3 h ago``, ``2 days ago``."""
    seconds = max(now - then, 0)
    if seconds < 60:
        return "just now"
    if seconds < 3_600:
        return f"{seconds // 60:.0f} min ago"
    return f"{seconds // 3_600:.0f} h ago" if seconds < 2 * 86_400 else f"{seconds // 86_400:.0f} days ago"
