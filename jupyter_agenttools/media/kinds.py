"""Which image format or document is it? Told from the bytes, never from a name."""

from __future__ import annotations

import os
import re
from typing import Literal

HEAD_BYTES = 4_096
TAIL_BYTES = 2_048

ImageFormat = Literal[
    "PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO", "ICNS", "AVIF", "JPEG2000", "PPM", "PSD", "HEIC"
]  # fmt: skip

_PLAIN: tuple[tuple[bytes, ImageFormat], ...] = (
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
    (b"II+\x00", "TIFF"),
    (b"MM\x00+", "TIFF"),
    (b"\x00\x00\x01\x00", "ICO"),
    (b"8BPS\x00\x01", "PSD"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "JPEG2000"),
    (b"\xff\x4f\xff\x51", "JPEG2000"),
)
_LETTERS: tuple[tuple[bytes, ImageFormat], ...] = ((b"GIF87a", "GIF"), (b"GIF89a", "GIF"), (b"icns", "ICNS"))
"""A text may begin with these too; no image of these formats is without a NUL byte."""

_BITMAP_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"})
_PPM = re.compile(rb"P[456]\s+(?:#[^\n]*\n\s*)*\d+\s+\d+\s")

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""What providers take."""

SUFFIXES: dict[str, ImageFormat | Literal["PDF"]] = {
    ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".webp": "WEBP", ".bmp": "BMP", ".tif": "TIFF",
    ".tiff": "TIFF", ".ico": "ICO", ".avif": "AVIF", ".heic": "HEIC", ".pdf": "PDF",
}  # fmt: skip


def image_format(head: bytes) -> ImageFormat | None:
    """Which image format has a file that begins with ``head``? ``None`` for what is no image.

    Args:
        head: the first :data:`HEAD_BYTES` bytes, or all there are.
    """
    plain = next((name for magic, name in _PLAIN if head.startswith(magic)), None)
    if plain is not None:
        return plain
    if b"\0" in head and (letters := next((name for magic, name in _LETTERS if head.startswith(magic)), None)):
        return letters
    if head[:4] == b"RIFF" and head[8:15] == b"WEBPVP8":
        return "WEBP"
    if head[4:8] == b"ftyp":
        return _container(head[8:12])
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0" and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS:
        return "BMP"
    return "PPM" if _PPM.match(head) and not _is_text(head) else None


def _container(brand: bytes) -> ImageFormat | None:
    if brand in (b"avif", b"avis"):
        return "AVIF"
    return "HEIC" if brand in _HEIC_BRANDS else None


def is_pdf(head: bytes, tail: bytes) -> bool:
    """Whether a file with this beginning and this end is a PDF.

    Readers of PDFs allow up to 1,024 bytes of something else before the header. A text that only speaks of PDFs is not
    one.
    """
    if re.match(rb"(?:\xef\xbb\xbf)?[\s\0]*%PDF-\d", head):
        return True
    found = re.search(rb"(?:^|[\r\n\0])%PDF-\d\.\d\s*?[\r\n]", head[:1_024])
    return found is not None and b"startxref" in tail and b"%%EOF" in tail


def named_kind(path: str) -> str | None:
    """The format that the name of a file promises, ``None`` when it promises no image and no PDF."""
    return SUFFIXES.get(os.path.splitext(path)[1].lower())


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        head[:-4].decode()
    except UnicodeDecodeError:
        return False
    return True
