"""What does a model, and what does a person, get to see of an image?"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Literal

from .frames import Frame
from .limits import SHOWN_BYTES, SHOWN_PIXELS, SHOWN_SIDE, THUMBNAIL_BYTES, THUMBNAIL_SIDE
from .process import MediaProcess
from .verified import remember

ShownType = Literal["image/png", "image/jpeg"]


@dataclass(frozen=True)
class Room:
    """How big an image may become.

    Args:
        side: pixels of its longer side.
        pixels: of its area.
        max_bytes: of its file.
        thumbnail_side, thumbnail_bytes: the same for what a person is shown; no bytes: no thumbnail.
    """

    side: int = SHOWN_SIDE
    pixels: int = SHOWN_PIXELS
    max_bytes: int = SHOWN_BYTES
    thumbnail_side: int = THUMBNAIL_SIDE
    thumbnail_bytes: int = THUMBNAIL_BYTES


@dataclass(frozen=True)
class Thumbnail:
    """A small image; ``data`` is base64 text."""

    media_type: ShownType
    data: str


@dataclass(frozen=True)
class ShownImage:
    """An image as the model is shown it, made anew from its pixels.

    Args:
        media_type: of ``data``.
        data: base64 text.
        width, height: in pixels.
        original_format: ``PNG``, ``JPEG`` …; ``""`` for a page of a PDF.
        original_width, original_height: what it was scaled from.
        frames: how many images the file holds; this is the first.
        notes: what was done to it that changes how it looks.
        thumbnail: the same, small, for a person.
    """

    media_type: ShownType
    data: str
    width: int
    height: int
    original_format: str
    original_width: int
    original_height: int
    frames: int = 1
    notes: tuple[str, ...] = ()
    thumbnail: Thumbnail | None = None

    @property
    def size(self) -> int:
        """Bytes of the encoded image."""
        return len(self.data) * 3 // 4 - self.data.count("=", -2)

    @property
    def is_scaled(self) -> bool:
        return (self.width, self.height) != (self.original_width, self.original_height)


def show_image(process: MediaProcess, data: bytes, room: Room) -> ShownImage:
    """The image in the bytes of an image file.

    Raises:
        MediaProblem: no image, too many pixels, or damaged.
        InterruptedToolError: the call was stopped.
    """
    return shown(process.ask({"do": "image", **vars(room)}, (data,)))


def shown(answer: Frame) -> ShownImage:
    """The image in an answer of the process that decodes."""
    header, payloads = answer
    texts = [base64.b64encode(payload).decode() for payload in payloads]
    remember(texts[0])
    small = Thumbnail(header["thumbnail_type"], texts[1]) if len(texts) > 1 else None
    return ShownImage(
        header["media_type"],
        texts[0],
        header["width"],
        header["height"],
        header.get("format", ""),
        *header["original"],
        header.get("frames", 1),
        tuple(header.get("notes", ())),
        small,
    )


def image_words(image: ShownImage) -> str:
    """How an image was made, in one line: ``9,001 × 4 px, scaled to 1,568 × 1, PNG with 210 bytes``."""
    parts = [f"{image.original_width:,} × {image.original_height:,} px"]
    if image.is_scaled:
        parts.append(f"scaled to {image.width:,} × {image.height:,}")
    if image.frames > 1:
        parts.append(f"the first of {image.frames:,} images in the file")
    kind = "PNG" if image.media_type == "image/png" else "JPEG"
    return ", ".join([*parts, *image.notes, f"shown as {kind} with {image.size:,} bytes"])
