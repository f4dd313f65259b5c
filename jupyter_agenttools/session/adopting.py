"""Letting a conversation go on from the messages of a turn that ran before, in another session or another kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.conversation import repair_history
from ..core.blocks import Message
from .wire_messages import MessageReader

if TYPE_CHECKING:
    from .session import Session


def messages_of(data: Iterable[Any]) -> tuple[Message, ...]:
    """Messages from their JSON data, mended so that a provider takes them; what is none is left out."""
    reader = MessageReader(Path())
    return repair_history([message for each in data if (message := reader.message(each)) is not None])[0]


def adopt(session: Session, messages: Sequence[Message]) -> Message:
    """Put messages at the end of a session's conversation, whose next turn goes on from them.

    Returns the first of them, as it stands there.
    """
    first, *rest = messages
    stands = session.conversation.add(first)
    for message in rest:
        session.conversation.add(message)
    return stands
