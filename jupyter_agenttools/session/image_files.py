"""The images of a transcript, as files beside it: a line that anybody can read holds their name, not their bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from pathlib import Path
from typing import Any

SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


class ImageFiles:
    """Puts images into ``folder``, each once; the folder is made with the first one, private to its owner."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def taken_out(self, value: Any) -> Any:
        """The same JSON data with each image's base64 text replaced by the name of its file:
        ``{"type": "file", "media_type": …, "path": "images/<hash>.png"}``, relative to the transcript.

        Raises:
            OSError: an image could not be written.
        """
        if isinstance(value, dict):
            if value.get("type") == "image" and isinstance(value.get("source"), dict):
                return {**value, "source": self._source(value["source"])}
            return {key: self.taken_out(item) for key, item in value.items()}
        return [self.taken_out(item) for item in value] if isinstance(value, list) else value

    def _source(self, source: dict[str, Any]) -> dict[str, Any]:
        data = source.get("data")
        try:
            raw = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
        except (binascii.Error, ValueError):
            raw = b""
        if source.get("type") != "base64" or not raw:
            return source
        name = hashlib.sha256(raw).hexdigest() + SUFFIXES.get(str(source.get("media_type")), ".bin")
        self._write(name, raw)
        return {"type": "file", "media_type": source.get("media_type"), "path": f"{self.folder.name}/{name}"}

    def _write(self, name: str, raw: bytes) -> None:
        path = self.folder / name
        if path.exists():
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(raw)
        os.replace(partial, path)
