"""What ``Session.query`` yields while a turn goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .blocks import Message, ToolUse
from .outcome import Outcome
from .usage import NO_USAGE, Usage


@dataclass(frozen=True)
class TextDelta:
    """A piece of the assistant's text, as it streams."""

    text: str


@dataclass(frozen=True)
class ThinkingDelta:
    """A piece of what the model thinks, as it streams."""

    text: str


@dataclass(frozen=True)
class ModelRetry:
    """The model did not answer and is asked again.

    Args:
        why: what it said. delay_s: seconds until then. attempt: the number of the next try, from 2.
    """

    why: str
    delay_s: float
    attempt: int


@dataclass(frozen=True)
class UsageAdded:
    """What one answer of the model used up.

    Args:
        usage: its tokens.
        cost_usd: US dollars, ``None`` where no price of the model is known.
    """

    usage: Usage
    cost_usd: float | None = None


@dataclass(frozen=True)
class Compacted:
    """The conversation was shortened: older messages were replaced by a summary.

    Args:
        summary: the text that stands for them.
        messages: how many were replaced.
        tokens_before, tokens_after: estimated size of the request.
    """

    summary: str
    messages: int
    tokens_before: int
    tokens_after: int


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
        reason: the model had nothing more to run, the turn limit was reached, somebody stopped it, it failed, a hook
            ended it, the model refused, or its answer was cut off at the provider's limit.
        text: the final answer, Markdown.
        detail: for every reason but ``end_turn``: what happened and what to do.
        usage: the tokens of all answers of the query.
        cost_usd: what they cost in US dollars, ``None`` where no price is known.
        turns: how many times the model was asked.
        structured_output: the answer as plain JSON data that fits the query's ``output_schema``; ``None`` where it has
            none, or the model gave nothing that fits.
    """

    reason: Literal["end_turn", "max_turns", "interrupted", "error", "hook", "refusal", "max_tokens"]
    text: str = ""
    detail: str = ""
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    turns: int = 0
    structured_output: Any = None


Update = (
    TextDelta
    | ThinkingDelta
    | ToolUseReady
    | ModelRetry
    | UsageAdded
    | Compacted
    | MessageAdded
    | CallFinished
    | TurnEnded
)
