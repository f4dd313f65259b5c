"""A notebook file as bytes with known positions: what an edit starts from."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from ...core.errors import ToolValidationError
from ..encoding import text_format, visible
from .spans import Member, Span, array_items, notebook_parts, object_members, skip_space

HOW_TO_CONVERT = "jupyter nbconvert --to notebook --nbformat 4 --inplace FILE"
FIRST_MINOR_WITH_IDS = 5
"""Cell ids came with nbformat 4.5."""

SOMETHING = ("…",)
"""Stands for outputs that were not decoded."""

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_STRING_OR_ODD_NUMBER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|NaN|Infinity', re.DOTALL)
_ZEROS = {b"NaN": b"0.0", b"Infinity": b"0.000000"}
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class NotebookDocument:
    """A notebook of format 4 whose JSON has been checked.

    Args:
        path: for messages.
        data: all bytes of the file.
        text: the same length, with what msgspec refuses and notebooks do hold made harmless: half characters, and
            numbers that JSON does not have. Only positions are taken from it.
        has_odd_numbers: there are such numbers in it.
        minor: minor version of the format.
        members: of the notebook object.
        cells_span: the ``[…]`` of the cells.
        cells: each cell's ``{…}``.
    """

    path: str
    data: bytes
    text: bytes
    minor: int
    members: tuple[Member, ...]
    cells_span: Span
    cells: tuple[Span, ...]
    has_odd_numbers: bool = False

    @property
    def has_ids(self) -> bool:
        """Whether cells of this format carry ids."""
        return self.minor >= FIRST_MINOR_WITH_IDS

    def cell(self, index: int) -> dict[str, Any]:
        """The decoded cell at ``index``, ``{}`` when it is no object.

        Outputs can be large and are never needed in full: :data:`SOMETHING` stands for them.
        """
        span = self.cells[index]
        if self.data[span.start : span.start + 1] != b"{":
            return {}
        try:
            members = self.cell_members(index)
        except ToolValidationError:  # a key twice
            return json.loads(self.data[span.start : span.end].decode())
        return {m.key: self._value(m) for m in members}

    def _value(self, member: Member) -> Any:
        if member.key == "outputs" and self.data[member.start : member.start + 1] == b"[":
            is_empty = self.data[skip_space(self.data, member.start + 1)] == ord("]")
            return [] if is_empty else SOMETHING
        return json.loads(self.data[member.start : member.end].decode())

    def cell_members(self, index: int) -> list[Member]:
        """The positions of the fields of the cell at ``index``."""
        span, known = self.cells[index], self._known_members
        if self.data[span.start : span.start + 1] != b"{":
            _refuse(self.path, f"cell {index} is not an object", "notebook-bad-cell")
        if index not in known:
            known[index] = object_members(self.text, span)
        return known[index]

    @cached_property
    def _known_members(self) -> dict[int, list[Member]]:
        return {}

    @cached_property
    def identities(self) -> tuple[tuple[str | None, str | None], ...]:
        """For each cell its id, and the id that Colab keeps in its metadata."""
        from .shapes import identities_of

        return identities_of(self.text, self.cells_span, self.cells)

    @cached_property
    def language(self) -> str:
        """The language of the code cells, ``python`` when the file does not say."""
        metadata = self._top("metadata")
        for section, key in (("language_info", "name"), ("kernelspec", "language")):
            inner = metadata.get(section) if isinstance(metadata, dict) else None
            if isinstance(inner, dict) and isinstance(inner.get(key), str):
                return inner[key]
        return "python"

    def _top(self, key: str) -> Any:
        member = next((m for m in self.members if m.key == key), None)
        return None if member is None else json.loads(self.data[member.start : member.end].decode())


def open_notebook(path: str, data: bytes) -> NotebookDocument:
    """The notebook in ``data``, ready to be edited.

    Raises:
        ToolValidationError: these bytes cannot be edited safely; says why and what to do.
    """
    form = text_format(data[:4])
    if form.encoding != "utf-8" or not is_utf8(data):
        _refuse(path, f"it is {_encoding_problem(data)}, and editing it would change other bytes", "notebook-not-utf8")
    text, members, spans = _notebook_parts(path, data, len(form.mark))
    minor = _require_format(path, data, members)
    cells = next((m for m in members if m.key == "cells"), None)
    if cells is None or data[cells.start : cells.start + 1] != b"[":
        _refuse(path, "its `cells` are not a list", "notebook-not-a-notebook")
    spans = array_items(text, cells.value) if spans is None else spans
    is_odd = text is not data and _without_odd_numbers(data) is not data
    return NotebookDocument(path, data, text, minor, tuple(members), cells.value, tuple(spans), is_odd)


def _notebook_parts(path: str, data: bytes, start: int) -> tuple[bytes, list[Member], list[Span] | None]:
    """The text to take positions from, the notebook's fields, and its cells where they were found on the way."""
    import msgspec

    problem = ""
    for text in _readable(data):
        begin = skip_space(text, start)
        if (parts := notebook_parts(text, begin)) is not None:
            return text, *parts
        try:
            return text, object_members(text, Span(begin, len(text))), None
        except msgspec.ValidationError:
            _refuse(path, "it is JSON, but not an object", "notebook-not-a-notebook")
        except (msgspec.DecodeError, RecursionError) as error:
            problem = str(error)
    _refuse(path, json_problem(data[start:]) or f"its JSON cannot be used: {problem}", "notebook-not-json")


def _readable(data: bytes) -> Iterator[bytes]:
    yield data
    harmless = _SURROGATE_ESCAPE.sub(rb"\\ufffd", data)
    if harmless != data:
        yield harmless
    finite = _without_odd_numbers(harmless)
    if finite is not harmless and json_problem(data) is None:
        yield finite


def _without_odd_numbers(data: bytes) -> bytes:
    """``data`` with ``NaN`` and ``Infinity``, which Python writes and reads and JSON does not have, as zeros."""
    if b"NaN" not in data and b"Infinity" not in data:
        return data
    finite = _STRING_OR_ODD_NUMBER.sub(lambda found: _ZEROS.get(found[0], found[0]), data)
    return data if finite == data else finite


def _require_format(path: str, data: bytes, members: Sequence[Member]) -> int:
    versions = {m.key: json.loads(data[m.start : m.end]) for m in members if m.key in ("nbformat", "nbformat_minor")}
    major, minor = versions.get("nbformat"), versions.get("nbformat_minor", 0)
    if type(major) is not int or type(minor) is not int:
        _refuse(path, "it is JSON, but has no number `nbformat`, so it is not a notebook", "notebook-not-a-notebook")
    if major < 4:
        why = f"it has format {major}, and editing it would rewrite the whole file. Convert it first: {HOW_TO_CONVERT}"
        _refuse(path, why, "notebook-old-format")
    if major > 4:
        _refuse(path, f"it has format {major}, which is not known here (formats up to 4 are)", "notebook-new-format")
    return minor


def _refuse(path: str, why: str, check_id: str) -> NoReturn:
    raise ToolValidationError(
        f"{path} cannot be edited as a notebook: {why}. The file was not changed", check_id=check_id
    )


def is_utf8(data: bytes) -> bool:
    """Whether all of ``data`` is UTF-8; decoded piece by piece, so that large files take no extra memory."""
    if data.isascii():
        return True
    decoder, view = codecs.getincrementaldecoder("utf-8")(), memoryview(data)
    try:
        for start in range(0, len(data), _PIECE_BYTES):
            decoder.decode(view[start : start + _PIECE_BYTES], start + _PIECE_BYTES >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _encoding_problem(data: bytes) -> str:
    form = text_format(data[:4])
    if form.encoding != "utf-8":
        return f"{form.encoding} text, and a notebook is UTF-8"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return f"not UTF-8 (byte 0x{data[error.start]:02x} in line {line}, byte {error.start:,})"
    return "not UTF-8"


def json_problem(data: bytes) -> str | None:
    """What is wrong with ``data`` as JSON, with the place; ``None`` when Python reads it."""
    try:
        json.loads(data.decode("utf-8-sig", "backslashreplace"))
    except json.JSONDecodeError as error:
        return (
            f"it is not valid JSON: {error.msg} at line {error.lineno} column {error.colno} (character {error.pos:,})"
        )
    except ValueError as error:
        return f"it is not valid JSON: {visible(str(error))}"
    except RecursionError:
        return "its JSON is nested too deeply"
    return None
