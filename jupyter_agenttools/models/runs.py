"""Texts that came in pieces, changed as a whole: a path or a key may lie over the border of two pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from .protocol import ModelPart, TextPart, ThinkingPart

Run = list[ModelPart]
"""Pieces of one text or thought that follow one another, or one other part."""


def runs(parts: Sequence[ModelPart]) -> Iterator[Run]:
    """The parts run by run; a signature ends a thought."""
    for _, run in groupby(_numbered(parts), key=lambda each: each[0]):
        yield [part for _, part in run]


def _numbered(parts: Sequence[ModelPart]) -> Iterator[tuple[int, ModelPart]]:
    run, before = 0, None
    for part in parts:
        kind = type(part)
        run += kind is not before or kind not in (TextPart, ThinkingPart)
        yield run, part
        before = None if isinstance(part, ThinkingPart) and part.signature is not None else kind


def text_of(run: Run) -> str:
    """The whole text of a run, ``""`` for a part without one."""
    return "".join(part.text for part in run if isinstance(part, (TextPart, ThinkingPart)))


def signature_of(run: Run) -> str | None:
    """The signature of a thought."""
    return run[-1].signature if isinstance(run[-1], ThinkingPart) else None


def with_text(run: Run, change: Callable[[str], str]) -> Run:
    """The run with its text changed as one, and cut where it was cut before; as it is where nothing changes."""
    whole = text_of(run)
    if (changed := change(whole)) == whole:
        return run
    ends, end = [0], 0
    for part in run[:-1]:
        end += len(part.text)  # type: ignore[union-attr]
        ends.append(end)
    pieces = [changed[a:b] for a, b in zip(ends, [*ends[1:], None], strict=True)]
    return [replace(part, text=piece) for part, piece in zip(run, pieces, strict=True)]  # type: ignore[call-arg]


def unsigned(run: Run) -> Run:
    """A thought without its signature, which no longer fits its text."""
    return [*run[:-1], replace(run[-1], signature=None)]  # type: ignore[call-arg]
