"""A provider's stream of events as our parts: a call goes out as soon as its input is complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ...core.blocks import ToolUse, new_tool_use_id
from ...core.errors import ModelConnectionError, ModelError
from ...core.usage import Usage
from ..protocol import ModelPart, StopPart, TextPart, ThinkingPart, ToolUsePart
from .json_object import JsonObjectScanner, read_object
from .signatures import Keepsake

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal"]
_REASONS: dict[str, StopReason] = {
    "stop": "end_turn",
    "tool_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}


@dataclass
class _Call:
    """One call while its input streams."""

    name: str
    id: str | None
    scanner: JsonObjectScanner = field(default_factory=JsonObjectScanner)
    whole: dict[str, Any] | None = None
    named: bool = False
    sent: bool = False

    def take(self, arguments: str | dict[str, Any] | None) -> None:
        if isinstance(arguments, dict):
            self.whole = {**(self.whole or {}), **arguments}
        elif arguments:
            self.scanner.feed(arguments)


class StreamReader:
    """Reads the events of one answer.

    Args:
        used_ids: the ids of all earlier calls; some providers start to count anew with each answer.
        names_reason: whether a finished answer names its reason in the provider's own word. pydantic-ai makes one up
            for OpenAI's format, in which a stream that broke off would then look like one that ended.
    """

    def __init__(self, used_ids: set[str], *, names_reason: bool = False) -> None:
        self._names_reason = names_reason
        self._used = set(used_ids)
        self._calls: dict[int, _Call] = {}
        self._called = False

    def read(self, event: Any) -> Iterator[ModelPart]:
        """The parts that this event completes or brings."""
        kind = event.event_kind
        if kind == "part_start":
            yield from self._start(event.index, event.part)
        elif kind == "part_delta":
            yield from self._delta(event.index, event.delta)
        elif kind == "part_end":
            yield from self._end(event.index, event.part, is_last=event.next_part_kind is None)

    def finish(self, response: Any) -> Iterator[ModelPart]:
        """What is left once the stream is over; the last part says how it ended.

        Raises:
            ModelConnectionError: the stream ended before the answer did. ModelError: the provider gave up.
        """
        reason = response.finish_reason
        made_up = self._names_reason and reason == "stop" and not _word(response)
        if reason is None or made_up or response.state in ("incomplete", "suspended"):
            raise ModelConnectionError("the model's answer broke off before its end")
        if reason == "error":
            raise ModelError(f"the model gave up within its answer ({_word(response) or 'no reason'}); ask again")
        for call in self._calls.values():
            if not call.sent:
                yield from self._give(call, cut=reason == "length")
        stop = "tool_use" if self._called and reason == "stop" else _REASONS[reason]
        yield StopPart(stop, _usage(response.usage), _detail(stop, response))

    def _start(self, index: int, part: Any) -> Iterator[ModelPart]:
        kind = part.part_kind
        if kind == "text" and part.content:
            yield TextPart(part.content)
        elif kind == "thinking" and part.content:
            yield ThinkingPart(part.content)
        elif kind == "tool-call":
            call = self._calls[index] = _Call(part.tool_name, part.tool_call_id)
            yield from self._keepsake_of_call(call, part)
            call.take(part.args)
            yield from self._give_early(call)

    def _delta(self, index: int, delta: Any) -> Iterator[ModelPart]:
        kind = delta.part_delta_kind
        if kind == "text" and delta.content_delta:
            yield TextPart(delta.content_delta)
        elif kind == "thinking" and delta.content_delta:
            yield ThinkingPart(delta.content_delta)
        elif kind == "tool_call" and (call := self._calls.get(index)) is not None and not call.sent:
            call.name += delta.tool_name_delta or ""
            call.id = call.id if call.named else delta.tool_call_id or call.id
            call.take(delta.args_delta)
            yield from self._give_early(call)

    def _end(self, index: int, part: Any, *, is_last: bool) -> Iterator[ModelPart]:
        """A part is over. A call in the middle of its input waits for :meth:`finish`, and so does the last one: the
        stream may have broken off. Any other goes out now, whatever it holds, so that calls keep their order."""
        if part.part_kind == "thinking" and part.provider_name:
            kept = Keepsake(part.provider_name, part.signature, part.id, part.provider_details or {})
            yield ThinkingPart("", kept.to_text())
        call = self._calls.get(index)
        if call is not None and not (call.sent or is_last or call.scanner.is_open):
            yield from self._give(call, cut=False)

    def _keepsake_of_call(self, call: _Call, part: Any) -> Iterator[ModelPart]:
        """What the provider wants back with a call goes before it, as a thought without words."""
        if part.provider_name and part.provider_details:
            kept = Keepsake(part.provider_name, details=part.provider_details, tool_use_id=self._id(call))
            yield ThinkingPart("", kept.to_text())

    def _give_early(self, call: _Call) -> Iterator[ModelPart]:
        """The call, if its input is complete. An empty one may yet be filled, so that it waits for the end."""
        if call.whole or (call.scanner.complete and len(call.scanner.text) > 2):
            try:
                arguments = call.whole or read_object(call.scanner.text)
            except ValueError:
                return  # what is wrong is told at the end
            if arguments:
                yield self._tool_use(call, arguments)

    def _give(self, call: _Call, *, cut: bool) -> Iterator[ModelPart]:
        """The call as it stands at the end of the stream, with what is wrong with it."""
        try:
            yield self._tool_use(call, call.whole or read_object(call.scanner.text))
        except ValueError as error:
            why = "it was cut off at the longest answer that is allowed: write less at a time" if cut else str(error)
            problem = f"the input cannot be read: {why}. It starts with {call.scanner.text[:80]!r}"
            yield self._tool_use(call, {}, problem)

    def _tool_use(self, call: _Call, arguments: dict[str, Any], problem: str = "") -> ToolUsePart:
        call.sent = self._called = True
        return ToolUsePart(ToolUse(call.name, arguments, self._id(call)), problem)

    def _id(self, call: _Call) -> str:
        """The call's id, a fresh one where it has none or one that another call has. Asked for once, it stays."""
        if not call.named:
            call.named = True
            if not call.id or call.id in self._used:
                call.id = new_tool_use_id()
            self._used.add(call.id)
        assert call.id
        return call.id


def _usage(usage: Any) -> Usage | None:
    """Our count; pydantic-ai counts what was cached as input, too."""
    if not usage.has_values():
        return None
    cached, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    return Usage(max(usage.input_tokens - cached - written, 0), usage.output_tokens, cached, written)


def _word(response: Any) -> str:
    """Why the answer ended, in the provider's own word."""
    return (response.provider_details or {}).get("finish_reason") or ""


def _detail(stop: StopReason, response: Any) -> str:
    if stop == "max_tokens":
        return "the answer was cut off at the longest that is allowed"
    if stop == "refusal":
        said = (response.provider_details or {}).get("refusal") or _word(response) or "content filter"
        return f"the provider refused to answer: {said}"
    return ""
