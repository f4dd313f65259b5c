"""How big is a request, in the model's tokens, and how big may it be?"""

from __future__ import annotations

import json
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.blocks import Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse, to_json
from ..core.cancel import Cancellation, CutScope
from ..core.context import ToolOptions
from ..core.faults import faults
from ..core.rough_tokens import BLOCK_TOKENS, message_tokens, rough_tokens
from ..core.sequences import same_beginning
from ..core.tool import Tool
from ..core.usage import Usage
from ..models import Model, ModelRequest
from ..models.protocol import token_counter

DEFAULT_CONTEXT_WINDOW = 200_000
"""Tokens, for a model that does not say; what most of the larger ones have at least."""

COMPACTION_SHARE = 0.9
"""Of the window; a fuller one is shortened. Other projects documented 0.8 to 0.95; Inspect and VT Code take this."""

MAX_ANSWER_TOKENS = 8_192
"""Room that is left for an answer where the request sets no limit of its own."""

ANSWER_SHARE = 0.25
"""Of a small window, at most, for that."""

COUNTED_FROM = 0.5
"""From this part of the threshold on it is worth asking a model that can count."""

PLAUSIBLE = (0.25, 4.0)
"""How far what a provider says may be from the estimate. Some report only what was not in their cache."""


def context_window(model: Model | None) -> int:
    """How many tokens a request and its answer may have together."""
    window = getattr(model, "context_window", None)
    return window if isinstance(window, int) and window > 0 else DEFAULT_CONTEXT_WINDOW


def compaction_threshold(window: int, answer_tokens: int | None = None) -> int:
    """From how many tokens on a request should be made smaller, so that it fits with its answer.

    Args:
        window: of the model, in tokens. answer_tokens: the longest answer that is asked for, ``None`` for no limit.
    """
    answer = min(MAX_ANSWER_TOKENS, int(window * ANSWER_SHARE)) if answer_tokens is None else answer_tokens
    return max(min(int(window * COMPACTION_SHARE), window - answer), window // 2)


@dataclass(frozen=True)
class _Anchor:
    """A request whose size is known: what was estimated, and what it really was."""

    estimated: int
    counted: int


class TokenMeter:
    """Says how big the requests of one conversation are.

    What the provider said of an earlier request is the anchor, and only what came since is estimated. A conversation
    that grows costs its new messages; only where it changed in its middle is it measured again from there.
    """

    def __init__(self) -> None:
        self._messages: Sequence[Message] = ()
        self._sizes: list[int] = []
        self._total = 0
        self._tools: weakref.WeakKeyDictionary[Tool, int] = weakref.WeakKeyDictionary()
        self._anchor: _Anchor | None = None

    def count(self, request: ModelRequest) -> int:
        """About how many tokens the request has."""
        return self._corrected(self._estimate(request))

    async def measure(self, request: ModelRequest, model: Model, cancellation: Cancellation | None = None) -> int:
        """As :meth:`count`; a model that can count is asked once, where it may matter and nothing else is known.

        A count that fails or is stopped is no count: then the estimate stands.
        """
        estimate = self.count(request)
        threshold = compaction_threshold(context_window(model), request.max_tokens)
        count = token_counter(model)
        if self._anchor is not None or count is None or estimate < threshold * COUNTED_FROM:
            return estimate
        exact = 0
        with CutScope(cancellation or Cancellation()):
            try:
                exact = await count(request_text(request))
            except faults():  # whoever counts may fail in any way; it was only about a better number
                return estimate
        if exact > 0:
            self._anchor = _Anchor(self._estimate(request), exact)
        return self.count(request)

    def note(self, request: ModelRequest, usage: Usage | None) -> None:
        """The provider has said how big this request was."""
        if usage is None:
            return
        estimated = self._estimate(request)
        low, high = PLAUSIBLE
        if low * estimated <= usage.prompt_tokens <= high * estimated:
            self._anchor = _Anchor(estimated, usage.prompt_tokens)

    def reset(self) -> None:
        """Forget what was learnt: another model answers from now on."""
        self._anchor = None

    def _corrected(self, estimate: int) -> int:
        """The estimate, moved by what the anchor was off; in proportion where less is sent than it had."""
        if self._anchor is None:
            return estimate
        if estimate >= self._anchor.estimated:
            return estimate + self._anchor.counted - self._anchor.estimated
        return round(estimate * self._anchor.counted / self._anchor.estimated)

    def _estimate(self, request: ModelRequest) -> int:
        known = same_beginning(self._messages, request.messages)
        if known < len(self._sizes):
            self._total -= sum(self._sizes[known:])
            del self._sizes[known:]
        fresh = [message_tokens(message) for message in request.messages[known:]]
        self._sizes += fresh
        self._total += sum(fresh)
        self._messages = request.messages
        return rough_tokens(request.system) + sum(map(self._tool, request.tools)) + self._total

    def _tool(self, tool: Tool) -> int:
        size = self._tools.get(tool)
        if size is None:
            size = self._tools[tool] = BLOCK_TOKENS + rough_tokens(_tool_text(tool))
        return size


def request_text(request: ModelRequest) -> str:
    """A request as one text, for counting; images stand as ``[image]``."""
    parts = [request.system, *map(_tool_text, request.tools)]
    for message in request.messages:
        parts.append(message.role)
        parts += map(block_text, message.content)
    return "\n".join(parts)


def block_text(block: object) -> str:
    """A block as text."""
    if isinstance(block, (TextBlock, ToolResultBlock)):
        return block.text
    if isinstance(block, ToolUse):
        return f"{block.name} {json.dumps(to_json(block.input), ensure_ascii=False, default=str)}"
    return block.thinking if isinstance(block, ThinkingBlock) else "[image]"


def _tool_text(tool: Tool) -> str:
    schema = json.dumps(to_json(tool.json_schema), default=str)
    return f"{tool.name}\n{tool.description(None, ToolOptions())}\n{schema}"
