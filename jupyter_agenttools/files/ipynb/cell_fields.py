"""The fields of one cell as pieces of bytes that can be replaced, dropped or added."""

from __future__ import annotations

import json
from collections.abc import Mapping

from .document import NotebookDocument
from .style import layout_of


class CellFields:
    """The fields of the cell at ``index``, each with the bytes in front of it.

    Args:
        values: new JSON values of some fields, by key.
    """

    def __init__(self, document: NotebookDocument, index: int, values: Mapping[str, bytes]) -> None:
        data, span = document.data, document.cells[index]
        self._layout = layout_of(document)
        self._parts: list[tuple[str, bytes, bytes]] = []
        position = span.start
        for member in document.cell_members(index):
            value = values.get(member.key, data[member.start : member.end])
            field = data[member.key_start : member.start] + value
            self._parts.append((member.key, data[position : member.key_start], field))
            position = member.end
        self._end = data[position : span.end]

    def replace(self, key: str, value: bytes) -> None:
        """Give an existing field another value."""
        at = self._position(key)
        self._parts[at] = (key, self._parts[at][1], self._field(key, value))

    def drop(self, key: str) -> None:
        """Take a field out, if it is there."""
        if not self._has(key):
            return
        at = self._position(key)
        _, gap, _ = self._parts.pop(at)
        if at == 0 and self._parts:
            following, _, field = self._parts[0]
            self._parts[0] = (following, gap, field)

    def add_after(self, key: str, preceding: str, value: bytes) -> None:
        """Add a field behind another one, if it is not there yet."""
        if not self._has(key):
            self._parts.insert(self._position(preceding) + 1, (key, self._gap(), self._field(key, value)))

    def joined(self) -> bytes:
        """The bytes of the whole cell."""
        return b"".join(gap + field for _, gap, field in self._parts) + self._end

    def without_outputs(self) -> bytes:
        """The same as JSON with an empty list of outputs, if there is one: outputs can be large."""
        fields = (self._field(key, b"[]") if key == "outputs" else field for key, _, field in self._parts)
        return b"{" + b",".join(fields) + b"}"

    def _field(self, key: str, value: bytes) -> bytes:
        return json.dumps(key).encode() + self._layout.colon + value

    def _gap(self) -> bytes:
        return self._parts[1][1] if len(self._parts) > 1 else self._layout.field_separator

    def _has(self, key: str) -> bool:
        return any(part[0] == key for part in self._parts)

    def _position(self, key: str) -> int:
        return next(i for i, part in enumerate(self._parts) if part[0] == key)
