"""May this message enter the conversation?

A provider that refuses one block refuses the whole request, and every later one, since each sends the conversation
again. So whatever comes (a prompt, a result, what a hook or a recording says) is looked at first. What cannot go in
becomes a text that says so; a call and its result always stay, whatever happens to what they hold.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

from ..core.blocks import Block, ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from ..core.faults import faults, words_of
from ..core.texts import visible
from ..media.kinds import HEAD_BYTES, MEDIA_TYPES, image_format
from ..media.limits import MAX_BASE64_CHARS
from ..results import clip
from .use_ids import portable_id

MAX_TEXT_CHARS = 1_000_000
"""Characters of one text. OpenAI and what speaks like it refuse a string of more than 1,048,576."""

MAX_MESSAGE_CHARS = 16_000_000
"""Characters of one message, images as base64. Anthropic takes requests of 32 MB; there are other messages beside."""

MAX_IMAGES = 100
"""Images of one message. Anthropic takes so many in a request."""

MAX_DEPTH = 100
"""Levels of lists and objects in the input of a call."""

MAX_INT_BITS = 1_024
"""A longer number is more than readers of JSON hold in a float."""

MAX_NAME_CHARS = 128
"""Of the name of a tool; Anthropic's limit. The signs are those that it and Bedrock take."""

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME_CHARS}}}")

NOTHING = TextBlock("(nothing)")
"""Stands where a message would have nothing in it."""


@dataclass(frozen=True)
class Admitted:
    """What goes into the conversation.

    Args:
        message: the message, the same object where nothing had to be changed.
        refusals: what was left out or changed, one sentence each.
    """

    message: Message
    refusals: tuple[str, ...] = ()


def admit(message: Message) -> Admitted:
    """What of this message may enter the conversation? Takes any content and never raises."""
    gate = _Gate()
    content = _with_words([gate.pass_block(block) for block in message.content], gate.refusals)
    if not gate.refusals and _same(content, message.content):
        return Admitted(message)
    return Admitted(replace(message, content=content), tuple(gate.refusals))


class _Gate:
    """Looks at the blocks of one message, one after the other, and keeps count of what they take."""

    def __init__(self) -> None:
        self.refusals: list[str] = []
        self._chars = MAX_MESSAGE_CHARS
        self._images = MAX_IMAGES

    def pass_block(self, block: Any) -> Block:
        try:
            return self._passed(as_block(block))
        except faults() as fault:  # a block may be anybody's object, and even looking at it can fail
            return self._unreadable(block, f"it cannot be read ({type(fault).__name__}: {visible(words_of(fault))})")

    def _passed(self, block: Block) -> Block:
        if isinstance(block, ToolResultBlock):
            return self._result(block)
        if isinstance(block, ToolUse):
            return self._use(block)
        if isinstance(block, ThinkingBlock):
            return self._thinking(block)
        return self._part(block)

    # ---- each kind of block

    def _part(self, block: Any) -> TextBlock | ImageBlock:
        block = as_block(block)
        if isinstance(block, TextBlock):
            return self._text(block)
        if not isinstance(block, ImageBlock):
            return self._left_out(f"a {block.type} block", "here only texts and images can stand")
        why = self._image_fault(block)
        if why:
            return self._left_out("an image", why)
        self._images -= 1
        self._chars -= len(block.source["data"])
        return self._rightly_named(block)

    def _rightly_named(self, block: ImageBlock) -> ImageBlock:
        """The image under the media type that its bytes show."""
        found, said = MEDIA_TYPES[_format(block.source["data"]) or ""], block.source.get("media_type")
        if found == said:
            return block
        self.refusals.append(f"an image said that it is {said!r}, but it is {found}: it goes in as that")
        return ImageBlock({**block.source, "media_type": found})

    def _text(self, block: TextBlock) -> TextBlock:
        text = self._cut(block.text)
        return block if text is block.text else TextBlock(text)

    def _cut(self, text: str) -> str:
        """The text, at most as long as there is room for."""
        room = min(MAX_TEXT_CHARS, max(self._chars, 0))
        if len(text) > room:
            self.refusals.append(f"a text of {len(text):,} characters was cut to {room:,}: more cannot be sent")
            text = clip(text, room)
        self._chars -= len(text)
        return text

    def _thinking(self, block: ThinkingBlock) -> ThinkingBlock:
        shown = visible(block.thinking)
        self._chars -= len(shown)
        if shown is block.thinking and (block.signature is None or visible(block.signature) is block.signature):
            return block
        self.refusals.append("half characters in a thought were spelled out; its signature is gone with them")
        return ThinkingBlock(shown)

    def _use(self, block: ToolUse) -> ToolUse:
        size = _json_bytes(block.input) if isinstance(block.input, Mapping) else None
        if size is None or size > min(MAX_TEXT_CHARS, self._chars):
            self.refusals.append(f"the input of {_sendable_name(block.name)} was changed to what can be sent as JSON")
            plain = self._plain(block.input)
            block = replace(block, input=plain if isinstance(plain, dict) else {"input": plain})
        else:
            self._chars -= size
        name, id = _sendable_name(block.name), _sendable_id(block.id)
        return block if name is block.name and id is block.id else replace(block, name=name, id=id)

    def _plain(self, value: Any, depth: int = 0) -> Any:
        """The value as JSON data with texts that can be sent."""
        if depth > MAX_DEPTH:
            return "[left out: it lies too deep]"
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            bits = value.bit_length()
            return value if bits < MAX_INT_BITS else f"[left out: a number of {bits:,} bits]"
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, Mapping):
            return {self._plain_text(str(key)): self._plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(item, depth + 1) for item in value]
        return self._plain_text(str(value))

    def _plain_text(self, text: str) -> str:
        return self._cut(visible(text))

    def _result(self, block: ToolResultBlock) -> ToolResultBlock:
        id = _sendable_id(block.tool_use_id)
        content: str | Sequence[TextBlock | ImageBlock]
        if isinstance(block.content, str):
            content = self._cut(block.content)
            same = content is block.content
        else:
            parts = [self._result_part(part, block.is_error) for part in block.content]
            content = tuple([part for part in parts if not (isinstance(part, TextBlock) and _is_blank(part.text))])
            same = _same(content, block.content)
        return block if same and id is block.tool_use_id else ToolResultBlock(id, content, block.is_error)

    def _result_part(self, part: Any, is_error: bool) -> TextBlock | ImageBlock:
        try:
            if is_error and isinstance(as_block(part), ImageBlock):
                return self._left_out("an image", "providers take only texts in the result of a failed call")
            return self._part(part)
        except faults() as fault:
            return self._left_out("a part", f"it cannot be read ({type(fault).__name__}: {visible(words_of(fault))})")

    def _image_fault(self, block: ImageBlock) -> str:
        """Why this image cannot go in, ``""`` when it can. It is not decoded here: that was done where it came from."""
        data = block.source.get("data")
        if block.source.get("type") != "base64" or not isinstance(data, str) or not data:
            return "its data is not here as base64 text"
        if len(data) > MAX_BASE64_CHARS:
            return f"its base64 text has {len(data):,} characters, and providers take at most {MAX_BASE64_CHARS:,}"
        if len(data) > self._chars:
            return f"the message would get longer than {MAX_MESSAGE_CHARS:,} characters"
        if self._images <= 0:
            return f"a message can hold at most {MAX_IMAGES} images"
        return "" if _format(data) in MEDIA_TYPES else f"its bytes are none of {', '.join(MEDIA_TYPES)}"

    # ---- what cannot go in

    def _unreadable(self, block: Any, why: str) -> Block:
        """What stands for a block that cannot be looked at; a call and a result stay what they are."""
        if issubclass(type(block), ToolResultBlock):  # not isinstance: that asks the object
            return ToolResultBlock(_sendable_id(block.tool_use_id), self._left_out("a result", why).text, is_error=True)
        if issubclass(type(block), ToolUse):
            name, id = _sendable_name(block.name), _sendable_id(block.id)
            return replace(block, name=name, id=id, input={"left_out": self._left_out("an input", why).text})
        return self._left_out("a block", why)

    def _left_out(self, what: str, why: str) -> TextBlock:
        self.refusals.append(f"{what} was left out: {why}")
        return TextBlock(f"[{what} was left out here: {why}]")


def as_block(block: Any) -> Block:
    """The block that this object is, or that this wire mapping says it is.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(block, (TextBlock, ThinkingBlock, ImageBlock, ToolUse, ToolResultBlock)):
        return block
    kind = block.get("type") if isinstance(block, Mapping) else None
    made = _WIRE.get(kind) if isinstance(kind, str) else None
    if made is None:
        raise ValueError(f"blocks of the type {kind or type(block).__name__!r} are not known here")
    return made(block)


_WIRE: Mapping[str, Any] = {
    "text": lambda wire: TextBlock(_string(wire["text"])),
    "thinking": lambda wire: ThinkingBlock(_string(wire["thinking"]), wire.get("signature")),
    "image": lambda wire: ImageBlock(dict(wire["source"])),
    "tool_use": lambda wire: ToolUse(_string(wire["name"]), wire["input"], _string(wire["id"])),
    "tool_result": lambda wire: ToolResultBlock(
        _string(wire["tool_use_id"]), _held(wire.get("content", "")), bool(wire.get("is_error"))
    ),
}


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is wanted, and here is a {type(value).__name__}")
    return value


def _held(content: Any) -> Any:
    return content if isinstance(content, str) else tuple(content)


def _json_bytes(value: Any) -> int | None:
    """How many bytes the value is as JSON, ``None`` when it cannot be sent as such."""
    try:
        return len(json.dumps(value, allow_nan=False, ensure_ascii=False, default=_mapping).encode())
    except (TypeError, ValueError, RecursionError):  # UnicodeEncodeError, for half characters, is a ValueError
        return None


def _mapping(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def _sendable_id(id: Any) -> str:
    return portable_id(id if isinstance(id, str) else "")


def _sendable_name(name: Any) -> str:
    """A tool's name in a form that can be sent: a model may call tools that do not exist by any name, and providers
    refuse the conversation for it ever after."""
    name = name if isinstance(name, str) else ""
    return name if _NAME.fullmatch(name) else re.sub(r"[^A-Za-z0-9_-]", "_", name)[:MAX_NAME_CHARS] or "unnamed"


def _format(data: str) -> str | None:
    """The image format that the beginning of the base64 text shows."""
    head = data[: HEAD_BYTES // 3 * 4]
    return image_format(base64.b64decode(head + "=" * (-len(head) % 4), validate=True))


def _with_words(blocks: Sequence[Block], refusals: list[str]) -> tuple[Block, ...]:
    """The blocks without empty texts, which providers refuse; something is always there."""
    kept = tuple([block for block in blocks if not (isinstance(block, TextBlock) and _is_blank(block.text))])
    if len(kept) < len(blocks):
        refusals.append("an empty text was left out")
    return kept or (NOTHING,)


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def _same(content: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(content) == len(other) and all(map(is_, content, other))
