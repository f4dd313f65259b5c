"""The wire blocks of a conversation, and the messages that hold them.

A block is a frozen object with attributes that is at the same time the read-only mapping that goes over the wire:
``block.content`` and ``block["content"]`` are the same, and ``dict(block)`` is what a provider is sent.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

from .texts import visible


def new_tool_use_id() -> str:
    """A fresh id for a ``tool_use`` block, e.g. ``toolu_3f0c…``."""
    return f"toolu_{uuid.uuid4().hex[:24]}"


class WireBlock(Mapping[str, Any]):
    """A frozen dataclass that reads as its own wire mapping. Fields that are ``None`` are left out."""

    type: ClassVar[str]

    def __getitem__(self, key: str) -> Any:
        if key == "type":
            return self.type
        if key in self:
            return getattr(self, key)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key == "type" or (isinstance(key, str) and key in self._names() and getattr(self, key) is not None)

    def __iter__(self) -> Iterator[str]:
        yield "type"
        yield from (name for name in self._names() if getattr(self, name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_wire(self) -> dict[str, Any]:
        """A fresh dict of what goes over the wire, without looking into nested blocks."""
        return {"type": self.type, **{name: value for name, value in self.__dict__.items() if value is not None}}

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return tuple(f.name for f in fields(cls))  # type: ignore[arg-type]


@dataclass(frozen=True)
class TextBlock(WireBlock):
    """A piece of text. What no encoder would take in it is spelled out: a block goes over the wire."""

    type: ClassVar[str] = "text"
    text: str

    def __post_init__(self) -> None:
        if isinstance(self.text, str) and (shown := visible(self.text)) is not self.text:
            object.__setattr__(self, "text", shown)


@dataclass(frozen=True)
class ThinkingBlock(WireBlock):
    """What a model thought before it answered; it goes back to the provider as it came.

    Args:
        thinking: the text, ``""`` where the provider keeps it to itself.
        signature: the provider's proof that the text is its own; without it the block stays out of later requests.
    """

    type: ClassVar[str] = "thinking"
    thinking: str
    signature: str | None = None


@dataclass(frozen=True)
class ImageBlock(WireBlock):
    """An image; ``source`` is ``{"type": "base64", "media_type": …, "data": …}``."""

    type: ClassVar[str] = "image"
    source: Mapping[str, str]


@dataclass(frozen=True)
class ToolUse(WireBlock):
    """A model's (or a person's) wish to run one tool.

    Args:
        name: the tool's name or one of its aliases.
        input: the raw input, an object.
        id: unique in the conversation; made up when not given.
    """

    type: ClassVar[str] = "tool_use"
    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=new_tool_use_id)


@dataclass(frozen=True)
class ToolResultBlock(WireBlock):
    """The one answer to a :class:`ToolUse`. ``content`` is text or a sequence of text and image blocks.

    A text is held as :class:`TextBlock` does: names of files and outputs of programs may be anything.
    """

    type: ClassVar[str] = "tool_result"
    tool_use_id: str
    content: str | Sequence[TextBlock | ImageBlock]
    is_error: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.content, str) and (shown := visible(self.content)) is not self.content:
            object.__setattr__(self, "content", shown)

    @property
    def text(self) -> str:
        """The text a model would read; an image stands as ``[image]``."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(b.text if isinstance(b, TextBlock) else "[image]" for b in self.content)


Block = TextBlock | ThinkingBlock | ImageBlock | ToolUse | ToolResultBlock


def as_blocks(output: Any) -> tuple[TextBlock | ImageBlock, ...]:
    """The text and image blocks that a tool's output consists of, none when it is something else."""
    blocks = tuple(output) if isinstance(output, (list, tuple)) else (output,)
    return blocks if all(isinstance(block, (TextBlock, ImageBlock)) for block in blocks) else ()


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    Args:
        role: who speaks.
        content: its blocks, in order.
        source_tool_use_id: the call during which a user message was made, if any; such a message stays transient
            until that call has its result.
    """

    role: Literal["user", "assistant"]
    content: tuple[Block, ...]
    source_tool_use_id: str | None = None

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        return tuple(b for b in self.content if isinstance(b, ToolUse))

    @property
    def text(self) -> str:
        return "".join(b.text for b in self.content if isinstance(b, TextBlock))


def tag_messages_with_tool_use_id(messages: Sequence[Message], tool_use_id: str) -> tuple[Message, ...]:
    """The same messages, those of the user marked as made during that call: they stay transient until it resolves."""
    return tuple(replace(m, source_tool_use_id=tool_use_id) if m.role == "user" else m for m in messages)


def get_tool_use_id_from_parent_message(parent: Message, tool_name: str) -> str | None:
    """The id of the first call of ``tool_name`` in an assistant message, ``None`` when there is none."""
    return next((use.id for use in parent.tool_uses if use.name == tool_name), None)


def json_text(value: Any) -> str:
    """Blocks, messages and frozen values as JSON in one line, with every letter as it is."""
    return json.dumps(to_json(value), ensure_ascii=False)


def to_json(value: Any) -> Any:
    """The plain JSON data of blocks, messages and frozen values, at every depth."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, WireBlock):
        return {name: to_json(item) for name, item in value.to_wire().items()}
    if isinstance(value, Message):
        return {"role": value.role, "content": [to_json(b) for b in value.content]}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(item) for item in value]
    return value
