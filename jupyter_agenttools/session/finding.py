"""Which session does a person mean? Transcripts on disk, by id, by name, by path, or the last one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import UsageError
from .paths import sessions_folder
from .transcript_file import is_held
from .transcript_lines import read_lines
from .transcript_reading import TRANSCRIPT_NAME

if TYPE_CHECKING:
    from .session import Session

_ID = re.compile(r"[0-9a-f]{32}")
_ID_PREFIX = re.compile(r"[0-9a-f]{1,32}")
SHOWN_CHOICES = 10
NAMED_SESSIONS = 200
"""So many of the newest sessions are looked at for a name."""


def transcripts() -> list[Path]:
    """The transcripts of all sessions of this user, the one that was written to last first."""
    found: list[tuple[float, Path]] = []
    try:
        entries = list(os.scandir(sessions_folder()))
    except OSError:
        return []
    for entry in entries:
        if _ID.fullmatch(entry.name):
            path = Path(entry.path, TRANSCRIPT_NAME)
            try:
                found.append((path.stat().st_mtime, path))
            except OSError:
                continue
    return [path for _, path in sorted(found, reverse=True)]


def is_ours(path: Path) -> bool:
    """Whether the transcript lies where sessions of this user lie, and not somewhere else."""
    return path.resolve().parent.parent == sessions_folder().resolve()


def find_transcript(source: str | os.PathLike[str] | Session) -> Path:
    """The transcript that ``source`` means: ``last`` (the newest whose session is over), the beginning of an id, a
    name, the path of a transcript or of its folder, or a session.

    Raises:
        UsageError: it means none, or several; then they are listed.
    """
    transcript = getattr(source, "transcript", None)
    if transcript is not None:
        return transcript.path
    if not isinstance(source, (str, os.PathLike)) or not os.fspath(source):
        raise UsageError("say which session: `last`, the beginning of its id, its name, or the path of its transcript")
    text = os.fspath(source)
    if isinstance(source, os.PathLike) or "/" in text or text.endswith(".jsonl"):
        return _by_path(Path(text).expanduser().absolute())
    if text == "last":
        return _last()
    return _by_id_or_name(text)


def _by_path(path: Path) -> Path:
    file = path / TRANSCRIPT_NAME if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"there is no transcript at {file}")
    return file


def _last() -> Path:
    for path in transcripts():
        if not is_held(path):
            return path
    raise UsageError(f"there is no session that could be meant by `last` in {sessions_folder()}")


def _by_id_or_name(text: str) -> Path:
    known = transcripts()
    by_id = [path for path in known if path.parent.name.startswith(text)] if _ID_PREFIX.fullmatch(text) else []
    found = by_id or [path for path in known[:NAMED_SESSIONS] if _name_of(path).casefold() == text.casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        newest = "".join(f"\n  {line}" for line in _choices(known))
        raise UsageError(
            f"no session has an id that begins with {text!r}, or that name" + (f"; the newest:{newest}" * bool(known))
        )
    listed = "".join(f"\n  {line}" for line in _choices(found))
    raise UsageError(f"{text!r} may be one of {len(found)} sessions; give more of its id:{listed}")


def _choices(paths: list[Path]) -> Iterator[str]:
    for path in paths[:SHOWN_CHOICES]:
        name = _name_of(path)
        yield f"{path.parent.name[:12]}  {name}".rstrip()
    if len(paths) > SHOWN_CHOICES:
        yield f"… and {len(paths) - SHOWN_CHOICES} more"


def _name_of(path: Path) -> str:
    """The name that a session was given last, ``""`` for none."""
    name = ""
    try:
        for line in read_lines(path, only=("session", "resumed", "name")):
            if line.kind in ("session", "resumed", "name"):
                name = line.text("name") or ("" if line.kind == "name" else name)
    except UsageError:
        return ""
    return name
