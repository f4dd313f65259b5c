"""The conversation in words that a small model can follow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.blocks import Block, ImageBlock, Message, TextBlock, ToolResultBlock, ToolUse
from ...core.context import ToolOptions
from ...core.immutable import thaw
from ...core.schema import describe_fields
from ...core.tool import Tool
from ..protocol import ModelRequest

CHARS_PER_TOKEN = 4
GUIDANCE_SHARE = 4
"""The system prompt may fill one part in so many of the window; of a longer one only the beginning is sent."""
GUIDANCE_BEGINS = "\n\n## "
LINE_CHARS = 160

RULES = (
    'Reply with one JSON object. To use a tool: {"tool": NAME, "input": {...}}. '
    'To answer the person: {"answer": TEXT}. When you have a tool\'s result, answer the person.'
)


def chat_messages(request: ModelRequest, window: int, *, needed_only: bool = False) -> list[dict[str, str]]:
    """The messages of a chat request, each one text.

    Args:
        window: the model's, in tokens. needed_only: name only the fields that a call must have.
    """
    names = {use.id: use.name for message in request.messages for use in message.tool_uses}
    spoken = [{"role": "system", "content": _system(request, window, needed_only)}]
    for message in request.messages:
        text = "\n\n".join(_texts(message, names, bool(request.tools)))
        if spoken[-1]["role"] == message.role:
            spoken[-1]["content"] += f"\n\n{text}"
        elif text:
            spoken.append({"role": message.role, "content": text})
    return spoken


def _system(request: ModelRequest, window: int, needed_only: bool) -> str:
    system = request.system
    if len(system) > window * CHARS_PER_TOKEN // GUIDANCE_SHARE:
        system = system.partition(GUIDANCE_BEGINS)[0][: window * CHARS_PER_TOKEN // GUIDANCE_SHARE]
    if not request.tools:
        return system
    return "\n".join((system, "", "Tools:", *(_line(tool, needed_only) for tool in request.tools), "", RULES))


def _line(tool: Tool, needed_only: bool) -> str:
    about = tool.description(None, ToolOptions()).strip().partition("\n")[0].partition(". ")[0]
    fields = ", ".join(tool.json_schema.get("required", ())) if needed_only else describe_fields(tool)
    return f"- {tool.name}: {about[:LINE_CHARS]}. Input: {fields or 'none'}"


def _texts(message: Message, names: dict[str, str], framed: bool) -> Iterator[str]:
    """The blocks as texts. What the model said itself stands in the form that it had to write it in."""
    said: list[Block] = [block for block in message.content if not isinstance(block, TextBlock) or block.text]
    for block in said:
        if isinstance(block, ToolUse):
            yield json.dumps({"tool": block.name, "input": thaw(block.input)}, ensure_ascii=False)
        elif isinstance(block, ToolResultBlock):
            yield f"{'Error' if block.is_error else 'Result'} of {names.get(block.tool_use_id, 'a tool')}: {block.text}"
        elif isinstance(block, ImageBlock):
            yield "[an image, which you cannot see]"
        elif isinstance(block, TextBlock):
            own = message.role == "assistant" and framed
            yield json.dumps({"answer": block.text}, ensure_ascii=False) if own else block.text


def chat_body(request: ModelRequest, messages: Sequence[dict[str, str]], max_tokens: int) -> dict[str, Any]:
    """The chat request without what constrains its answer. The likeliest words: this model has none to spare."""
    return {
        "messages": list(messages),
        "max_tokens": request.max_tokens or max_tokens,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
        "cache_prompt": True,
    }
