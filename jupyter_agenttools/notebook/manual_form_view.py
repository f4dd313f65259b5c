"""What a model is given, for a person who plays one: system prompt, tools, conversation, and what is new in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse, to_json
from ..core.context import ToolOptions
from ..core.tool import Tool
from ..core.views import CodeBlockView, JsonBlockView, TextBlockView, ViewBlock
from ..models import ModelRequest
from ..render.chars import count_of, one_line
from ..render.html import block_html, details_html, styled
from ..render.limits import Limits

SHOWN_MESSAGES = 40
LINE_CHARS = 100
TEXT = Limits(shown_lines=60, kept_chars=20_000, line_chars=4_000)
NEW = Limits(shown_lines=40, kept_chars=12_000, line_chars=4_000)


def request_html(request: ModelRequest) -> str:
    """All that the model is given, folded, and below it what it has not answered yet."""
    parts = [
        _folded(f"System prompt · {len(request.system):,} characters", [CodeBlockView(request.system, "text")]),
        details_html(f"Tools · {len(request.tools)}", "".join(_tool_html(tool) for tool in request.tools)),
        details_html(f"Conversation · {count_of(len(request.messages), 'message')}", _conversation_html(request)),
    ]
    new = "".join(block_html(block, NEW) for block in _views(unanswered(request.messages)))
    return styled("".join(parts) + f'<div role="status" aria-live="polite">{new}</div>')


def unanswered(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages since the model's last answer."""
    at = next((at for at in range(len(messages), 0, -1) if messages[at - 1].role == "assistant"), 0)
    return tuple(messages[at:])


def answers_so_far(messages: Sequence[Message]) -> int:
    """How often the model has answered in this conversation."""
    return sum(message.role == "assistant" for message in messages)


def _folded(summary: str, blocks: Iterable[ViewBlock]) -> str:
    return details_html(summary, "".join(block_html(block, TEXT) for block in blocks))


def _tool_html(tool: Tool) -> str:
    words = tool.description(None, ToolOptions()).strip()
    first = one_line(words.partition("\n")[0], LINE_CHARS)
    blocks = (TextBlockView(words), JsonBlockView(to_json(tool.json_schema), title="input schema"))
    return _folded(f"{tool.name} – {first}", blocks)


def _conversation_html(request: ModelRequest) -> str:
    shown = request.messages[-SHOWN_MESSAGES:]
    earlier = len(request.messages) - len(shown)
    note = f'<p class="agt-note">… {count_of(earlier, "earlier message")}</p>' if earlier else ""
    return note + "".join(_message_html(message) for message in shown)


def _message_html(message: Message) -> str:
    summary = one_line(f"{message.role}: {' · '.join(map(block_words, message.content))}", LINE_CHARS)
    return _folded(summary, _views([message]))


def _views(messages: Iterable[Message]) -> Iterable[ViewBlock]:
    """Blocks as they are: whoever plays the model sees the characters that it sees, and no Markdown."""
    return (_view(block) for message in messages for block in message.content)


def _view(block: Any) -> ViewBlock:
    match block:
        case TextBlock(text=text):
            return CodeBlockView(text, "text", title="text")
        case ThinkingBlock(thinking=thinking):
            return CodeBlockView(thinking, "text", title="thought")
        case ToolUse(name=name, input=input, id=id):
            return JsonBlockView(to_json(input), title=f"call of {name} ({id})")
        case ToolResultBlock(tool_use_id=id, is_error=failed):
            return CodeBlockView(block.text, "text", title=f"{'error' if failed else 'result'} of {id}")
        case ImageBlock():
            return TextBlockView("[image]")
    return JsonBlockView(to_json(block))


def block_words(block: Any) -> str:
    """A block in a few words."""
    match block:
        case TextBlock(text=text) | ThinkingBlock(thinking=text):
            return text
        case ToolUse(name=name):
            return f"calls {name}"
        case ToolResultBlock(is_error=failed):
            return f"{'error' if failed else 'result'}: {block.text}"
    return "an image"
