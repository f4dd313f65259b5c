"""What became of one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .blocks import ToolResultBlock, ToolUse
from .call import CallStatus
from .decision import Decision
from .result import ToolResult

if TYPE_CHECKING:
    from .events import StageEvent
    from .tool import Tool


@dataclass(frozen=True, repr=False)
class Outcome:
    """The end of one call.

    Args:
        tool_use: the block that asked, with the input that was judged last.
        status: ``ok``, ``error``, ``denied`` or ``interrupted``.
        block: the ``tool_result`` for the model; there is always exactly one.
        output: the tool's structured output, ``None`` when it did not get that far.
        decision: what the gate said, ``None`` when the call ended before it.
        events: one :class:`StageEvent` for each stage that ran, in order.
        tool: the tool, ``None`` when nothing has that name.
        input: the parsed input, ``None`` when it did not parse.
        error: the exception that ended it, if one did.
        result: the whole ``ToolResult``.
        duration_ms: wall time, prompts included.
    """

    tool_use: ToolUse
    status: CallStatus
    block: ToolResultBlock
    output: Any = None
    decision: Decision | None = None
    events: tuple[StageEvent, ...] = ()
    tool: Tool | None = None
    input: Any = None
    error: BaseException | None = None
    result: ToolResult[Any] | None = None
    duration_ms: float = 0.0

    @property
    def text(self) -> str:
        """The text that the model reads."""
        return self.block.text

    @property
    def is_error(self) -> bool:
        return self.block.is_error

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 200 else self.text[:200] + "…"
        return f"<Outcome {self.tool_use.name} {self.status}: {text!r}>"
