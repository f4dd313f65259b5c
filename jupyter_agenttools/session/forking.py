"""A new session out of another one's conversation, up to a message of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..core.errors import UsageError
from .finding import find_transcript
from .naming import MAX_NAME_CHARS
from .resume import session_like
from .session import Session
from .transcript_reading import LoadedTranscript, load_transcript, sound_messages


def fork_session(
    source: str | os.PathLike[str] | Session = "last",
    *,
    upto: int | None = None,
    make: Callable[..., Session] = Session,
    **session_arguments: Any,
) -> Session:
    """A new session, with an id, a folder and a transcript of its own, that begins with the conversation of ``source``.

    That one stays as it is, and may run. What holds for the rights of :func:`resume_session` holds here too.

    Args:
        source: as for :func:`resume_session`; also a session.
        upto: how many of the messages are taken over, all by default. A call whose result is not among them is said to
            have been interrupted.
        make, session_arguments: as for :func:`resume_session`; its name says that it is a fork.

    Raises:
        UsageError: no such session, or several; a number of messages that it does not have.
    """
    loaded = load_transcript(find_transcript(source))
    part = first_messages(loaded, upto)
    session_arguments.setdefault("name", f"fork of {loaded.name}"[:MAX_NAME_CHARS] if loaded.name else "")
    session, notes = session_like(part, make, session_arguments)
    session.parent = {
        "session_id": loaded.session_id,
        "path": str(loaded.path),
        "messages": len(loaded.messages) if upto is None else upto,
    }
    for message in part.messages:
        session.transcript.on_message(message)
    session.resume_notes = (*part.notes, *notes)
    return session


def first_messages(loaded: LoadedTranscript, upto: int | None) -> LoadedTranscript:
    """What ``loaded`` would be if its conversation had ended after ``upto`` messages.

    Raises:
        UsageError: it has not so many.
    """
    count = len(loaded.messages)
    if upto is None or upto == count:
        return loaded
    if not isinstance(upto, int) or not 0 <= upto <= count:
        raise UsageError(f"upto={upto!r}: the conversation has {count} messages; give a number from 0 to {count}")
    messages, repairs = sound_messages(loaded.messages[:upto], {})
    left = {name: value for name, value in loaded.app_state.items() if name != "todos"}
    notes = (
        *loaded.notes,
        *repairs,
        *(["the todo list is of a later moment and was left out"] if loaded.todos else []),
    )
    return replace(loaded, messages=messages, recorded=messages, app_state=left, notes=notes)
