"""A transcript as one page to read, keep or send: HTML or Markdown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from ..core.errors import UsageError
from ..core.secrets import redact
from ..render.chars import count_of
from ..render.page_data import PageHead, PageItem, PageMessage
from ..render.page_html import PAGE_START, page_html
from ..render.page_markdown import page_markdown
from ..render.totals import cost_words, usage_words
from .finding import find_transcript
from .page_items import page_source
from .transcript_reading import LoadedTranscript

ExportFormat = Literal["html", "markdown"]

_RENDERERS = {"html": page_html, "markdown": page_markdown}
SUFFIXES: dict[str, ExportFormat] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
PROMPT_CHARS = 120
START_BYTES = 4_000
_MARKDOWN_START = re.compile(r"# [^\n]*\n\n- session: `")


def export_transcript(source: str | os.PathLike[str], format: ExportFormat = "html") -> str:
    """The session of a transcript as a whole document of its own.

    HTML is one page that needs nothing beside it: no script, no network, images in it, calls folded, light and dark.
    Markdown is for code-hosting sites; images stand in it as words. What is secret here and now is taken out again,
    also where an older transcript still holds it.

    Args:
        source: a path, or whatever else :func:`resume_session` takes. The session may still run.
        format: ``html`` or ``markdown``.

    Raises:
        UsageError: no such session or format, or the file cannot be read.
    """
    return "".join(_pieces(source, format))


def save_export(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    format: ExportFormat | None = None,
    *,
    force: bool = False,
    notes: Sequence[str] = (),
) -> Path:
    """Write :func:`export_transcript` to ``target``, private to its owner, and return its path.

    Args:
        format: by the name of ``target`` when not given: ``.html`` or ``.md``.
        force: write over any file; else only over an earlier export.
        notes: what stands above the conversation, beside what the transcript says.

    Raises:
        UsageError: as there; a name that tells no format; another file of that name; or it
            cannot be written.
    """
    path = Path(target).expanduser().absolute()
    chosen = format or SUFFIXES.get(path.suffix.lower())
    if chosen is None:
        raise UsageError(f"{path.name}: say the format, html or markdown, or let the name end in .html or .md")
    if not force and path.is_file() and not _is_export(path):
        raise UsageError(
            f"{path} is there already, and no earlier export: choose another name, or have it written over "
            "(in a cell with --force, in Python with force=True)"
        )
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(_pieces(source, chosen, notes))
        os.replace(partial, path)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise UsageError(f"the export cannot be written: {problem}") from problem
    return path


def _is_export(path: Path) -> bool:
    """Whether the file begins as one of ours does; one that cannot be read does not."""
    try:
        with path.open("rb") as file:
            start = file.read(START_BYTES).decode("utf-8", "replace")
    except OSError:
        return False
    return start.startswith(PAGE_START) or _MARKDOWN_START.match(start) is not None


def _pieces(source: str | os.PathLike[str], format: ExportFormat, notes: Sequence[str] = ()) -> Iterator[str]:
    if format not in get_args(ExportFormat):
        raise UsageError(f"format={format!r}: there are {' and '.join(get_args(ExportFormat))}")
    made_of = page_source(find_transcript(source))
    return _RENDERERS[format](_head(made_of.facts, made_of.items, notes), made_of.items)


def _head(loaded: LoadedTranscript, items: list[PageItem], notes: Sequence[str]) -> PageHead:
    turns = tuple(_prompt(item) for item in items if isinstance(item, PageMessage) and item.begins_turn)
    session_id = redact(loaded.session_id)
    title = loaded.name or (turns[0] if turns else "") or f"Session {session_id[:12]}"
    tokens = usage_words(loaded.usage)
    facts = {
        "session": session_id,
        "began": _time(loaded.created),
        "ended": _time(loaded.ended),
        "model": loaded.model,
        "folder": loaded.began_in or loaded.cwd,
        "permission mode": loaded.mode,
        "totals": ", ".join((count_of(len(turns), "turn"), count_of(loaded.calls, "call"), *filter(None, [tokens]))),
        "cost": "" if loaded.cost_usd is None else cost_words(loaded.cost_usd),
        "forked from": str((loaded.parent or {}).get("session_id", "")),
    }
    return PageHead(
        title, tuple((name, value) for name, value in facts.items() if value), (*notes, *loaded.notes), turns
    )


def _prompt(message: PageMessage) -> str:
    texts = [text for block in message.blocks if (text := getattr(block, "text", "")).strip()]
    return texts[-1][: 10 * PROMPT_CHARS] if texts else "(no text)"


def _time(seconds: float) -> str:
    if not seconds:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
