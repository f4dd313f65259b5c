"""Results that are too big for the conversation: the whole text on disk, a preview and the path in the block."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import anyio.to_thread

from ..core.blocks import ImageBlock, TextBlock, ToolResultBlock
from ..core.texts import numbered
from .clip import clip

PERSISTED_OUTPUT_TAG = "persisted-output"
PREVIEW_CHARS = 2_000
MAX_PERSISTED_BYTES = 64 * 1024 * 1024
MAX_NAME = 100
"""Characters of an id that become the name of a file; a longer one is told apart by its hash."""


@dataclass(frozen=True)
class KeptResult:
    """A result that lies on disk, complete.

    Args:
        path: the file with its text. size: of that file, in bytes.
        is_cut: the text was longer than a file may be; it holds the beginning.
        images: files with its images, in order.
    """

    path: Path
    size: int
    is_cut: bool = False
    images: tuple[Path, ...] = ()


class ResultStore:
    """Keeps the big results of one session in ``<session>/tool-results``.

    Args:
        directory: made on first use, private to its owner.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path_for(self, tool_use_id: str) -> Path:
        """Where the result of that call lies; an id is a name here and never a path."""
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", tool_use_id).lstrip(".")[:MAX_NAME]
        if plain != tool_use_id:  # two ids may become one name
            plain = f"{plain or 'result'}-{hashlib.sha256(tool_use_id.encode('utf-8', 'replace')).hexdigest()[:8]}"
        return self.directory / f"{plain}.txt"

    def free_path_for(self, tool_use_id: str, suffix: str, *beside: str) -> Path:
        """Where something else of that call may lie: no file is there yet, nor one of that name that ends otherwise."""
        stems = numbered(self.path_for(tool_use_id).stem)
        free = next(s for s in stems if not any((self.directory / f"{s}{end}").exists() for end in (suffix, *beside)))
        return self.directory / f"{free}{suffix}"

    async def fit(self, block: ToolResultBlock, max_chars: int | None) -> tuple[ToolResultBlock, str]:
        """A block no longer than ``max_chars`` (``None``: any length), and what was done, in one sentence.

        Raises:
            OSError: the text could not be written; nothing is cut without a way to the rest.
        """
        text = block.text
        if max_chars is None or len(text) <= max_chars:
            return block, ""
        path, written = await anyio.to_thread.run_sync(self._write_free, self.path_for(block.tool_use_id), text)
        preview = _preview(text, min(PREVIEW_CHARS, max_chars), path, written)
        kept = () if isinstance(block.content, str) else tuple(b for b in block.content if not isinstance(b, TextBlock))
        content = (TextBlock(preview), *kept) if kept else preview
        return replace(block, content=content), f"{len(text):,} characters went to {path}"

    def keep(self, block: ToolResultBlock) -> KeptResult:
        """Have the whole of a result on disk: of one that :meth:`fit` wrote there already, that file. Blocks.

        Raises:
            OSError: it could not be written, or what was written is not there.
            ValueError: an image in it cannot be read.
        """
        text, path = block.text, self.path_for(block.tool_use_id)
        images = () if isinstance(block.content, str) else [b for b in block.content if isinstance(b, ImageBlock)]
        kept = tuple([self._keep_image(path, number, image) for number, image in enumerate(images, 1)])
        fitted = self._fitted(path, text)
        path = fitted if fitted is not None else self._write_free(path, text)[0]
        size = path.stat().st_size
        if not size:
            raise OSError(f"{path} is empty, although the result is not")
        return KeptResult(path, size, size == MAX_PERSISTED_BYTES, kept)

    def _fitted(self, path: Path, text: str) -> Path | None:
        """The file that :meth:`fit` made, where this text is what it left; it names the file."""
        if not text.startswith(f"<{PERSISTED_OUTPUT_TAG}>"):
            return None
        return next(
            (p for p in (path, *path.parent.glob(f"{path.stem}-*.txt")) if f" {p}" in text and p.is_file()), None
        )

    def _write_free(self, path: Path, text: str) -> tuple[Path, int]:
        """Write the text here, or beside it where there is another one: what is named somewhere stays what it was."""
        path = self._free(path, _encoded(text))
        return path, self._write(path, text)

    def _free(self, path: Path, data: bytes) -> Path:
        if not path.exists() or (path.stat().st_size == len(data) and path.read_bytes() == data):
            return path
        return path.with_name(f"{path.stem}-{hashlib.sha256(data).hexdigest()[:8]}{path.suffix}")

    def _keep_image(self, path: Path, number: int, image: ImageBlock) -> Path:
        kind = image.source.get("media_type", "").rpartition("/")[2]
        suffix = kind if kind.isalnum() else "image"
        data = base64.b64decode(image.source.get("data", ""), validate=True)
        if not data:
            raise ValueError("an image without data")
        place = self._free(path.with_name(f"{path.stem}-image-{number}.{suffix}"), data)
        self._write_bytes(place, data)
        return place

    def _write(self, path: Path, text: str) -> int:
        """Write the text, at most the cap; returns the bytes on disk."""
        return self._write_bytes(path, _encoded(text))

    def _write_bytes(self, path: Path, data: bytes) -> int:
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        with open(partial, "wb") as file:
            file.write(data)
        os.replace(partial, path)
        return len(data)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")[:MAX_PERSISTED_BYTES]


def _preview(text: str, chars: int, path: Path, written: int) -> str:
    cut = f"; the file holds the first {written:,} bytes" if written == MAX_PERSISTED_BYTES else ""
    return (
        f"<{PERSISTED_OUTPUT_TAG}>\nThe result has {len(text):,} characters, too many to show. All of it: {path}{cut}\n"
        f"Read that file with offset and limit to see more.\n\n"
        f"{clip(text, chars)}\n</{PERSISTED_OUTPUT_TAG}>"
    )
