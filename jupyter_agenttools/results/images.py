"""No image enters a conversation unseen: each one that a tool hands back is decoded first, whichever tool it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import anyio.to_thread

from ..core.blocks import Message, ToolResultBlock
from ..core.cancel import Cancellation


async def with_sound_images(block: ToolResultBlock, cancellation: Cancellation) -> tuple[ToolResultBlock, str]:
    """The block with only such images as every provider takes, and what was done, in one sentence.

    Raises:
        InterruptedToolError: the call was stopped.
    """
    if isinstance(block.content, str) or not any(map(_is_image, block.content)):
        return block, ""
    content = await anyio.to_thread.run_sync(_sound, block.content, cancellation)
    if len(content) == len(block.content) and all(new is old for new, old in zip(content, block.content, strict=True)):
        return block, ""
    return replace(block, content=content), "images were left out or changed to what providers take"


async def messages_with_sound_images(messages: tuple[Message, ...], cancellation: Cancellation) -> tuple[Message, ...]:
    """The same for messages that a tool adds to the conversation."""
    if not messages or not any(_is_image(part) for message in messages for part in _flat(message.content)):
        return messages
    return tuple([await _message(message, cancellation) for message in messages])


async def _message(message: Message, cancellation: Cancellation) -> Message:
    parts: list[Any] = []
    for part in message.content:
        if isinstance(part, ToolResultBlock):
            parts.append((await with_sound_images(part, cancellation))[0])
        elif _is_image(part):
            parts += await anyio.to_thread.run_sync(_sound, (part,), cancellation)
        else:
            parts.append(part)
    return replace(message, content=tuple(parts))


def _flat(content: Sequence[Any]) -> list[Any]:
    inner = [part.content for part in content if isinstance(part, ToolResultBlock)]
    return [*content, *(part for each in inner if not isinstance(each, str) for part in each)]


def _is_image(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "image"


def _sound(content: Sequence[Any], cancellation: Cancellation) -> tuple[Any, ...]:
    from ..media.checking import sound_image  # only where there are images
    from ..media.process import MediaProcess

    found: list[Any] = []
    with MediaProcess(cancellation) as process:
        for part in content:
            found += sound_image(process, part) if _is_image(part) else (part,)
    return tuple(found)
