"""Where in the bytes of a JSON text does each value stand?

msgspec checks the text and cuts it into values; this module walks along them and works out their positions. Nothing is
searched for: at each step the bytes must be exactly what is expected there, so that two equal cells cannot be mixed up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...core.errors import ToolValidationError

if TYPE_CHECKING:
    from msgspec import Raw

    from .shapes import NotebookShape

_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


class Span(NamedTuple):
    """From byte ``start`` up to, not including, byte ``end``."""

    start: int
    end: int


class Member(NamedTuple):
    """One ``"key": value`` of an object."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int

    @property
    def value(self) -> Span:
        return Span(self.start, self.end)


def spliced(data: bytes, span: Span, new: bytes) -> bytes:
    """``data`` with the bytes at ``span`` replaced; large data is copied once only."""
    view = memoryview(data)
    return b"".join((view[: span.start], new, view[span.end :]))


def object_members(text: bytes, span: Span) -> list[Member]:
    """The members of the object at ``span``, in order.

    Raises:
        ToolValidationError: it is not an object, not valid JSON, or has a key twice.
    """
    import msgspec

    values = msgspec.json.decode(memoryview(text)[span.start : span.end], type=dict[str, msgspec.Raw])
    members: list[Member] = []
    position = span.start + 1
    for key, value in values.items():
        key_start = skip_space(text, position)
        key_end = _end_of_key(text, key_start, key)
        start = skip_space(text, _expect(text, skip_space(text, key_end), b":"))
        end = _expect(text, start, value)
        members.append(Member(key, key_start, key_end, start, end))
        position = skip_space(text, end)
        position = _expect(text, position, b"," if len(members) < len(values) else b"}")
    return members


def array_items(text: bytes, span: Span) -> list[Span]:
    """The items of the array at ``span``, in order.

    Raises:
        ToolValidationError: it is not an array, or not valid JSON.
    """
    import msgspec

    values = msgspec.json.decode(memoryview(text)[span.start : span.end], type=list[msgspec.Raw])
    return list(_walk_items(text, span.start + 1, values))


def _walk_items(text: bytes, position: int, values: list[Raw]) -> Iterator[Span]:
    for number, value in enumerate(values, 1):
        start = skip_space(text, position)
        end = _expect(text, start, value)
        yield Span(start, end)
        position = _expect(text, skip_space(text, end), b"," if number < len(values) else b"]")


def notebook_parts(text: bytes, start: int) -> tuple[list[Member], list[Span]] | None:
    """The members of the notebook object that begins at ``start`` and its cells, found in one pass over the bytes.

    ``None`` where the notebook is not of the usual kind: :func:`object_members` and :func:`array_items` then say what
    it is.
    """
    import msgspec

    from .shapes import NotebookShape

    try:
        shape = msgspec.json.decode(memoryview(text)[start:], type=NotebookShape)
        return _walk_notebook(text, start + 1, shape)
    except (msgspec.DecodeError, RecursionError, ToolValidationError):
        return None


def _walk_notebook(text: bytes, position: int, shape: NotebookShape) -> tuple[list[Member], list[Span]] | None:
    members: list[Member] = []
    cells: list[Span] = []
    while True:
        key_start = skip_space(text, position)
        found = _STRING.match(text, key_start)
        key = json.loads(found[0]) if found else None
        if found is None or key not in shape.__struct_fields__ or any(member.key == key for member in members):
            return None
        start = skip_space(text, _expect(text, skip_space(text, found.end()), b":"))
        if key == "cells":
            cells, end = _walk_cells(text, start, shape.cells)
        else:
            end = _expect(text, start, getattr(shape, key))
        members.append(Member(key, key_start, found.end(), start, end))
        position = skip_space(text, end)
        if text.startswith(b"}", position):
            return members, cells
        position = _expect(text, position, b",")


def _walk_cells(text: bytes, start: int, values: list[Raw]) -> tuple[list[Span], int]:
    cells = list(_walk_items(text, start + 1, values))
    end = _expect(text, skip_space(text, cells[-1].end if cells else start + 1), b"]")
    return cells, end


def skip_space(text: bytes, position: int) -> int:
    """The position of the first byte at or after ``position`` that is not JSON white space."""
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _end_of_key(text: bytes, position: int, key: str) -> int:
    found = _STRING.match(text, position)
    if found is None or json.loads(found[0]) != key:
        raise _twice(position)
    return found.end()


def _expect(text: bytes, position: int, expected: bytes | Raw) -> int:
    if not text.startswith(memoryview(expected), position):
        raise _twice(position)
    return position + memoryview(expected).nbytes


def _twice(position: int) -> ToolValidationError:
    return ToolValidationError(
        f"the JSON object near byte {position:,} has the same key twice, so it is not clear which value counts; "
        "nothing was changed. Save the notebook once in Jupyter, which keeps one of them",
        check_id="notebook-duplicate-key",
    )
