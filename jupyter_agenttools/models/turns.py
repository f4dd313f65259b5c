"""One answer of a model as data: written in a script, or given by a person, and played as a stream of parts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..core.blocks import TextBlock, ThinkingBlock, ToolUse, new_tool_use_id
from ..core.usage import Usage
from .faults import Fault
from .protocol import ModelPart, StopPart, TextPart, ThinkingPart, ToolUsePart

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal"]
STOP_REASONS: tuple[str, ...] = get_args(StopReason)

_CHUNK = re.compile(r"\s*\S+\s*|\s+")


@dataclass(frozen=True)
class RawToolUse:
    """A call as a model writes it: the text of its input, which may be anything.

    Args:
        name: the tool. raw_input: what stands where a JSON object should be.
        id: of the call.
    """

    name: str
    raw_input: str
    id: str = field(default_factory=new_tool_use_id)


TurnBlock = TextBlock | ThinkingBlock | ToolUse | RawToolUse


@dataclass(frozen=True)
class Turn:
    """One answer.

    Args:
        blocks: what the model says, thinks and calls, in order.
        stop_reason: why it ends; left out, ``tool_use`` where it calls something and ``end_turn`` where not.
        detail: more of that, e.g. why it refuses.
        usage: its tokens, ``None`` where nothing is known of them.
        fault: what goes wrong after the blocks, in place of an end.
        cut: the stream breaks off after the blocks, without an end.
        delay_s: seconds before each piece, ``None`` for the pace of the model; ``delays_s`` has those of single blocks
            by their index.

    A block of raw input that stands last before a fault or a cut was never finished: it does not come.
    """

    blocks: tuple[TurnBlock, ...] = ()
    stop_reason: StopReason | None = None
    detail: str = ""
    usage: Usage | None = None
    fault: Fault | None = None
    cut: bool = False
    delay_s: float | None = None
    delays_s: Mapping[int, float] = field(default_factory=dict)

    @property
    def ends(self) -> bool:
        """Whether the answer comes to its end."""
        return self.fault is None and not self.cut


async def play(turn: Turn, delay_s: float = 0.0) -> AsyncIterator[ModelPart]:
    """The parts of ``turn``, text and thinking word by word.

    Args:
        delay_s: seconds before each piece where the turn says nothing else.

    Raises:
        ModelError, UsageError: the turn's fault.
    """
    import anyio

    pace = delay_s if turn.delay_s is None else turn.delay_s
    for index, block in enumerate(turn.blocks):
        if isinstance(block, RawToolUse) and not turn.ends and index == len(turn.blocks) - 1:
            break
        for part in _parts(block):
            await anyio.sleep(turn.delays_s.get(index, pace))
            yield part
    if turn.fault is not None:
        raise turn.fault.error()
    if not turn.cut:
        yield StopPart(turn.stop_reason or _stop_reason(turn), turn.usage, turn.detail)


def _stop_reason(turn: Turn) -> StopReason:
    return "tool_use" if any(isinstance(block, (ToolUse, RawToolUse)) for block in turn.blocks) else "end_turn"


def _parts(block: TurnBlock) -> Iterator[ModelPart]:
    if isinstance(block, ToolUse):
        yield ToolUsePart(block)
    elif isinstance(block, RawToolUse):
        yield _read(block)
    elif isinstance(block, ThinkingBlock):
        *first, last = _CHUNK.findall(block.thinking) or [""]
        yield from map(ThinkingPart, first)
        yield ThinkingPart(last, block.signature)
    else:
        yield from map(TextPart, _CHUNK.findall(block.text))


def _read(block: RawToolUse) -> ToolUsePart:
    """The call as a provider's text is read, with the same words for what cannot be read."""
    from .providers.json_object import read_object

    try:
        return ToolUsePart(ToolUse(block.name, read_object(block.raw_input), block.id))
    except ValueError as why:
        problem = f"the input cannot be read: {why}. It starts with {block.raw_input[:80]!r}"
        return ToolUsePart(ToolUse(block.name, {}, block.id), problem)
