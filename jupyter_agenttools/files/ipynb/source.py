"""Writing a cell's source in the form that it had: one string or a list, each unchanged line with its own bytes."""

from __future__ import annotations

import json
import re
from typing import Literal

from ...core.errors import ToolValidationError
from .spans import Span, array_items
from .style import EscapeStyle, Layout, list_style

SourceForm = Literal["string", "list"]
_TOKEN = re.compile(rb"\\u[0-9a-fA-F]{4}|\\.|[^\\]+", re.DOTALL)


def source_lines(text: str) -> list[str]:
    """The lines of a source, each with its line feed, the way Jupyter splits them."""
    lines = text.split("\n")
    return [*(line + "\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


def rewritten_source(
    data: bytes, text: bytes, span: Span, new_source: str, escapes: EscapeStyle, layout: Layout
) -> bytes:
    """The JSON value that replaces the source at ``span``.

    Args:
        data, text: the real bytes, and the same with surrogate escapes made harmless.

    Raises:
        ToolValidationError: the present value is neither text nor a list of texts.
    """
    opening = data[span.start : span.start + 1]
    if opening == b'"':
        known = _string_lines(data[span.start + 1 : span.end - 1])
        return b'"' + b"".join(_inner(line, known, escapes) for line in source_lines(new_source)) + b'"'
    if opening == b"[":
        items = array_items(text, span)
        literals = [data[item.start : item.end] for item in items]
        known = {line: literal[1:-1] for literal in literals if (line := _text_of(literal)) is not None}
        lines = [b'"' + _inner(line, known, escapes) + b'"' for line in source_lines(new_source)]
        return list_style(text, span, items, layout).written(lines)
    raise ToolValidationError(
        "the cell's source is neither text nor a list of texts; this cell cannot be edited here",
        check_id="notebook-bad-source",
    )


def new_source_value(source: str, form: SourceForm, escapes: EscapeStyle, layout: Layout) -> bytes:
    """The JSON value of the source of a new cell."""
    if form == "string":
        return escapes.literal(source)
    return layout.list_style().written([escapes.literal(line) for line in source_lines(source)])


def _inner(line: str, known: dict[str, bytes], escapes: EscapeStyle) -> bytes:
    """The bytes between the quotes: those that this very line had before, else newly written ones."""
    return known[line] if line in known else escapes.literal(line)[1:-1]


def _text_of(item: bytes) -> str | None:
    value = json.loads(item.decode())
    if not isinstance(value, str):
        raise ToolValidationError(
            "the cell's source list holds something that is not text; this cell cannot be edited here",
            check_id="notebook-bad-source",
        )
    return value


def _string_lines(inner: bytes) -> dict[str, bytes]:
    """The lines of a string literal (without its quotes), each with the bytes that spell it."""
    lines: dict[str, bytes] = {}
    start = 0
    for token in _TOKEN.finditer(inner):
        if token[0] in (b"\\n", b"\\u000a", b"\\u000A"):
            lines.update(_spelled(inner[start : token.end()]))
            start = token.end()
    lines.update(_spelled(inner[start:]))
    return lines


def _spelled(literal: bytes) -> dict[str, bytes]:
    return {json.loads(b'"' + literal + b'"'): literal}
