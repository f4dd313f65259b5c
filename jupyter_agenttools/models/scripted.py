"""A model that plays turns written beforehand: for teaching, for demonstrations and for tests."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.blocks import Message, TextBlock, ToolUse
from ..core.errors import UsageError
from .protocol import ModelPart, ModelRequest, StopPart, TextPart, ToolUsePart

Turn = tuple[TextBlock | ToolUse, ...]
TurnSource = Any
"""What a turn may be written as: a text, a block, a list of blocks, ``{"text": …, "tool_uses": […]}``, or a function
of the messages so far that returns one of these."""

_CHUNK = re.compile(r"\S*\s*")


class ScriptedModel:
    """Plays ``turns`` one after the other, whatever it is asked.

    Args:
        turns: see :data:`TurnSource`; wire blocks (``{"type": "tool_use", "name": …, "input": …}``) are understood.
        delay_s: seconds between two pieces of streamed text.

    Raises:
        UsageError: a turn that cannot be read; names its number.
    """

    name = "scripted"

    def __init__(self, turns: Sequence[TurnSource], *, delay_s: float = 0.0) -> None:
        self._turns = [turn if callable(turn) else read_turn(turn, n) for n, turn in enumerate(turns, 1)]
        self._next = 0
        self._delay_s = delay_s

    @classmethod
    def from_json(cls, text: str, *, where: str = "the script", delay_s: float = 0.0) -> ScriptedModel:
        """A model of the script in ``text``: a JSON array of turns, or an object with ``turns``.

        Raises:
            UsageError: not JSON (names line and column), or a turn that cannot be read.
        """
        try:
            data = json.loads(text)
        except ValueError as error:
            raise UsageError(f"{where} is not JSON: {error}") from error
        turns = data.get("turns") if isinstance(data, Mapping) else data
        if not isinstance(turns, list):
            raise UsageError(f"{where}: expected a list of turns, or an object with `turns`")
        return cls(turns, delay_s=delay_s)

    @classmethod
    def load(cls, path: str | Path, *, delay_s: float = 0.0) -> ScriptedModel:
        """A model of the script in a JSON file.

        Raises:
            UsageError: the file cannot be read, or see :meth:`from_json`.
        """
        try:
            text = Path(path).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"script {path}: {error}") from error
        return cls.from_json(text, where=str(path), delay_s=delay_s)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        turn = self._take(request.messages)
        for block in turn:
            if isinstance(block, ToolUse):
                yield ToolUsePart(block)
                continue
            for chunk in filter(None, _CHUNK.findall(block.text)):
                yield TextPart(chunk)
                await self._pause()
        yield StopPart("tool_use" if any(isinstance(b, ToolUse) for b in turn) else "end_turn")

    def _take(self, messages: tuple[Message, ...]) -> Turn:
        if self._next >= len(self._turns):
            return (TextBlock("(The script has no more turns.)"),)
        number = self._next + 1
        source: Turn | Callable[[tuple[Message, ...]], TurnSource] = self._turns[self._next]
        self._next = number
        return read_turn(source(messages), number) if callable(source) else source

    async def _pause(self) -> None:
        import anyio

        await anyio.sleep(self._delay_s)


def read_turn(source: TurnSource, number: int) -> Turn:
    """The blocks of one written turn.

    Raises:
        UsageError: it cannot be read; names the turn.
    """
    if isinstance(source, Mapping) and "type" not in source:
        unknown = sorted(source.keys() - {"text", "tool_uses"})
        if unknown:
            raise UsageError(f"turn {number}: unknown key {unknown[0]!r}; a turn has `text` and `tool_uses`")
        texts = (source["text"],) if "text" in source else ()
        return tuple(_block(b, number) for b in (*texts, *source.get("tool_uses", ())))
    if isinstance(source, (str, Mapping)):
        return (_block(source, number),)
    if isinstance(source, Sequence):
        return tuple(_block(b, number) for b in source)
    raise UsageError(f"turn {number}: a turn is a text, a block or a list of blocks, not {type(source).__name__}")


def _block(source: Any, number: int) -> TextBlock | ToolUse:
    if isinstance(source, (TextBlock, ToolUse)):
        return source
    if isinstance(source, str):
        return TextBlock(source)
    if isinstance(source, Mapping) and isinstance(source.get("text"), str):
        return TextBlock(source["text"])
    if isinstance(source, Mapping) and isinstance(source.get("name"), str):
        given = {"id": source["id"]} if source.get("id") else {}
        return ToolUse(source["name"], source.get("input") or {}, **given)
    raise UsageError(f"turn {number}: {source!r} is neither a text nor a tool_use with `name` and `input`")
