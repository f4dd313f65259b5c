"""Results that are too big for the conversation: the whole text on disk, a preview and the path in the block."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import anyio.to_thread

from ..core.blocks import TextBlock, ToolResultBlock
from .clip import clip

PERSISTED_OUTPUT_TAG = "persisted-output"
PREVIEW_CHARS = 2_000
MAX_PERSISTED_BYTES = 64 * 1024 * 1024


class ResultStore:
    """Keeps the big results of one session in ``<session>/tool-results``.

    Args:
        directory: made on first use, private to its owner.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path_for(self, tool_use_id: str) -> Path:
        """Where the result of that call lies; an id is a name here and never a path."""
        return self.directory / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', tool_use_id).lstrip('.') or 'result'}.txt"

    async def fit(self, block: ToolResultBlock, max_chars: int | None) -> tuple[ToolResultBlock, str]:
        """A block no longer than ``max_chars`` (``None``: any length), and what was done, in one sentence.

        Raises:
            OSError: the text could not be written; nothing is cut without a way to the rest.
        """
        text = block.text
        if max_chars is None or len(text) <= max_chars:
            return block, ""
        path = self.path_for(block.tool_use_id)
        written = await anyio.to_thread.run_sync(self._write, path, text)
        preview = _preview(text, min(PREVIEW_CHARS, max_chars), path, written)
        kept = () if isinstance(block.content, str) else tuple(b for b in block.content if not isinstance(b, TextBlock))
        content = (TextBlock(preview), *kept) if kept else preview
        return replace(block, content=content), f"{len(text):,} characters went to {path}"

    def _write(self, path: Path, text: str) -> int:
        """Write the text, at most the cap; returns the bytes on disk."""
        data = text.encode("utf-8", "surrogatepass")[:MAX_PERSISTED_BYTES]
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        with open(partial, "wb") as file:
            file.write(data)
        os.replace(partial, path)
        return len(data)


def _preview(text: str, chars: int, path: Path, written: int) -> str:
    cut = f"; the file holds the first {written:,} bytes" if written == MAX_PERSISTED_BYTES else ""
    return (
        f"<{PERSISTED_OUTPUT_TAG}>\nThe result has {len(text):,} characters, too many to show. All of it: {path}{cut}\n"
        f"Read that file with offset and limit to see more.\n\n"
        f"{clip(text, chars)}\n</{PERSISTED_OUTPUT_TAG}>"
    )
