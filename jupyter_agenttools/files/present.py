"""What is at a path now, for a tool that is about to write there."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import ToolValidationError
from .declared import MAX_DECLARATION, declared_encoding
from .encoding import UTF8, TextFormat, decode_exactly, detect_format
from .guard import require_read, require_unchanged
from .kinds import HEAD_BYTES, binary_kind
from .opening import NOTHING_THERE, content_hash, read_whole
from .state import FileStateCache

_SHOWN_BY_READ = ("image", "PDF document")
"""How the kinds end of which reading shows something."""


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
        """Its encoding, whether or not all of it is in that encoding."""
        return detect_format(self.data)

    @property
    def binary(self) -> str | None:
        """What it is when it is not text, e.g. ``a ZIP archive``."""
        form = self.form
        return None if form.mark or form.is_wide else binary_kind(self.data[:HEAD_BYTES])

    @property
    def text(self) -> str | None:
        """Its text, or ``None`` when it is not text in its encoding throughout."""
        return decode_exactly(self.data, self.form)


def format_for(text: str, present: Present | None) -> TextFormat:
    """In which encoding is ``text`` to be written as the whole content of a file?

    In the one that the text itself declares, or else in that of the file, as long as it has one that is sure and every
    character of the text is in it; else in UTF-8. The mark of a file stays.
    """
    form = present.form if present is not None and present.text is not None else UTF8
    if form.mark or (present is not None and form.encoding == "utf-8" and not present.data.isascii()):
        return form
    declared = declared_encoding(text[:MAX_DECLARATION].encode("utf-8", "replace"))
    if declared not in (None, "ascii", "utf-8"):
        return TextFormat(declared, b"", "declared")
    if declared == "utf-8":
        return UTF8
    try:
        text.encode(form.encoding)
    except UnicodeEncodeError:
        return UTF8
    return form


def with_line_ends_of(present: Present | None, text: str) -> str:
    """``text`` with the line ends of the file that it replaces: CR LF where each of the file's lines has them, and the
    text has none of its own. Models leave out the CR, which a reading does not show.
    """
    old = present.text if present is not None else None
    if not old or "\r" in text or old.count("\n") != old.count("\r\n") or "\r\n" not in old:
        return text
    return text.replace("\n", "\r\n")


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
        ToolValidationError: it was not read, only in part, or is not what was read; or it is binary, so that it cannot
            be read.
    """
    if present is None:
        return
    known = state.get(path, reader)
    kind = present.binary if known is None else None
    if kind is not None and not kind.endswith(_SHOWN_BY_READ):
        message = (
            f"{path} is {kind}, not text, and cannot be read to see what would be lost. Nothing was written. Write to "
            "another path, or move the file away with Bash first"
        )
        raise ToolValidationError(message, check_id="file-binary")
    record = require_read(path, known)
    require_unchanged(path, record, present.content_hash)
