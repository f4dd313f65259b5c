"""What ``Session.query`` yields while a turn goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .blocks import Message, ToolUse
from .outcome import Outcome


@dataclass(frozen=True)
class TextDelta:
    """A piece of the assistant's text, as it streams."""

    text: str


@dataclass(frozen=True)
class ToolUseReady:
    """A ``tool_use`` block whose input is complete."""

    tool_use: ToolUse


@dataclass(frozen=True)
class MessageAdded:
    """A message that entered the conversation."""

    message: Message


@dataclass(frozen=True)
class CallFinished:
    """One call's end; these come in the order of the ``tool_use`` blocks."""

    outcome: Outcome


@dataclass(frozen=True)
class TurnEnded:
    """The end of the query.

    Args:
        reason: the model had nothing more to run, the turn limit was reached, somebody stopped it, it failed, or a hook
            ended it.
        text: the final answer, Markdown.
        detail: for ``error``, ``interrupted`` and ``hook``: what happened.
    """

    reason: Literal["end_turn", "max_turns", "interrupted", "error", "hook"]
    text: str = ""
    detail: str = ""


Update = TextDelta | ToolUseReady | MessageAdded | CallFinished | TurnEnded
