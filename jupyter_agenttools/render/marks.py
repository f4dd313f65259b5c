"""Marked places in lines of code: what a search found, or why a command has to be asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .chars import escape, visible
from .limits import Kept

Spans = Sequence[tuple[int, int]]
Mark = tuple[int, int, int]

_SIGN = re.compile(r"(<[^>]*>)|(&[^;\s]{1,10};|.)", re.DOTALL)


def with_marks(rendered: Sequence[str], kept: Kept, marks: Sequence[Mark]) -> list[str]:
    """The lines with every marked place inside of ``<mark>``, which stands out without colour as well.

    Args:
        rendered: HTML, one line for each of the kept ones.
        marks: ``(line, start, end)`` as in :class:`~jupyter_agenttools.core.views.CodeBlockView`.
    """
    shown = list(rendered)
    for at, spans in marks_by_line(marks, kept).items():
        shown[at] = _marked(shown[at], kept.lines[at], spans)
    return shown


def marks_by_line(marks: Sequence[Mark], kept: Kept) -> dict[int, list[tuple[int, int]]]:
    """Marks by the place of their line among the kept ones."""
    found: dict[int, list[tuple[int, int]]] = {}
    for line, start, end in marks:
        at = line if line < kept.split else line - kept.lost
        if 0 <= at < len(kept.lines) and (line < kept.split or at >= kept.split):
            found.setdefault(at, []).append((start, end))
    return found


def marked_parts(line: str, spans: Spans) -> Iterator[tuple[str, bool]]:
    """The line in parts, and which of them are marked; what overlaps or lies outside of the line is cut."""
    at = 0
    for start, end in sorted(spans):
        start, end = max(start, at), min(end, len(line))
        if start < end:
            yield line[at:start], False
            yield line[start:end], True
            at = end
    yield line[at:], False


def _marked(line: str, plain: str, spans: Spans) -> str:
    """One line of HTML with its places marked.

    Its colours stay where it holds sign by sign what is visible of the plain line; else, as where a terminal's
    sequences are left out, it is shown without them.
    """
    parts = list(marked_parts(plain, spans))
    owners = [number if on else None for number, (text, on) in enumerate(parts) for _ in visible(text)]
    signs = _SIGN.findall(line)
    if sum(bool(sign) for _, sign in signs) != len(owners):
        return "".join(f"<mark>{escape(text)}</mark>" if on else escape(text) for text, on in parts)
    return "".join(_woven(signs, owners))


def _woven(signs: Sequence[tuple[str, str]], owners: Sequence[int | None]) -> Iterator[str]:
    """Tags and signs, a mark closed before every tag so that elements never cross."""
    of_sign, is_in = iter(owners), None
    for tag, sign in signs:
        owner = next(of_sign) if sign else None
        if owner != is_in:
            yield ("</mark>" if is_in is not None else "") + ("<mark>" if owner is not None else "")
            is_in = owner
        yield tag or sign
    if is_in is not None:
        yield "</mark>"
