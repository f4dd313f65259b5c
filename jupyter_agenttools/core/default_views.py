"""How a call looks whose tool has no views of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .blocks import ImageBlock, TextBlock, as_blocks
from .events import describe
from .faults import words_of
from .views import CodeBlockView, Density, ImageBlockView, JsonBlockView, TextBlockView, ToolView, ViewBlock

SUMMARY_CHARS = 120


def summary(input: Mapping[str, Any]) -> str:
    """The input on one line, cut."""
    words = " ".join(
        f"{key}={value if isinstance(value, str) else json.dumps(describe(value))}" for key, value in input.items()
    )
    line = " ".join(words.split())
    return line if len(line) <= SUMMARY_CHARS else line[: SUMMARY_CHARS - 1] + "…"


def tool_use(name: str, input: Mapping[str, Any], density: Density) -> ToolView:
    blocks = () if density == "condensed" or not input else (JsonBlockView(describe(input)),)
    return ToolView(f"{name} {summary(input)}".rstrip(), blocks=blocks)


def progress(name: str, payload: Any) -> ToolView:
    return ToolView(name, blocks=(TextBlockView(payload if isinstance(payload, str) else summary({"": payload})),))


def result(name: str, output: Any, density: Density) -> ToolView:
    if output is None or output == "":
        return ToolView(name, blocks=(TextBlockView("(no content)"),))
    if blocks := as_blocks(output):
        return ToolView(name, blocks=tuple(map(_block_view, blocks)))
    block = CodeBlockView(output) if isinstance(output, str) else JsonBlockView(describe(output))
    return ToolView(name, blocks=(block,))


def _block_view(block: TextBlock | ImageBlock) -> ViewBlock:
    if isinstance(block, TextBlock):
        return CodeBlockView(block.text)
    source = block.source if isinstance(block.source, Mapping) else {}
    media_type: Any = str(source.get("media_type", ""))
    return ImageBlockView(media_type, str(source.get("data", "")))


def rejected(name: str, observed: Mapping[str, Any], reason: str) -> ToolView:
    return ToolView(f"{name} {summary(observed)}".rstrip(), blocks=(TextBlockView(reason, tone="warning"),))


def error(name: str, observed: Mapping[str, Any], error: BaseException) -> ToolView:
    text = words_of(error) or type(error).__name__
    return ToolView(f"{name} {summary(observed)}".rstrip(), blocks=(TextBlockView(text, tone="error"),))


def search_text(output: Any) -> str:
    if blocks := as_blocks(output):
        return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
    return output if isinstance(output, str) else json.dumps(describe(output), ensure_ascii=False, default=repr)
