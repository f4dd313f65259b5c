"""Answers in the wire formats of four providers, written after their public documentation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Format = Literal["anthropic", "chat", "responses", "google"]
FORMATS: tuple[Format, ...] = ("anthropic", "chat", "responses", "google")
End = Literal["stop", "tools", "length", "refusal"]


@dataclass(frozen=True)
class Text:
    pieces: Sequence[str]


@dataclass(frozen=True)
class Thinking:
    pieces: Sequence[str]
    signature: str = "c2lnbmF0dXJl"


@dataclass(frozen=True)
class Call:
    """A call; ``pieces`` are its arguments as they stream."""

    name: str
    pieces: Sequence[str]
    id: str = "call_1"


@dataclass(frozen=True)
class Pause:
    """Whatever stands here in the stream, such as an event to wait for."""

    what: Any


Item = Text | Thinking | Call | Pause


def sse(data: Any, event: str = "") -> str:
    """One event of a stream."""
    text = data if isinstance(data, str) else json.dumps(data)
    return f"event: {event}\ndata: {text}\n\n" if event else f"data: {text}\n\n"


@dataclass
class Written:
    """Writes one answer.

    Args:
        items: its parts; a :class:`Pause` between the pieces of a call is written as one of its ``pieces``.
        end: why it ends, ``None`` when the end is missing.
    """

    format: Format
    items: Sequence[Item]
    end: End | None = "stop"
    usage: dict[str, int] = field(default_factory=lambda: {"input": 12, "output": 7, "read": 4, "write": 0})

    def body(self) -> list[Any]:
        """The pieces of a reply's body."""
        return list(getattr(self, f"_{self.format}")())

    # ---- Anthropic Messages

    def _anthropic(self) -> Iterator[Any]:
        uncached = self.usage["input"] - self.usage["read"] - self.usage["write"]
        usage = {
            "input_tokens": uncached,
            "output_tokens": 1,
            "cache_read_input_tokens": self.usage["read"],
            "cache_creation_input_tokens": self.usage["write"],
        }
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
        yield self._named({"type": "message_start", "message": {**message, "stop_reason": None}})
        index = 0
        for item in self.items:
            if isinstance(item, Pause):
                yield item.what
                continue
            start, deltas = self._anthropic_block(item)
            yield self._named({"type": "content_block_start", "index": index, "content_block": start})
            for delta in deltas:
                if not isinstance(delta, dict):
                    yield delta
                    continue
                yield self._named({"type": "content_block_delta", "index": index, "delta": delta})
            yield self._named({"type": "content_block_stop", "index": index})
            index += 1
        if self.end is None:
            return
        reason = {"stop": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "refusal"}[self.end]
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield self._named({"type": "message_delta", "delta": delta, "usage": {"output_tokens": self.usage["output"]}})
        yield self._named({"type": "message_stop"})

    @staticmethod
    def _named(data: dict[str, Any]) -> str:
        return sse(data, data["type"])

    @staticmethod
    def _anthropic_block(item: Item) -> tuple[dict[str, Any], list[Any]]:
        if isinstance(item, Text):
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": each} for each in item.pieces]
        if isinstance(item, Thinking):
            deltas: list[Any] = [{"type": "thinking_delta", "thinking": each} for each in item.pieces]
            deltas.append({"type": "signature_delta", "signature": item.signature})
            return {"type": "thinking", "thinking": "", "signature": ""}, deltas
        assert isinstance(item, Call)
        start = {"type": "tool_use", "id": item.id, "name": item.name, "input": {}}
        return start, [
            {"type": "input_json_delta", "partial_json": each} if isinstance(each, str) else each
            for each in item.pieces
        ]

    # ---- OpenAI Chat Completions

    def _chat(self) -> Iterator[Any]:
        yield self._chunk({"role": "assistant", "content": ""})
        calls = 0
        for item in self.items:
            if isinstance(item, Pause):
                yield item.what
            elif isinstance(item, Text):
                yield from (self._chunk({"content": each}) for each in item.pieces)
            elif isinstance(item, Thinking):
                yield from (self._chunk({"reasoning_content": each}) for each in item.pieces)
            else:
                function = {"name": item.name, "arguments": ""}
                first = {"index": calls, "id": item.id, "type": "function", "function": function}
                yield self._chunk({"tool_calls": [first]})
                for each in item.pieces:
                    more = {"index": calls, "function": {"arguments": each}}
                    yield self._chunk({"tool_calls": [more]}) if isinstance(each, str) else each
                calls += 1
        if self.end is None:
            return
        reason = {"stop": "stop", "tools": "tool_calls", "length": "length", "refusal": "content_filter"}[self.end]
        yield self._chunk({}, reason)
        usage = {
            "prompt_tokens": self.usage["input"],
            "completion_tokens": self.usage["output"],
            "total_tokens": self.usage["input"] + self.usage["output"],
            "prompt_tokens_details": {"cached_tokens": self.usage["read"]},
        }
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
        yield sse({**base, "usage": usage})
        yield sse("[DONE]")

    @staticmethod
    def _chunk(delta: dict[str, Any], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return sse({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})

    # ---- OpenAI Responses

    def _responses(self) -> Iterator[Any]:
        self._number = -1
        response = {
            "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": [], "status": "in_progress",
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        }  # fmt: skip
        yield self._numbered("response.created", response=response)
        index = 0
        for item in self.items:
            if isinstance(item, Pause):
                yield item.what
                continue
            yield from self._responses_item(item, index)
            index += 1
        if self.end is None:
            return
        usage = {
            "input_tokens": self.usage["input"], "output_tokens": self.usage["output"],
            "total_tokens": self.usage["input"] + self.usage["output"],
            "input_tokens_details": {"cached_tokens": self.usage["read"]},
            "output_tokens_details": {"reasoning_tokens": 0},
        }  # fmt: skip
        if self.end in ("length", "refusal"):
            why = {"reason": "max_output_tokens" if self.end == "length" else "content_filter"}
            ended = {**response, "status": "incomplete", "incomplete_details": why, "usage": usage}
            yield self._numbered("response.incomplete", response=ended)
        else:
            yield self._numbered("response.completed", response={**response, "status": "completed", "usage": usage})

    def _numbered(self, kind: str, **data: Any) -> str:
        self._number += 1
        return sse({"type": kind, "sequence_number": self._number, **data}, kind)

    def _responses_item(self, item: Item, index: int) -> Iterator[Any]:
        at = {"output_index": index}
        if isinstance(item, Call):
            call = {"type": "function_call", "id": f"fc_{index}", "call_id": item.id, "name": item.name}
            yield self._numbered("response.output_item.added", item={**call, "arguments": ""}, **at)
            for each in item.pieces:
                if not isinstance(each, str):
                    yield each
                    continue
                yield self._numbered("response.function_call_arguments.delta", item_id=call["id"], delta=each, **at)
            whole = "".join(each for each in item.pieces if isinstance(each, str))
            yield self._numbered("response.function_call_arguments.done", item_id=call["id"], arguments=whole, **at)
            done = {**call, "arguments": whole, "status": "completed"}
            yield self._numbered("response.output_item.done", item=done, **at)
        elif isinstance(item, Thinking):
            thought = {"type": "reasoning", "id": f"rs_{index}", "summary": [], "encrypted_content": item.signature}
            yield self._numbered("response.output_item.added", item=thought, **at)
            part = {"item_id": thought["id"], "summary_index": 0, **at}
            empty = {"type": "summary_text", "text": ""}
            yield self._numbered("response.reasoning_summary_part.added", part=empty, **part)
            for each in item.pieces:
                yield self._numbered("response.reasoning_summary_text.delta", delta=each, **part)
            summary = [{"type": "summary_text", "text": "".join(item.pieces)}]
            yield self._numbered("response.output_item.done", item={**thought, "summary": summary}, **at)
        elif isinstance(item, Text):
            message = {"type": "message", "id": f"msg_{index}", "role": "assistant", "content": []}
            yield self._numbered("response.output_item.added", item={**message, "status": "in_progress"}, **at)
            place = {"item_id": message["id"], "content_index": 0, **at}
            part = {"type": "output_text", "text": "", "annotations": []}
            yield self._numbered("response.content_part.added", part=part, **place)
            for each in item.pieces:
                yield self._numbered("response.output_text.delta", delta=each, logprobs=[], **place)
            content = [{**part, "text": "".join(item.pieces)}]
            yield self._numbered(
                "response.output_item.done", item={**message, "status": "completed", "content": content}, **at
            )

    # ---- Google generateContent

    def _google(self) -> Iterator[Any]:
        for item in self.items:
            if isinstance(item, Pause):
                yield item.what
            elif isinstance(item, Call):
                whole = "".join(each for each in item.pieces if isinstance(each, str))
                arguments = json.loads(whole or "{}")
                call = {"name": item.name, "args": arguments, "id": item.id}
                yield self._candidate([{"functionCall": call, "thoughtSignature": "Y2FsbC1zaWduYXR1cmU="}])
                yield from (each for each in item.pieces if not isinstance(each, str))
            elif isinstance(item, Thinking):
                yield from (self._candidate([{"text": each, "thought": True}]) for each in item.pieces)
            else:
                yield from (self._candidate([{"text": each}]) for each in item.pieces)
        if self.end is None:
            return
        reason = {"stop": "STOP", "tools": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[self.end]
        usage = {
            "promptTokenCount": self.usage["input"],
            "candidatesTokenCount": self.usage["output"],
            "totalTokenCount": self.usage["input"] + self.usage["output"],
            "cachedContentTokenCount": self.usage["read"],
        }
        last = {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": reason, "index": 0}]}
        yield sse({**last, "usageMetadata": usage, "modelVersion": "m", "responseId": "r"})

    @staticmethod
    def _candidate(parts: list[dict[str, Any]]) -> str:
        content = {"role": "model", "parts": parts}
        return sse({"candidates": [{"content": content, "index": 0}], "modelVersion": "m", "responseId": "r"})
