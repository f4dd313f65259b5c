"""Ids of calls that no other call of the session has."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace

from ..core.blocks import Message, ToolUse

MAX_ID_CHARS = 40
"""OpenAI refuses a longer id."""

_PORTABLE = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_ID_CHARS}}}")
"""What every provider takes. Anthropic refuses other signs, which some models write (``functions.Read:0``), and with
them the whole conversation once it goes on with another model."""

_HASH_CHARS = 8


def portable_id(id: str) -> str:
    """The id in a form that every provider takes, always the same for the same id."""
    if _PORTABLE.fullmatch(id):
        return id
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", id)[: MAX_ID_CHARS - _HASH_CHARS - 1] or "call"
    return f"{plain}-{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:_HASH_CHARS]}"


class UseIds:
    """Knows the id of every call that was ever asked for in a session.

    Some providers count from ``call_0`` again in each answer. Results, files and what stands for an old result are
    found by the id, so it has to mean one call for as long as the session lives, also when the conversation was
    shortened since.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()

    def note(self, messages: Iterable[Message], others: Iterable[str] = ()) -> None:
        """These calls, and these ids, are there already."""
        self._used.update(use.id for message in messages for use in message.tool_uses)
        self._used.update(others)

    def own(self, use: ToolUse) -> ToolUse:
        """The call under a portable id of its own: the one it has, or one made of it. From now on that is used."""
        id, number = portable_id(use.id), 1
        while id in self._used:
            number += 1
            id = portable_id(f"{use.id or 'call'}_{number}")
        self._used.add(id)
        return use if id == use.id else replace(use, id=id)
