"""Underlining places in lines that are already HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGN = re.compile(r"(<[^>]*>)|(&[^;\s]{1,10};|.)", re.DOTALL)


def underlined(lines: Sequence[str], raw: Sequence[str], marks: Sequence[tuple[int, int]]) -> list[str]:
    """The lines with every marked place inside of ``<u>``.

    Args:
        lines: HTML, one for each of ``raw``. raw: the same lines as plain text.
        marks: characters ``[start, end)`` of the plain text, its line breaks counted.
    """
    shown, at = [], 0
    for line, plain in zip(lines, raw, strict=True):
        inside = [(max(0, start - at), min(len(plain), end - at)) for start, end in marks]
        inside = [(start, end) for start, end in inside if start < end]
        shown.append(_underline(line, len(plain), inside) if inside else line)
        at += len(plain) + 1
    return shown


def _underline(line: str, length: int, spans: Sequence[tuple[int, int]]) -> str:
    parts: list[str] = []
    at, is_open = 0, False
    for tag, sign in _SIGN.findall(line):
        wanted = bool(sign) and any(start <= at < end for start, end in spans)
        if wanted != is_open:
            parts.append('<u class="agt-mark">' if wanted else "</u>")
            is_open = wanted
        parts.append(tag or sign)
        at += bool(sign)
    parts.append("</u>" if is_open else "")
    return "".join(parts) if at == length else line
