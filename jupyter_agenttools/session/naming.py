"""What a person calls a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.errors import UsageError

if TYPE_CHECKING:
    from .session import Session

MAX_NAME_CHARS = 100


class SessionName:
    """The attribute ``session.name``: one line, ``""`` for none. A change of it is in the transcript."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = f"_{name}"

    def __get__(self, session: Session | None, owner: type) -> str:
        return "" if session is None else session.__dict__.get(self._key, "")

    def __set__(self, session: Session, name: str) -> None:
        name = checked_name(name)
        changed = name != session.__dict__.get(self._key, name)
        session.__dict__[self._key] = name
        if changed:
            session.transcript.keep_name(name)


def checked_name(name: str) -> str:
    """The name on one line.

    Raises:
        UsageError: it is no text, or too long.
    """
    if not isinstance(name, str):
        raise UsageError(f"the name of a session is a text, not {type(name).__name__}")
    line = " ".join(name.split())
    if len(line) > MAX_NAME_CHARS:
        raise UsageError(f"the name of a session has at most {MAX_NAME_CHARS} characters; this one has {len(line)}")
    return line
