"""An output that is no text to read: an image, or other binary data."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...media.kinds import HEAD_BYTES, image_format
from ...shell import OutputLog

if TYPE_CHECKING:
    from ...core.cancel import Cancellation
    from ...media.images import ShownImage

MAX_IMAGE_BYTES = 32 << 20
MIN_BINARY_BYTES = 512
"""A few odd bytes are better shown than hidden."""

BINARY_SHARE = 0.1
"""Above this part of signs that are no text, an output is not shown: ``find -print0`` stays below it."""

_DATA_URI = re.compile(r"\s*data:image/[\w.+-]+(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/=\s]+)\Z")
_TEXT_CONTROLS = "\t\n\r\b\f\x1b"

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x7fELF", "an ELF program or library"),
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"BZh", "bzip2 data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF\r\n", "HDF5 data"),
    (b"PAR1", "Parquet data"),
    (b"\x00asm", "WebAssembly"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"MZ", "a Windows program"),
    (b"OggS", "Ogg audio"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)


class Unread(NamedTuple):
    """What an output is that is not shown as text.

    Attributes:
        words: what it is, with its size.
        image: the bytes of an image file.
    """

    words: str
    image: bytes | None = None


def unread_output(log: OutputLog, text: str) -> Unread | None:
    """What this finished output is, ``None`` when it is best shown as text.

    Args:
        log: the output; its file is closed and still there. text: what would be shown.
    """
    if not log.total_bytes:
        return None
    if uri := _DATA_URI.match(text):
        return _from_uri(uri[1])
    if text.lstrip()[:11] == "data:image/" and (uri := _DATA_URI.match(_contents(log).decode("latin-1"))):
        return _from_uri(uri[1])
    if not (log.is_binary or log.is_invalid):
        return None
    head = _contents(log, HEAD_BYTES)
    kind = image_format(head)
    if kind is not None and log.file_is_whole and log.total_bytes <= MAX_IMAGE_BYTES:
        return Unread(f"{kind} image, {log.total_bytes:,} bytes", _contents(log))
    if log.total_bytes < MIN_BINARY_BYTES or _binary_share(head) <= BINARY_SHARE:
        return None
    return Unread(f"binary output, not shown: {_kind_words(head, kind)}, {log.total_bytes:,} bytes")


def _contents(log: OutputLog, size: int = MAX_IMAGE_BYTES) -> bytes:
    try:
        with Path(log.path).open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _from_uri(encoded: str) -> Unread | None:
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
    except binascii.Error:
        return None
    kind = image_format(data[:HEAD_BYTES])
    return None if kind is None else Unread(f"{kind} image in a data URI, {len(data):,} bytes", data)


def _binary_share(head: bytes) -> float:
    text = head.decode(errors="replace")
    odd = sum(char == "\ufffd" or (char < " " and char not in _TEXT_CONTROLS) or char == "\x7f" for char in text)
    return odd / max(1, len(text))


def _kind_words(head: bytes, image: str | None) -> str:
    if image is not None:
        return f"a {image} image"
    if head[257:262] == b"ustar":
        return "a tar archive"
    return next((words for magic, words in _MAGIC if head.startswith(magic)), "data of no known kind")


def decode_image(data: bytes, cancellation: Cancellation) -> ShownImage | str:
    """The image as a model and a person are shown it, or why it cannot be. Call it in a worker thread.

    Raises:
        InterruptedToolError: the call was stopped.
    """
    from ...media.images import Room, show_image
    from ...media.process import MediaProblem, MediaProcess

    try:
        with MediaProcess(cancellation) as process:
            return show_image(process, data, Room())
    except MediaProblem as problem:
        return problem.message
