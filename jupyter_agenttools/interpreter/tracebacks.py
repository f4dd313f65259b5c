"""A traceback as the author of the code wants it: from their own first line on."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

from ..core.faults import faults

_OURS = str(Path(__file__).parent.parent)
MAX_CHARS = 20_000
MAX_FRAMES = 30


def error_text(error: BaseException, filename: str) -> str:
    """The traceback of an exception that code of this file name raised, without the frames of who ran it."""
    try:
        told = traceback.TracebackException(
            type(error), error, _from_code(error.__traceback__, filename), limit=-MAX_FRAMES, compact=True
        )
        told.stack[:] = [frame for frame in told.stack if not frame.filename.startswith(_OURS)]
        text = "".join(told.format()).rstrip("\n")
    except faults() as fault:  # an exception may be of any class, also one that cannot be looked at
        return f"{type(error).__name__} (its traceback cannot be shown: {type(fault).__name__})"
    if len(text) <= MAX_CHARS:
        return text
    half = MAX_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def _from_code(found: TracebackType | None, filename: str) -> TracebackType | None:
    while found is not None and found.tb_frame.f_code.co_filename != filename:
        found = found.tb_next
    return found
