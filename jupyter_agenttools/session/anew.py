"""Another conversation in a session that goes on: an empty one, or one of an earlier session.

Rights, tools, hooks, commands in the background and the history of files stay as they are. The conversation has an id,
a folder and a transcript of its own.
"""

from __future__ import annotations

import os
import uuid
from functools import partial
from pathlib import Path
from typing import Any

from ..core.context import RESULTS_FOLDER, ContextState
from ..core.errors import UsageError
from ..core.todos import with_todos
from ..files import FileStateCache
from ..results import ResultStore
from .finding import find_transcript, transcripts
from .paths import session_folder
from .resume import resume_session
from .session import Session
from .transcript import Transcript
from .transcript_file import is_held
from .transcript_head import session_head
from .transcript_lines import read_lines
from .transcript_reading import TRANSCRIPT_NAME, LoadedTranscript

LOOKED_AT = 200
"""So many of the newest sessions are looked at for one of a folder."""


async def begin_anew(session: Session) -> str:
    """Let the session hold an empty conversation from now on. Returns the id of the one before, which can be taken up.

    Raises:
        UsageError: something runs in the session.
    """
    before = session.id
    with session._activities.alone() as cancellation:
        await session.hook_events.begin_again("clear")
        session._activities.require_alone(cancellation)
        _move(session)
    return before


async def take_up(session: Session, source: str | os.PathLike[str]) -> tuple[str, ...]:
    """Let the session go on with the conversation of an earlier one. Returns what was left behind of that, in words.

    Args:
        source: as for :func:`.resume.resume_session`.

    Raises:
        UsageError: there is none such, it still runs somewhere, or something runs in this session.
    """
    path = find_transcript(source)
    if path == session.transcript.path:
        return ()
    with session._activities.alone() as cancellation:
        await session.hook_events.begin_again("resume")
        session._activities.require_alone(cancellation)  # whoever began meanwhile works on what was there
        try:
            resume_session(path, make=partial(_moved, session))
        except UsageError:
            if session.transcript.path == path:
                _move(session)  # nothing may be written where somebody else writes
            raise
    return session.resume_notes


def last_in(folder: str, running: list[Path] | None = None) -> Path | None:
    """The transcript of the last conversation that was held in this folder and is over, ``None`` when there is none.

    Args:
        running: the later ones of this folder that still run are put here.
    """
    wanted = os.path.realpath(folder)
    for path in transcripts()[:LOOKED_AT]:
        runs = is_held(path)
        if (runs and running is None) or not _is_conversation_in(path, wanted):
            continue
        if not runs:
            return path
        if running is not None:
            running.append(path)
    return None


def _is_conversation_in(path: Path, folder: str) -> bool:
    here = False
    try:
        for line in read_lines(path, only=("session", "message")):
            if line.kind == "message":
                return here
            here = os.path.realpath(line.text("cwd")) == folder
            if not here:
                return False
    except UsageError:
        return False
    return False


def _moved(session: Session, *, session_dir: Path, name: str = "", **_: Any) -> Session:
    _move(session, session_dir)
    session.name = name
    return session


def _move(session: Session, folder: Path | None = None) -> None:
    """An empty conversation in this folder, or in a new one."""
    session.observers.detach(session.transcript)
    session.transcript.close()
    session.id = uuid.uuid4().hex
    session.dir = folder or session_folder(session.id)
    session.parent, session.resume_notes = None, ()
    tell = partial(session.observers.emit, "on_transcript_fault")
    session.transcript = Transcript(session.dir / TRANSCRIPT_NAME, partial(session_head, session), tell)
    session.name = ""
    session.observers.attach(session.transcript)
    session._store = ResultStore(session.dir / RESULTS_FOLDER)
    session.restore(LoadedTranscript(session.transcript.path))
    session.modify_state(_without_todos)
    session.read_file_state = FileStateCache()
    session.outcomes.clear()


def _without_todos(state: ContextState) -> ContextState:
    return with_todos(state, None, ())
