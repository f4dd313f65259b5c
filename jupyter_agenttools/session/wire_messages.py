"""Messages from their JSON data, as a transcript holds them; images come back from the files beside it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..core.blocks import Block, ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse

_IMAGE_PATH = re.compile(r"images/([0-9a-f]{64})\.\w{1,8}")
MAX_IMAGE_BYTES = 32 * 1024 * 1024


class MessageReader:
    """Makes messages and blocks of JSON data.

    Args:
        folder: where the transcript lies, with its folder ``images``.

    Attributes:
        problems: what could not be read, one sentence each; it is left out, or a text stands in its place.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._images: dict[str, str] = {}
        self.problems: list[str] = []

    def message(self, data: Any, made_by: str | None = None) -> Message | None:
        """The message; ``None`` when it is none. ``made_by``: the call during which it was made."""
        if not isinstance(data, dict) or data.get("role") not in ("user", "assistant"):
            self.problems.append("a message without a role was left out")
            return None
        content = data.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            self.problems.append("a message without content was left out")
            return None
        return Message(data["role"], tuple(self._blocks(content)), made_by)

    def _blocks(self, content: Iterable[Any]) -> Iterable[Block]:
        return [block for each in content if (block := self.block(each)) is not None]

    def block(self, data: Any) -> Block | None:
        """The block; ``None`` when it is none that is known."""
        kind = data.get("type") if isinstance(data, dict) else None
        if kind == "text" and isinstance(data.get("text"), str):
            return TextBlock(data["text"])
        if kind == "thinking" and isinstance(data.get("thinking"), str):
            signature = data.get("signature")
            return ThinkingBlock(data["thinking"], signature if isinstance(signature, str) else None)
        if kind == "image" and isinstance(data.get("source"), dict):
            return self._image(data["source"])
        if kind == "tool_use" and isinstance(data.get("name"), str) and isinstance(data.get("id"), str):
            given = data.get("input")
            return ToolUse(data["name"], given if isinstance(given, dict) else {}, data["id"])
        if kind == "tool_result" and isinstance(data.get("tool_use_id"), str):
            return self._result(data)
        self.problems.append(f"a block of the unknown kind {kind!r} was left out"[:200])
        return None

    def _result(self, data: dict[str, Any]) -> ToolResultBlock:
        content = data.get("content")
        parts: str | tuple[TextBlock | ImageBlock, ...] = content if isinstance(content, str) else ()
        if isinstance(content, list):
            parts = tuple(b for b in self._blocks(content) if isinstance(b, (TextBlock, ImageBlock)))
        return ToolResultBlock(data["tool_use_id"], parts, is_error=data.get("is_error") is True)

    def _image(self, source: dict[str, Any]) -> ImageBlock | TextBlock:
        media_type = str(source.get("media_type"))
        if source.get("type") == "base64" and isinstance(source.get("data"), str):
            return ImageBlock({"type": "base64", "media_type": media_type, "data": source["data"]})
        path = str(source.get("path"))
        try:
            return ImageBlock({"type": "base64", "media_type": media_type, "data": self._image_data(path)})
        except (OSError, ValueError) as problem:
            self.problems.append(f"an image was left out: {problem}"[:300])
            return TextBlock("[an image stood here; its file is gone]")

    def _image_data(self, path: str) -> str:
        """The base64 text of an image's file, which holds what its name says.

        Raises:
            OSError: it cannot be read. ValueError: it is not the image.
        """
        if path in self._images:
            return self._images[path]
        named = _IMAGE_PATH.fullmatch(path)
        if named is None:
            raise ValueError(f"{path!r} is not the name of an image of a transcript")
        with open(self._folder / path, "rb") as file:
            raw = file.read(MAX_IMAGE_BYTES + 1)
        if hashlib.sha256(raw).hexdigest() != named[1]:
            raise ValueError(f"{path} is not the image that it was")
        self._images[path] = base64.b64encode(raw).decode()
        return self._images[path]
