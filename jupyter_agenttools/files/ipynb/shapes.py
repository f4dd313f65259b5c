"""The few parts of a notebook that msgspec is asked for, the rest being checked and passed over.

Imports msgspec, so it is itself imported only once a notebook is opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from .spans import Span

Identity = tuple[str | None, str | None]
"""A cell's own id, and the one that Colab keeps in its metadata."""

LARGE_CELL_BYTES = 4_096
"""Cells that are larger than this on average are worth a look at their beginnings alone."""

_HEAD = re.compile(
    rb"""\{\s*"cell_type"\s*:\s*"[a-z]+"\s*,\s*(?:"execution_count"\s*:\s*(?:null|[0-9]+)\s*,\s*)?"""
    rb""""id"\s*:\s*"([\w-]+)"\s*,\s*"metadata"\s*:\s*\{\s*\}"""
)


class NotebookShape(msgspec.Struct):
    """The notebook object: each cell as its bytes, and what else usually stands beside the cells."""

    cells: list[msgspec.Raw]
    metadata: msgspec.Raw = msgspec.Raw()
    nbformat: msgspec.Raw = msgspec.Raw()
    nbformat_minor: msgspec.Raw = msgspec.Raw()


class _Metadata(msgspec.Struct):
    id: Any = None


class CellShape(msgspec.Struct):
    """What a cell is called: by its own id, and by the one that Colab keeps in the metadata."""

    id: Any = None
    metadata: _Metadata | None = None

    @property
    def identity(self) -> Identity:
        return text_or_none(self.id), text_or_none(self.metadata.id if self.metadata else None)


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def identities_of(
    text: bytes, array: Span, cells: Sequence[Span], large_cell_bytes: int = LARGE_CELL_BYTES
) -> tuple[Identity, ...]:
    """The identity of each of ``cells``, which are the items of ``array``; a cell that is no object has none."""
    view = memoryview(text)
    if len(cells) * large_cell_bytes < array.end - array.start:
        return tuple(_by_head(text, span) or _identity(view[span.start : span.end]) for span in cells)
    try:
        found = msgspec.json.decode(view[array.start : array.end], type=list[CellShape])
        return tuple(cell.identity for cell in found)
    except msgspec.ValidationError:  # something in it is not what it should be: one by one, then
        return tuple(_identity(view[span.start : span.end]) for span in cells)


def _by_head(text: bytes, span: Span) -> Identity | None:
    """The identity of a cell that begins as Jupyter writes it, without a look at its outputs."""
    found = _HEAD.match(text, span.start, span.end)
    return (found[1].decode(), None) if found else None


def _identity(cell: memoryview) -> Identity:
    try:
        return msgspec.json.decode(cell, type=CellShape).identity
    except msgspec.ValidationError:
        pass
    try:
        fields = msgspec.json.decode(cell, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        return None, None
    own = msgspec.json.decode(fields["id"]) if "id" in fields else None
    metadata = msgspec.json.decode(fields["metadata"]) if "metadata" in fields else None
    colab = metadata.get("id") if isinstance(metadata, dict) else None
    return text_or_none(own), text_or_none(colab)
