"""What is at a path now, for a tool that is about to write there."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import ToolValidationError
from .encoding import UTF8, TextFormat, decode_exactly, text_format
from .guard import require_read, require_unchanged
from .opening import NOTHING_THERE, content_hash, read_whole
from .state import FileStateCache


class Present(NamedTuple):
    """A file as it is now.

    Attributes:
        data: its bytes.
        content_hash: their SHA-256, hex.
    """

    data: bytes
    content_hash: str

    @property
    def form(self) -> TextFormat:
        """Its encoding where all of it is in that encoding, else plain UTF-8."""
        form = text_format(self.data[:4])
        return form if decode_exactly(self.data, form) is not None else UTF8

    @property
    def text(self) -> str | None:
        """Its text, or ``None`` when it is not text in the encoding that it declares."""
        return decode_exactly(self.data, text_format(self.data[:4]))


def present_file(path: str) -> Present | None:
    """The file at the absolute ``path``, or ``None`` when there is nothing (a link to nothing counts as nothing).

    Raises:
        ToolValidationError: it is not a regular file, or cannot be read.
    """
    try:
        data = read_whole(path)
    except ToolValidationError as refusal:
        if refusal.check_id in NOTHING_THERE:
            return None
        raise
    return Present(data, content_hash(data))


def require_replaceable(path: str, present: Present | None, state: FileStateCache, reader: str | None) -> None:
    """Do nothing when ``reader`` may replace the whole file: it is not there, or was read completely and is unchanged.

    Raises:
        ToolValidationError: it was not read, only in part, or is not what was read.
    """
    if present is None:
        return
    record = require_read(path, state.get(path, reader))
    require_unchanged(path, record, present.content_hash)
