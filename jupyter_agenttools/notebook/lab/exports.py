"""A session written to a file because a person wants it in a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ...core.errors import UsageError
from ...core.texts import numbered
from ...render.chars import visible
from ...session.export import SUFFIXES, ExportFormat, save_export
from .shelf import transcript_of

if TYPE_CHECKING:
    from ...session import Session

FORMATS = {format: suffix for suffix, format in reversed(SUFFIXES.items())}
"""With the suffix of each that is named first."""
ID_CHARS = 12


def export_session(session: Session, args: Mapping[str, Any]) -> dict[str, Any]:
    """Write a session to a new file in the folder of the kernel's session, as ``%agent export`` does. For a worker
    thread.

    Args:
        args: ``session``, an id, and ``format``, ``html`` or ``markdown``.

    Raises:
        UsageError: no such session or format, or the file cannot be written.
    """
    format = args.get("format")
    if format not in get_args(ExportFormat):
        raise UsageError(f"there are the formats {' and '.join(get_args(ExportFormat))}")
    source = transcript_of(session, str(args.get("session", "")))
    if not source.exists():
        raise UsageError("nothing was said or called in this session yet")
    target = _free(Path(session.cwd), f"session-{source.parent.name[:ID_CHARS]}", FORMATS[format])
    lost = session.transcript.fault_words if source == session.transcript.path else ""
    path = save_export(source, target, format, notes=[lost] if lost else [])
    return {"path": visible(str(path))}


def _free(folder: Path, stem: str, suffix: str) -> Path:
    """A name that no file has: an earlier export may have been sent or changed by hand."""
    paths = (folder / f"{name}{suffix}" for name in numbered(stem))
    return next(path for path in paths if not path.exists())
