"""How big a request is: anchored at what the provider said, never far off, cheap for a long conversation."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.agents.tokens import TokenMeter, compaction_threshold, context_window, request_text
from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.core.cancel import Cancellation
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.models import ModelRequest
from tests.support.tools import reader

pytestmark = pytest.mark.anyio


def text(role: Any, words: str) -> Message:
    return Message(role, (TextBlock(words),))


def request(*messages: Message, system: str = "") -> ModelRequest:
    return ModelRequest(system, messages, ())


class Counting:
    """A model that knows its window and counts a token for each character."""

    name = "counting"

    def __init__(self, window: Any = 1_000, failure: Exception | None = None) -> None:
        self.context_window = window
        self.failure = failure
        self.asked: list[str] = []

    async def count_tokens(self, text: str) -> int:
        self.asked.append(text)
        if self.failure is not None:
            raise self.failure
        return len(text)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        raise AssertionError("nobody asked it anything")
        yield


def test_a_model_says_its_window_or_the_usual_one_counts() -> None:
    assert context_window(Counting(4_096)) == 4_096
    assert context_window(None) == context_window(Counting(None)) == context_window(Counting(0)) == 200_000


@given(st.integers(512, 2_000_000), st.none() | st.integers(1, 200_000))
def test_the_threshold_leaves_room_for_an_answer(window: int, answer: int | None) -> None:
    threshold = compaction_threshold(window, answer)
    assert window // 2 <= threshold <= 0.9 * window
    if answer is not None and answer < window // 2:
        assert threshold + answer <= window


def test_the_usual_window_is_used_to_nine_tenths() -> None:
    assert compaction_threshold(200_000) == 180_000
    assert compaction_threshold(200_000, 64_000) == 136_000


def test_everything_that_is_sent_counts() -> None:
    meter = TokenMeter()
    empty = meter.count(request())
    parts = [
        TextBlock("word " * 100),
        ThinkingBlock("word " * 100),
        ToolUse("Read", {"file_path": "/a/" * 100}),
        ToolResultBlock("a", "word " * 100),
        ToolResultBlock("a", (TextBlock("word " * 100),)),
        ImageBlock({"type": "base64", "media_type": "image/png", "data": "x"}),
    ]
    for part in parts:
        assert meter.count(request(Message("user", (part,)))) > empty + 100
    assert meter.count(request(system="word " * 100)) > 100
    assert meter.count(replace(request(), tools=(reader(),))) > empty


def test_what_the_provider_says_is_the_anchor() -> None:
    meter = TokenMeter()
    first = request(text("user", "word " * 1_000))
    estimate = meter.count(first)
    meter.note(first, Usage(input_tokens=100, cache_read_tokens=estimate + 400))
    assert meter.count(first) == estimate + 500
    more = request(*first.messages, text("assistant", "word " * 100))
    assert meter.count(more) > estimate + 600
    less = request(text("user", "word " * 500))
    assert meter.count(less) == pytest.approx((estimate + 500) / 2, rel=0.05)
    meter.reset()
    assert meter.count(first) == estimate


@pytest.mark.parametrize("usage", [None, Usage(), Usage(input_tokens=3), Usage(input_tokens=10**9)])
def test_what_cannot_be_the_size_is_no_anchor(usage: Usage | None) -> None:
    meter = TokenMeter()
    first = request(text("user", "word " * 1_000))
    estimate = meter.count(first)
    meter.note(first, usage)
    assert meter.count(first) == estimate


async def test_a_model_that_can_count_is_asked_when_it_may_matter() -> None:
    model, meter = Counting(1_000), TokenMeter()
    small = request(text("user", "hello"))
    assert await meter.measure(small, model) == meter.count(small) and model.asked == []
    big = request(text("user", "word " * 400))
    assert await meter.measure(big, model) == len(request_text(big))
    await meter.measure(request(*big.messages, text("assistant", "so")), model)
    assert len(model.asked) == 1


async def test_a_count_that_fails_or_is_stopped_is_no_count() -> None:
    big = request(text("user", "word " * 400))
    meter = TokenMeter()
    assert await meter.measure(big, Counting(1_000, OSError("gone"))) == meter.count(big)

    class Hanging(Counting):
        async def count_tokens(self, text: str) -> int:
            cancellation.cancel("enough")
            await anyio.sleep_forever()
            return 0

    cancellation = Cancellation()
    with anyio.fail_after(20):
        assert await meter.measure(big, Hanging(1_000), cancellation) == meter.count(big)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), max_size=8))
def test_step_by_step_it_says_the_same(steps: list[tuple[int, int]]) -> None:
    meter, messages = TokenMeter(), []
    for kept, added in steps:
        messages = [*messages[:kept], *(text("user", "word " * (kept + n)) for n in range(added))]
        assert meter.count(request(*messages)) == TokenMeter().count(request(*messages))


def test_a_turn_of_a_long_conversation_costs_little() -> None:
    messages = [text("user", f"word {number} " * 20) for number in range(4_000)]
    meter, tools = TokenMeter(), (reader(),)
    meter.count(ModelRequest("", tuple(messages[:3_900]), tools))
    times = []
    for end in range(3_900, 4_000, 2):
        asked = ModelRequest("", tuple(messages[:end]), tools)
        began = time.perf_counter()
        meter.count(asked)
        times.append(time.perf_counter() - began)
    assert sorted(times)[len(times) // 2] < 0.001
