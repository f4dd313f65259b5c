"""How what is asked now differs from what was asked when it was recorded, in a few lines."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

DIFF_LINES = 24
LINE_CHARS = 160


def difference(recorded: Any, asked: Any) -> str:
    """A short diff of one part, ``-`` recorded and ``+`` asked."""
    lines = list(difflib.unified_diff(list(_lines(recorded)), list(_lines(asked)), n=1, lineterm=""))[2:]
    if not lines and recorded != asked:
        return "(the lines are the same; they differ in line ends, or in where a block ends)"
    shown = [line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1]}…" for line in lines[:DIFF_LINES]]
    more = [f"… {len(lines) - DIFF_LINES} more lines"] if len(lines) > DIFF_LINES else []
    return "\n".join([*shown, *more])


def _lines(value: Any) -> Iterator[str]:
    """JSON data line by line, texts as they read."""
    if isinstance(value, str):
        yield from value.splitlines() or [""]
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) and "role" in item for item in value):
        for item in value:
            yield f"[{item['role']}]"
            for block in item["content"]:
                yield from _block_lines(block)
    else:
        yield from json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def _block_lines(block: Mapping[str, Any]) -> Iterator[str]:
    match block:
        case {"type": "text", "text": str(text)}:
            yield from text.splitlines() or [""]
        case {"type": "tool_result", "content": str(text), "tool_use_id": id}:
            yield f"result of {id}{' (error)' if block.get('is_error') else ''}:"
            yield from text.splitlines()
        case _:
            yield json.dumps(block, sort_keys=True, ensure_ascii=False)
