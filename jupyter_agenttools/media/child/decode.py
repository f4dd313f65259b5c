"""Any image file as plain grey or RGB pixels, upright, opaque, and decoded to its last byte."""

from __future__ import annotations

import io
import math
import warnings
from typing import NamedTuple

from PIL import Image, ImageOps

from ..kinds import HEAD_BYTES, image_format
from ..limits import MAX_IMAGE_PIXELS
from .refusal import Refusal

ORIENTATION = 0x0112
BRIGHT = 170
"""Mean brightness (0-255) of what can be seen of an image from which on a white ground would hide it."""

warnings.simplefilter("ignore")


class Decoded(NamedTuple):
    """An image.

    Attributes:
        image: of mode ``L`` or ``RGB``.
        format: of the file.
        width, height: as it is meant to be seen, in pixels of the file.
        frames: how many images the file holds; the first one is here.
        notes: what was done that changes how it looks.
        as_in_file: the image exactly as the file holds it, ``None`` once anything was done to it.
    """

    image: Image.Image
    format: str
    width: int
    height: int
    frames: int
    notes: tuple[str, ...]
    as_in_file: Image.Image | None


def decode(data: bytes, side: int) -> Decoded:
    """The image in ``data``.

    Args:
        side: pixels of the longer side that will be needed; a JPEG may be decoded smaller than it is, but not smaller.

    Raises:
        Refusal: no image, too many pixels, or damaged.
    """
    found = image_format(data[:HEAD_BYTES])
    if found is None:
        raise Refusal("image-unknown", "this is no image of a known format")
    if found == "HEIC":
        raise Refusal("image-unsupported", "HEIC images cannot be decoded here; convert it to JPEG or PNG")
    try:
        return _decoded(data, found, side)
    except (Refusal, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        raise Refusal("image-too-many-pixels", str(error)) from error
    except Exception as error:  # decoders raise whatever comes to them for damaged data
        raise Refusal("image-damaged", f"this {found} image is damaged: {_words(error)}") from error


def is_intact(data: bytes, found: str) -> bool:
    """Whether an image that decodes is also complete as a file; readers less patient than Pillow refuse it else."""
    if found == "PNG":
        try:
            Image.open(io.BytesIO(data), formats=["PNG"]).verify()
        except Exception:  # whatever a wrong checksum or a missing end raises
            return False
        return True
    if found == "WEBP":
        return int.from_bytes(data[4:8], "little") + 8 <= len(data)
    return data.endswith({"JPEG": b"\xff\xd9", "GIF": b"\x3b"}.get(found, b""))


def _words(error: Exception) -> str:
    if isinstance(error, Image.UnidentifiedImageError):
        return "its header cannot be read"
    return str(error) or type(error).__name__


def _decoded(data: bytes, found: str, side: int) -> Decoded:
    Image.MAX_IMAGE_PIXELS = None
    image = Image.open(io.BytesIO(data), formats=[found])
    width, height = image.size
    if width * height > MAX_IMAGE_PIXELS:
        message = f"this {found} image has {width:,} × {height:,} pixels; at most {MAX_IMAGE_PIXELS:,} are decoded"
        raise Refusal("image-too-many-pixels", message)
    if not width or not height:
        raise Refusal("image-damaged", f"this {found} image has {width} × {height} pixels")
    Image.MAX_IMAGE_PIXELS = MAX_IMAGE_PIXELS // 2  # for images inside of the file; Pillow raises at twice its bound
    frames = int(getattr(image, "n_frames", 1))
    if found == "JPEG":
        image.draft(None, (2 * side, 2 * side))
    image.load()
    upright = _upright(image)
    if upright is not image and image.getexif().get(ORIENTATION, 1) >= 5:
        width, height = height, width
    plain, notes = _plain(upright)
    return Decoded(plain, found, width, height, frames, notes, image if plain is image else None)


def _upright(image: Image.Image) -> Image.Image:
    try:
        if image.getexif().get(ORIENTATION, 1) in range(2, 9):
            return ImageOps.exif_transpose(image)
    except Exception:  # damaged metadata says nothing; the pixels are there
        return image
    return image


def _plain(image: Image.Image) -> tuple[Image.Image, tuple[str, ...]]:
    if image.mode[0] in "IF":
        return _eight_bits(image)
    if image.has_transparency_data:
        return _opaque(image.convert("RGBA"))
    if image.mode in ("L", "RGB"):
        return image, ()
    if image.mode == "1":
        return image.convert("L"), ()
    return image.convert("RGB"), (f"{image.mode} shown as RGB",) if image.mode in ("CMYK", "LAB") else ()


def _eight_bits(image: Image.Image) -> tuple[Image.Image, tuple[str, ...]]:
    """Grey values of more than 8 bits. Values that use a small part of their range are stretched to be seen."""
    wide = image if image.mode == "F" else image.convert("I")
    low, high = wide.getextrema()
    if not (math.isfinite(low) and math.isfinite(high)):
        return Image.new("L", image.size), ("its values are not finite numbers; shown black",)
    if image.mode != "F" and low >= 0 and 0x8000 <= high <= 0xFFFF:
        low, high, note = 0, 0xFFFF, "16-bit grey shown with 8 bits"
    else:
        note = f"grey values from {low:g} to {high:g} are stretched to the full range"
    scale = 255 / (high - low) if high > low else 0
    grey = wide.convert("F").point(lambda value: value * scale + (0.5 - low * scale))
    return grey.convert("L"), (note,)


def _opaque(image: Image.Image) -> tuple[Image.Image, tuple[str, ...]]:
    """The image on a ground on which it can be seen."""
    alpha = image.getchannel("A")
    if alpha.getextrema() == (255, 255):
        return image.convert("RGB"), ()
    counts = image.convert("L").histogram(alpha.point(lambda value: 255 if value > 127 else 0))
    seen = sum(counts)
    is_bright = seen > 0 and sum(value * count for value, count in enumerate(counts)) / seen > BRIGHT
    ground, words = ((64, 64, 64), "dark grey") if is_bright else ((255, 255, 255), "white")
    flat = Image.new("RGB", image.size, ground)
    flat.paste(image, mask=alpha)
    return flat, (f"its transparent parts are shown {words}",)
