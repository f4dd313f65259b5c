"""A session written to a file because a person wants it in a page."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import UsageError
from ...render.chars import visible
from ...session import save_export
from .shelf import transcript_of

if TYPE_CHECKING:
    from ...session import Session
    from ...session.export import ExportFormat

FORMATS: Mapping[str, tuple[ExportFormat, str]] = {"html": ("html", ".html"), "markdown": ("markdown", ".md")}
ID_CHARS = 12


def export_session(session: Session, args: Mapping[str, Any]) -> dict[str, Any]:
    """Write a session to a new file in the folder of the kernel's session, as ``%agent export`` does. For a worker
    thread.

    Args:
        args: ``session``, an id, and ``format``, ``html`` or ``markdown``.

    Raises:
        UsageError: no such session or format, or the file cannot be written.
    """
    chosen = FORMATS.get(str(args.get("format", "")))
    if chosen is None:
        raise UsageError(f"there are the formats {' and '.join(FORMATS)}")
    format, suffix = chosen
    source = transcript_of(session, str(args.get("session", "")))
    if not source.exists():
        raise UsageError("nothing was said or called in this session yet")
    target = _free(Path(session.cwd), f"session-{source.parent.name[:ID_CHARS]}", suffix)
    lost = session.transcript.fault_words if source == session.transcript.path else ""
    path = save_export(source, target, format, notes=[lost] if lost else [])
    return {"path": visible(str(path))}


def _free(folder: Path, stem: str, suffix: str) -> Path:
    """A name that no file has: an earlier export may have been sent or changed by hand."""
    names = (f"{stem}{f'-{number}' * (number > 1)}{suffix}" for number in count(1))
    return next(path for name in names if not (path := folder / name).exists())
