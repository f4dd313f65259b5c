"""How are a file's bytes read as text, and text turned into the same kind of bytes?"""

from __future__ import annotations

import codecs
import re
from typing import Literal, NamedTuple

from ..core.errors import ToolValidationError

EncodingName = Literal["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]

_MARKS: tuple[tuple[bytes, EncodingName], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SMUGGLED_BYTE = re.compile("[\udc80-\udcff]")


class TextFormat(NamedTuple):
    """An encoding together with the byte order mark that stands before the text (``b""`` for none)."""

    encoding: EncodingName = "utf-8"
    mark: bytes = b""

    @property
    def name(self) -> str:
        """E.g. ``utf-8``, ``utf-8-sig``, ``utf-16-le``."""
        return "utf-8-sig" if self.encoding == "utf-8" and self.mark else self.encoding


UTF8 = TextFormat()


def text_format(head: bytes) -> TextFormat:
    """Which encoding does a file that begins with ``head`` declare? UTF-8 when it has no byte order mark."""
    return next((TextFormat(encoding, mark) for mark, encoding in _MARKS if head.startswith(mark)), UTF8)


def decode_exactly(data: bytes, form: TextFormat) -> str | None:
    """The text of ``data`` without its mark, or ``None`` when some bytes are not in that encoding."""
    try:
        return data[len(form.mark) :].decode(form.encoding)
    except UnicodeDecodeError:
        return None


def decode_visibly(data: bytes, form: TextFormat) -> tuple[str, bool]:
    """The text of ``data`` without its mark; bytes that are not in the encoding read ``\\xNN``.

    Returns:
        the text, and whether all of it was in the encoding.
    """
    text = decode_exactly(data, form)
    if text is not None:
        return text, True
    return data[len(form.mark) :].decode(form.encoding, "backslashreplace"), False


def encode(text: str, form: TextFormat = UTF8) -> bytes:
    """The bytes of ``text``, after the format's mark (once, also when the text begins with it). Nothing is normalised.

    Raises:
        ToolValidationError: the text holds half of a character.
    """
    if form.mark:
        text = text.removeprefix("\ufeff")
    try:
        return form.mark + text.encode(form.encoding)
    except UnicodeEncodeError as error:
        where = text.count("\n", 0, error.start) + 1
        message = (
            f"the text cannot be written: line {where} holds half of a character "
            f"(U+{ord(text[error.start]):04X}, a lone surrogate). Nothing was changed; send the whole character"
        )
        raise ToolValidationError(message, check_id="text-encoding") from error


def visible(text: str) -> str:
    """``text`` in a form that every encoder takes: half characters read ``\\udXXX``, smuggled bytes ``\\xNN``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = _SMUGGLED_BYTE.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", text)
        return shown.encode("utf-8", "backslashreplace").decode()
    return text
