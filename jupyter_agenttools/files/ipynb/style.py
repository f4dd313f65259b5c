"""How does this file write its JSON: escapes, indentation, lists?

New bytes are written the way the bytes around them are, so that a diff shows the change and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .document import NotebookDocument
from .spans import Span

_ESCAPE = re.compile(r"\\(?:\\|u[0-9a-f]{4})")
_HIGH_ESCAPE = re.compile(rb"\\u(?!00[0-7])([0-9a-fA-F]{4})")
_UNIT = re.compile(rb"(?:\r\n|\n|\r)([ \t]*)\Z")


@dataclass(frozen=True)
class EscapeStyle:
    """Which characters are escaped in strings beyond those that must be.

    Args:
        ascii_only: characters above U+007F are written ``\\uXXXX``.
        upper: with capital hex digits.
        slash: ``/`` is written ``\\/``.
    """

    ascii_only: bool = False
    upper: bool = False
    slash: bool = False

    def literal(self, text: str) -> bytes:
        """The JSON string of ``text``."""
        written = json.dumps(text, ensure_ascii=self.ascii_only)
        if self.upper:
            written = _ESCAPE.sub(lambda found: found[0][:2] + found[0][2:].upper(), written)
        if self.slash:
            written = written.replace("/", "\\/")
        return written.encode()


def escape_style(data: bytes, cell: Span, text: str) -> EscapeStyle:
    """How ``text`` is to be written in the cell at ``cell``: like its strings, else like those of the whole file.

    The file is only looked through for what ``text`` makes a difference for.
    """
    near = data[cell.start : cell.end]
    sample = None
    if not text.isascii() and near.isascii():
        sample = _unicode_escape(near)
        if sample is None and data.isascii():
            sample = _unicode_escape(data)
    slash = "/" in text and _has_escape(near if b"/" in near else data, b"\\/")
    return EscapeStyle(sample is not None, sample is not None and sample != sample.lower(), slash)


def _unicode_escape(data: bytes) -> bytes | None:
    """The hex digits of an escape that was not necessary: of a character that could have stood there itself.

    Control characters must be escaped, and half characters cannot be written otherwise: they say nothing of a style.
    """
    for found in _HIGH_ESCAPE.finditer(data):
        if _is_escape(data, found.start()) and not _is_lone_half(data, found.start()):
            return found[1]
    return None


def _is_lone_half(data: bytes, position: int) -> bool:
    value = int(data[position + 2 : position + 6], 16)
    if 0xDC00 <= value <= 0xDFFF:
        return True  # the second half of a pair was skipped together with its first
    return 0xD800 <= value <= 0xDBFF and data[position + 6 : position + 9].lower() not in (b"\\ud",)


def _has_escape(data: bytes, escape: bytes) -> bool:
    position = data.find(escape)
    while position >= 0:
        if _is_escape(data, position):
            return True
        position = data.find(escape, position + 1)
    return False


def _is_escape(data: bytes, position: int) -> bool:
    """Whether the backslash at ``position`` begins an escape, and is not the second half of ``\\\\``."""
    start = position
    while start and data[start - 1 : start] == b"\\":
        start -= 1
    return (position - start) % 2 == 0


@dataclass(frozen=True)
class ListStyle:
    """The bytes around the items of a list: after ``[``, between two items, before ``]``."""

    opening: bytes
    separator: bytes
    closing: bytes

    def written(self, items: list[bytes]) -> bytes:
        if not items:
            return b"[]"
        return b"[" + self.opening + self.separator.join(items) + self.closing + b"]"


@dataclass(frozen=True)
class Layout:
    """How objects and lists are laid out in this file.

    Args:
        cell_gap: what stands before each cell, e.g. a line feed and two spaces; ``b""`` or a space in one-line files.
        key_gap: what stands before each key of a cell.
        unit: what one level adds to an indentation; ``b""`` where nothing is indented.
        outer_gap: what stands before the ``]`` of the cells.
        colon: what stands between a key and its value.
    """

    cell_gap: bytes
    key_gap: bytes
    unit: bytes
    outer_gap: bytes
    colon: bytes

    @property
    def is_inline(self) -> bool:
        return b"\n" not in self.key_gap and b"\r" not in self.key_gap

    @property
    def field_separator(self) -> bytes:
        """What stands between two fields of a cell."""
        return b"," + (self.key_gap or self._inline_space)

    @property
    def cell_separator(self) -> bytes:
        """What stands between two cells."""
        return b"," + (self.cell_gap or self._inline_space)

    @property
    def inline_separator(self) -> bytes:
        """What stands between two values on one line."""
        return b"," + self._inline_space

    @property
    def _inline_space(self) -> bytes:
        return b"" if self.colon == b":" else b" "

    def list_style(self) -> ListStyle:
        """How a list that is a cell's value is written, where none can be looked at."""
        if self.is_inline:
            return ListStyle(b"", self.inline_separator, b"")
        inner = self.key_gap + self.unit
        return ListStyle(inner, b"," + inner, self.key_gap)


def layout_of(document: NotebookDocument) -> Layout:
    """The layout of this file, taken from its first cell, or from the notebook object when there is no cell."""
    text, top = document.text, document.members[0]
    outer = text[text.index(b"{") + 1 : top.key_start]
    unit_found = _UNIT.search(outer)
    unit = unit_found[1] if unit_found else b""
    colon = text[top.key_end : top.start]
    if not document.cells:
        deeper = outer + unit if unit_found else b""
        return Layout(deeper, deeper + unit, unit, outer if unit_found else b"", colon)
    members = document.cell_members(0)
    first, last = document.cells[0], document.cells[-1]
    cell_gap = text[document.cells_span.start + 1 : first.start]
    key_gap = text[first.start + 1 : members[0].key_start] if members else cell_gap + unit
    return Layout(cell_gap, key_gap, unit, text[last.end : document.cells_span.end - 1], colon)


def list_style(text: bytes, span: Span, items: Sequence[Span], layout: Layout) -> ListStyle:
    """How the list at ``span`` with these items is written; what it does not show comes from ``layout``."""
    if not items:
        return layout.list_style()
    opening = text[span.start + 1 : items[0].start]
    closing = text[items[-1].end : span.end - 1]
    if len(items) > 1:
        return ListStyle(opening, text[items[0].end : items[1].start], closing)
    if b"\n" in opening or b"\r" in opening:
        return ListStyle(opening, b"," + opening, closing)
    return ListStyle(opening, layout.inline_separator, closing)
