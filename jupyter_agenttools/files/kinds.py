"""What is a file that is not text? Told from its first bytes, never from its name."""

from __future__ import annotations

from typing import Literal

HEAD_BYTES = 65_536
"""How much of a file's beginning is looked at. Git looks at 8,000 bytes; archives of text may hold none until later."""

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"PK\x03\x04", "a ZIP archive (or a format built on it: docx, xlsx, jar, whl …)"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\x00", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "zstandard data"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (0, b"\x7fELF", "an ELF program or library"),
    (0, b"MZ", "a Windows program or library"),
    (0, b"\xca\xfe\xba\xbe", "a Java class or a macOS program"),
    (0, b"\xcf\xfa\xed\xfe", "a macOS program"),
    (0, b"\x00asm", "a WebAssembly module"),
    (0, b"SQLite format 3\x00", "an SQLite database"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1", "an Arrow file"),
    (0, b"\x93NUMPY", "a NumPy array"),
    (257, b"ustar", "a tar archive"),
    (0, b"OggS", "an Ogg file"),
    (0, b"ID3", "an MP3 file"),
    (8, b"WAVE", "a WAV file"),
    (4, b"ftyp", "an MP4 or QuickTime file"),
    (0, b"wOFF", "a web font"),
    (0, b"wOF2", "a web font"),
)

_ALSO_TEXT = frozenset({b"MZ", b"BZh", b"ID3", b"PAR1", b"WAVE", b"WEBP", b"ftyp", b"ustar"})
"""Signatures that are plain letters: a text may begin with them, so they only name what is binary anyway."""


def binary_kind(head: bytes) -> str | None:
    """What binary kind begins with ``head``? ``None`` when it may be text.

    Args:
        head: the first :data:`HEAD_BYTES` bytes of the file, or all of it.

    Returns:
        words such as ``a PNG image``; for NUL bytes without a known signature ``binary data``.
    """
    has_nul = b"\0" in head
    for offset, magic, words in _SIGNATURES:
        if head.startswith(magic, offset) and (has_nul or magic not in _ALSO_TEXT):
            return words
    if not has_nul:
        return None
    return "UTF-16 text without a byte order mark" if looks_like_utf16(head) else "binary data (it holds NUL bytes)"


def looks_like_utf16(head: bytes) -> Literal["utf-16-le", "utf-16-be"] | None:
    """In which byte order does ``head`` look like UTF-16? Told from where its NUL bytes are, ``None`` for neither."""
    sample = head[:4096]
    high_first, low_first = sample[0::2].count(0), sample[1::2].count(0)
    if min(high_first, low_first) or max(high_first, low_first) <= len(sample) // 4:
        return None
    return "utf-16-be" if high_first else "utf-16-le"
