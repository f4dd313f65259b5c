"""Pixels as the smallest file that still shows them well: PNG where that costs little, else JPEG."""

from __future__ import annotations

import io
from typing import NamedTuple

from PIL import Image

LOSSLESS_BONUS = 1.5
"""A PNG may be so many times as big as the JPEG: text and thin lines stay sharp in it."""

FIRST_TRY = 2.0
"""A quickly made PNG that is so many times too big is not made again with more care; 1.1 to 1.7 is what care gains."""

QUALITIES = (85, 70, 50)
THUMBNAIL_SIDES = (400, 300, 220, 160, 110, 80)
SMALLEST_SIDE = 64


class Encoded(NamedTuple):
    """An image file without any metadata."""

    data: bytes
    media_type: str
    width: int
    height: int


def fitted(width: int, height: int, side: int, pixels: float) -> tuple[int, int]:
    """The size with the same proportions whose longer side is at most ``side`` and whose area at most ``pixels``."""
    scale = min(1.0, side / max(width, height), (pixels / (width * height)) ** 0.5)
    return max(1, round(width * scale)), max(1, round(height * scale))


def scaled(image: Image.Image, width: int, height: int) -> Image.Image:
    if image.size == (width, height):
        return image
    return image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)


def encoded(image: Image.Image, max_bytes: int, original_jpeg: Image.Image | None = None) -> Encoded:
    """The image in at most ``max_bytes`` bytes; it is made smaller where nothing else helps.

    Args:
        original_jpeg: the very same image as it came out of a JPEG file: saved with its own tables it loses nothing.
    """
    while True:
        best = _best(image, original_jpeg)
        for quality in QUALITIES[1:]:
            if len(best) <= max_bytes:
                break
            best = _jpeg(image, quality)
        if len(best) <= max_bytes or max(image.size) <= SMALLEST_SIDE:
            return Encoded(best, _media_type(best), *image.size)
        image, original_jpeg = scaled(image, *fitted(*image.size, max(image.size) * 3 // 4, 1e12)), None


def thumbnail(image: Image.Image, side: int, max_bytes: int) -> Encoded | None:
    """A small form of the image, ``None`` when not even the smallest one fits."""
    for smaller in THUMBNAIL_SIDES:
        if smaller > side:
            continue
        small = scaled(image, *fitted(*image.size, smaller, 1e12))
        for data in (_png(small), _jpeg(small, 75), _jpeg(small, 50)):
            if len(data) <= max_bytes:
                return Encoded(data, _media_type(data), *small.size)
    return None


def _best(image: Image.Image, original_jpeg: Image.Image | None) -> bytes:
    jpeg = _jpeg(image, QUALITIES[0])
    if original_jpeg is not None:
        return min(_kept(original_jpeg), jpeg, key=len)
    if len(_png(image, 1)) > FIRST_TRY * LOSSLESS_BONUS * len(jpeg):
        return jpeg
    png = _png(image)
    return png if len(png) <= LOSSLESS_BONUS * len(jpeg) else jpeg


def _png(image: Image.Image, level: int = 7) -> bytes:
    buffer = io.BytesIO()
    _bare(image).save(buffer, "PNG", compress_level=level)
    return buffer.getvalue()


def _jpeg(image: Image.Image, quality: int) -> bytes:
    buffer = io.BytesIO()
    _bare(image).save(buffer, "JPEG", quality=quality, optimize=True)
    return buffer.getvalue()


def _kept(image: Image.Image) -> bytes:
    """A JPEG with the tables of the file that it came from."""
    buffer = io.BytesIO()
    image.info = {}
    image.save(buffer, "JPEG", quality="keep", exif=b"")
    return buffer.getvalue()


def _bare(image: Image.Image) -> Image.Image:
    """The same pixels without what a file brought along: comments, profiles, positions."""
    if not image.info:
        return image
    bare = image.copy()
    bare.info = {}
    return bare


def _media_type(data: bytes) -> str:
    return "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
