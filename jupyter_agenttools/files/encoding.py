"""How are a file's bytes read as text, and text turned into the same kind of bytes?

The same content always reads the same way, whatever the file is called. In this order: a byte order mark; UTF-16 that
cannot be anything else; text that is UTF-8 throughout; what the text itself declares; and for other 8-bit text a guess,
which is always said. A guess is only made of text that holds nothing of UTF-8: one stray byte in a UTF-8 file stays a
stray byte, shown as ``\\xNN``.
"""

from __future__ import annotations

import codecs
import re
import string
from itertools import islice
from typing import Literal, NamedTuple

from ..core.errors import ToolValidationError
from ..core.texts import visible as visible  # known to everybody from here
from .declared import declared_encoding
from .kinds import looks_like_utf16

Origin = Literal["assumed", "mark", "declared", "guess", "unknown"]
"""Where an encoding is known from. ``unknown``: 8-bit text in no known encoding; only its ASCII part is text."""

MAX_DETECTED_BYTES = 8 << 20
"""Larger files are not held as a whole by who reads them: without a mark they read as UTF-8, whatever they declare."""

_PIECE_BYTES = 1 << 20

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MIN_WIDE_BYTES = 16
"""Less says nothing: names that end in NUL look like UTF-16 too."""

_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
_HIGH_BYTES = bytes(range(0x80, 0x100))
_LETTERS_AND_DIGITS = (string.ascii_letters + string.digits).encode()
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_NOT_WESTERN = re.compile(r"[^\W\d_][¡-¦¨¬¯´¶¸¹²³¼-¿][^\W\d_]|[a-zß-öø-ÿ][À-ÖØ-ÞŠŽŒŸ]|[À-ÖØ-öø-ÿŠŽšžŒœŸƒ]{4}")
"""What text in windows-1252 does not hold, and text in another 8-bit encoding that is read as such does: signs inside
of words, capitals inside of words, long runs of accented letters."""

_STRAYS_FOR_EACH = 4
"""With more bytes than this beside each of its UTF-8 characters, a text holds these by chance: Shift JIS, EUC …"""

_LOOKED_AT_RUNS = 5_000
"""So many places with bytes above ASCII are enough to judge a text by."""

_SHOWN_NAMES = {"cp1252": "windows-1252", "cp1251": "windows-1251", "iso8859-1": "iso-8859-1", "ascii": "ASCII"}


class TextFormat(NamedTuple):
    """An encoding together with the byte order mark that stands before the text (``b""`` for none).

    Attributes:
        encoding: as Python's codecs call it.
        origin: where it is known from.
    """

    encoding: str = "utf-8"
    mark: bytes = b""
    origin: Origin = "assumed"

    @property
    def name(self) -> str:
        """E.g. ``utf-8``, ``utf-8-sig``, ``utf-16-le``, ``windows-1252``."""
        if self.encoding == "utf-8" and self.mark:
            return "utf-8-sig"
        return _SHOWN_NAMES.get(self.encoding, self.encoding)

    @property
    def described(self) -> str:
        """The name, and how sure it is, e.g. ``windows-1252, a guess``."""
        words = {
            "declared": ", as the file declares",
            "guess": ", a guess: the file does not say",
            "unknown": " and bytes of an 8-bit encoding that the file does not say",
        }
        return self.name + words.get(self.origin, "")

    @property
    def is_wide(self) -> bool:
        """Whether NUL bytes are part of its text."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    @property
    def is_plain(self) -> bool:
        """Whether the bytes themselves can be looked at as UTF-8 in which some may be undecodable."""
        return self.encoding == "utf-8"


UTF8 = TextFormat()
_UNKNOWN = TextFormat("ascii", b"", "unknown")


def text_format(head: bytes) -> TextFormat:
    """Which encoding does the byte order mark at the beginning of ``head`` tell? UTF-8 when there is none."""
    marked = (TextFormat(encoding, mark, "mark") for mark, encoding in _MARKS if head.startswith(mark))
    return next(marked, UTF8)


def detect_format(data: bytes) -> TextFormat:
    """Which encoding is this whole content in? Never fails: see the text of this module."""
    form = text_format(data)
    if form.mark:
        return form
    small = len(data) <= MAX_DETECTED_BYTES
    if b"\0" in data:
        return (_unmarked_wide(data) if small else None) or UTF8
    declared = declared_encoding(data) if small else None
    if data.isascii():
        return TextFormat(declared, b"", "declared") if declared else UTF8
    if declared == "utf-8" or _is_utf8(data):
        return UTF8
    if declared is not None and declared != "ascii":
        return TextFormat(declared, b"", "declared")
    characters, strays = _utf8_share(data)
    if characters:
        return _UNKNOWN if small and strays > _STRAYS_FOR_EACH * characters else UTF8
    return _eight_bit(data) if small else _UNKNOWN


def _utf8_share(data: bytes) -> tuple[int, int]:
    """How many characters above ASCII the data holds in UTF-8, and how many bytes above ASCII beside them."""
    characters = strays = 0
    for run in _HIGH_RUN.finditer(data):
        found = [match.end() - match.start() for match in _UTF8_SEQUENCE.finditer(run[0])]
        characters += len(found)
        strays += len(run[0]) - sum(found)
    return characters, strays


def _is_utf8(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE_BYTES):
            decoder.decode(data[start : start + _PIECE_BYTES], start + _PIECE_BYTES >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_wide(data: bytes) -> TextFormat | None:
    encoding = looks_like_utf16(data) if len(data) % 2 == 0 and len(data) >= _MIN_WIDE_BYTES else None
    if encoding is None:
        return None
    form = TextFormat(encoding, b"", "guess")
    text = decode_exactly(data, form)
    return None if text is None or _CONTROLS.search(text) else form


def _eight_bit(data: bytes) -> TextFormat:
    """Windows-1252 (which most Latin-1 text is) where it reads like a text in it, else an unknown encoding."""
    form = TextFormat("cp1252", b"", "guess")
    high = len(data) - len(data.translate(None, _HIGH_BYTES))
    few = high <= len(data) - len(data.translate(None, _LETTERS_AND_DIGITS))
    return form if few and decode_exactly(data, form) is not None and _reads_western(data) else _UNKNOWN


def _reads_western(data: bytes) -> bool:
    runs = islice(_HIGH_RUN.finditer(data), _LOOKED_AT_RUNS)
    near = (data[max(run.start() - 1, 0) : run.end() + 1].decode("cp1252") for run in runs)
    return not any(_NOT_WESTERN.search(text) for text in near)


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
        ToolValidationError: a character that this encoding does not have.
    """
    if form.mark:
        text = text.removeprefix("\ufeff")
    return form.mark + encode_part(text, form)


def encode_part(text: str, form: TextFormat) -> bytes:
    """The bytes of a piece of a text, without any mark.

    Raises:
        ToolValidationError: a character that this encoding does not have.
    """
    try:
        return text.encode(form.encoding)
    except UnicodeEncodeError as error:
        raise _not_encodable(text, error, form) from error


def _not_encodable(text: str, error: UnicodeEncodeError, form: TextFormat) -> ToolValidationError:
    where, char = text.count("\n", 0, error.start) + 1, text[error.start]
    if 0xD800 <= ord(char) <= 0xDFFF:
        message = (
            f"the text cannot be written: line {where} holds half of a character "
            f"(U+{ord(char):04X}, a lone surrogate). Nothing was changed; send the whole character"
        )
        return ToolValidationError(message, check_id="text-encoding")
    return ToolValidationError(
        f"the text cannot be written: its line {where} holds {char} (U+{ord(char):04X}), which there is no way to "
        f"write in the file's encoding ({form.described}). Nothing was changed; use other characters there, or convert "
        "the whole file first",
        check_id="text-encoding",
    )
