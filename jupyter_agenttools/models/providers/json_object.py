"""When is the JSON object that a model writes piece by piece complete?"""

from __future__ import annotations

import json
import re
from typing import Any

_TELLING = re.compile(r'["\\{}\[\]]')
_END_OF_TEXT = re.compile(r'["\\]')
_BLANK = " \t\r\n"


class JsonObjectScanner:
    """Follows the brackets of one JSON object while its text comes in pieces, each character once.

    It only finds the end; whether what lies before it is JSON is up to :func:`read_object`.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._depth = 0
        self._in_text = False
        self._skip = False
        self._other = False  # something else than an object: only the end of the stream shows what
        self.complete = False
        """Whether the object has been closed. What comes behind is kept, but no longer looked at."""

    @property
    def text(self) -> str:
        """Everything that came."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def is_open(self) -> bool:
        """Whether the object has begun and is not complete yet."""
        return self._depth > 0

    def feed(self, piece: str) -> bool:
        """Take the next piece. Whether the object became complete with it."""
        self._pieces.append(piece)
        place = 0
        if not self._depth and not self.complete:
            place = len(piece) - len(piece.lstrip(_BLANK))
            self._other |= place < len(piece) and piece[place] != "{"
        if self.complete or self._other:
            return False
        while (place := self._step(piece, place)) >= 0:
            if self._depth == 0 and not self._in_text:
                self.complete = True
                return True
        return False

    def _step(self, piece: str, place: int) -> int:
        """Go to the next character that tells something; the place behind it, -1 when there is none."""
        if self._skip and place < len(piece):
            self._skip = False
            return self._step(piece, place + 1)
        found = (_END_OF_TEXT if self._in_text else _TELLING).search(piece, place)
        if found is None:
            return -1
        sign = found.group()
        if sign == '"':
            self._in_text = not self._in_text
        elif sign == "\\":
            self._skip = self._in_text
        else:
            self._depth += 1 if sign in "{[" else -1
        return found.end()


def read_object(text: str) -> dict[str, Any]:
    """The object in ``text``. No text at all is an empty one; an object that was encoded twice is decoded twice.

    Raises:
        ValueError: it is no JSON object; says why, and where.
    """
    if not text.strip():
        return {}
    value = _decode(text)
    if isinstance(value, str) and value.lstrip(_BLANK).startswith("{"):
        value = _decode(value)
    if not isinstance(value, dict):
        raise ValueError(f"a JSON object is needed, not {_kind_of(value)}")
    return value


def _decode(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON value")


def _kind_of(value: Any) -> str:
    return {str: "a text", list: "an array", bool: "a boolean", type(None): "null"}.get(type(value), "a number")
