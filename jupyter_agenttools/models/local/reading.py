"""The text that the constrained model writes, as parts: an answer streams, a call comes when it is complete."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...core.blocks import ToolUse
from ..protocol import ModelPart, TextPart, ToolUsePart
from ..providers.json_object import JsonObjectScanner, read_object

_OPENING = re.compile(r'\s*\{\s*"(answer|tool)"\s*:\s*(")?')
_WHOLE_CHARS = re.compile(
    r'(?:[^"\\]|\\["\\/bfnrt]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}'
    r"|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|\\u[dD][c-fC-F][0-9a-fA-F]{2})+"
)
"""Characters of a JSON text that stand for something whole: no half of an escape, and of two only together."""


class ReplyReader:
    """Reads one constrained reply."""

    def __init__(self) -> None:
        self._scanner = JsonObjectScanner()
        self._kind = ""
        self._at = 0
        self.called = False
        """Whether a call was read."""

    def feed(self, piece: str) -> Iterator[ModelPart]:
        """The parts that this piece completes."""
        complete = self._scanner.feed(piece)
        text = self._scanner.text
        if not self._kind and (opening := _OPENING.match(text)) and (opening[2] or opening[1] == "tool"):
            self._kind, self._at = opening[1], opening.end()
        if self._kind == "answer" and (more := _WHOLE_CHARS.match(text, self._at)):
            self._at = more.end()
            yield TextPart(json.loads(f'"{more.group()}"', strict=False))
        elif self._kind == "tool" and complete:
            yield self._call()

    def finish(self, *, cut: bool) -> Iterator[ModelPart]:
        """What is left when the model has stopped; ``cut``: because it may not write more."""
        if self._kind == "tool" and not self.called:
            yield self._call(cut=cut)
        elif not self._kind and self._scanner.text.strip():
            yield TextPart(self._scanner.text)

    def _call(self, *, cut: bool = False) -> ToolUsePart:
        self.called = True
        try:
            data = read_object(self._scanner.text)
            return ToolUsePart(ToolUse(data["tool"], data["input"]))
        except (ValueError, KeyError) as error:
            name = re.match(r'\s*\{\s*"tool"\s*:\s*"([^"]*)"', self._scanner.text)
            why = "it was cut off at the longest answer that is allowed" if cut else str(error)
            problem = f"the input cannot be read: {why}. It starts with {self._scanner.text[:80]!r}"
            return ToolUsePart(ToolUse(name[1] if name else "unknown", {}), problem)
