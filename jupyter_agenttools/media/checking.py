"""May this image enter a conversation? One that a provider cannot read makes it refuse every further turn."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from ..core.blocks import ImageBlock, TextBlock
from .images import Room, image_words, show_image
from .kinds import MEDIA_TYPES, image_format
from .limits import MAX_BASE64_CHARS, MAX_SIDE
from .process import MediaProblem, MediaProcess
from .verified import is_known, remember

Checked = tuple[TextBlock | ImageBlock, ...]


def sound_image(process: MediaProcess, block: Mapping[str, Any]) -> Checked:
    """The blocks to use instead of an image block, made by whatever tool.

    It stays as it is when it decodes to its end and is within the limits of providers. One that is too big is scaled,
    one of another format is converted, both with a word about it; of one that cannot be read only a note remains.

    Raises:
        InterruptedToolError: the call was stopped.
    """
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) and source.get("type") == "base64" else None
    if not isinstance(source, Mapping) or not isinstance(data, str):
        return (_left_out("its data is not here as base64 text"),)
    raw = _decoded(data)
    if not raw:
        return (_left_out("its data is empty" if raw is not None else "its data is not base64"),)
    try:
        return _sound(process, block, source, data, raw)
    except MediaProblem as problem:
        return (_left_out(problem.message),)


def _sound(
    process: MediaProcess, block: Mapping[str, Any], source: Mapping[str, Any], data: str, raw: bytes
) -> Checked:
    media_type = MEDIA_TYPES.get(image_format(raw) or "", "")
    if not (media_type and len(data) <= MAX_BASE64_CHARS and (is_known(data) or _is_within(process, raw))):
        image = show_image(process, raw, Room(thumbnail_bytes=0))
        return as_block(image.media_type, image.data), TextBlock(f"[image: {image_words(image)}]")
    remember(data)
    if isinstance(block, ImageBlock) and source.get("media_type") == media_type:
        return (block,)
    return (as_block(media_type, data),)


def _is_within(process: MediaProcess, raw: bytes) -> bool:
    found = process.ask({"do": "check"}, (raw,)).header
    return found["intact"] and max(found["size"]) <= MAX_SIDE


def as_block(media_type: str, data: str) -> ImageBlock:
    return ImageBlock({"type": "base64", "media_type": media_type, "data": data})


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _left_out(why: str) -> TextBlock:
    return TextBlock(f"[an image was left out here: {why}]")
