"""Asking again: when, how often, how long after one another, and never in the middle of an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import ScriptedModel, UsageError
from jupyter_agenttools.core.errors import (
    ContextOverflowError,
    ModelBusyError,
    ModelConnectionError,
    ModelError,
)
from jupyter_agenttools.models import (
    ModelPart,
    ModelRequest,
    RetryingModel,
    RetryPart,
    RetryPolicy,
    StopPart,
    TextPart,
    ThinkingPart,
)

pytestmark = pytest.mark.anyio

ASKED = ModelRequest("", (), ())
HI: list[ModelPart | Exception] = [TextPart("Hi."), StopPart()]


class Answers:
    """A model with prepared answers that counts how often it is asked, and how often its streams are closed."""

    name = "answers"

    def __init__(self, *answers: Sequence[ModelPart | Exception]) -> None:
        self._answers, self.asked, self.closed = list(answers), 0, 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        self.asked += 1
        try:
            for part in self._answers.pop(0):
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            self.closed += 1


class Clock:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now, self.waits = 100.0, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def retrying(model: Any, clock: Clock, chance: float = 0.0, **policy: Any) -> RetryingModel:
    return RetryingModel(model, RetryPolicy(**policy), clock=clock, sleep=clock.sleep, chance=lambda: chance)


async def ask(model: RetryingModel) -> tuple[list[ModelPart], Exception | None]:
    seen: list[ModelPart] = []
    try:
        async for part in model.stream(ASKED):
            seen.append(part)
    except Exception as error:
        return seen, error
    return seen, None


async def test_it_waits_longer_each_time_and_says_so_before() -> None:
    clock = Clock()
    model = Answers([ModelBusyError("busy")], [ModelConnectionError("reset")], [ModelBusyError("busy")], HI)
    parts, error = await ask(retrying(model, clock))
    assert error is None and parts == [
        RetryPart("busy", 1.0, 2), RetryPart("reset", 2.0, 3), RetryPart("busy", 4.0, 4), *HI,
    ]  # fmt: skip
    assert clock.waits == [1.0, 2.0, 4.0] and model.closed == model.asked == 4


async def test_the_provider_says_how_long() -> None:
    clock = Clock()
    model = Answers([ModelBusyError("busy", retry_after_s=17)], [ModelBusyError("busy", retry_after_s=0)], HI)
    assert (await ask(retrying(model, clock)))[1] is None
    assert clock.waits == [17, 0]


async def test_a_longer_wait_than_the_limit_is_told_at_once() -> None:
    clock = Clock()
    _, error = await ask(retrying(Answers([ModelBusyError("quota spent", retry_after_s=3600)]), clock))
    assert isinstance(error, ModelBusyError) and error.retry_after_s == 3600 and not clock.waits
    assert "quota spent" in str(error) and "asked once" in str(error) and "3600 s" in str(error)


async def test_the_number_of_attempts_is_limited_and_told() -> None:
    clock = Clock()
    model = Answers(*([ModelConnectionError("reset")] for _ in range(9)))
    parts, error = await ask(retrying(model, clock, attempts=4))
    assert model.asked == 4 and len(parts) == 3 and isinstance(error, ModelConnectionError)
    assert str(error).startswith("reset (asked 4 times within 7 s)")


async def test_the_whole_time_is_limited() -> None:
    clock = Clock()
    model = Answers(*([ModelConnectionError("reset")] for _ in range(99)))
    _, error = await ask(retrying(model, clock, attempts=99, total_s=20))
    assert clock.waits == [1, 2, 4, 8] and "20 s is the limit" in str(error)


@pytest.mark.parametrize("error", [ContextOverflowError("big"), ModelError("no"), UsageError("no key"), KeyError("x")])
async def test_what_would_only_fail_again_is_not_asked_again(error: Exception) -> None:
    clock, model = Clock(), Answers([error], HI)
    parts, raised = await ask(retrying(model, clock))
    assert raised is error and not parts and not clock.waits and model.asked == 1


@pytest.mark.parametrize("first", [TextPart("I"), ThinkingPart("hm"), StopPart()])
async def test_nothing_is_asked_again_once_something_came(first: ModelPart) -> None:
    lost = ModelConnectionError("reset")
    model = Answers([first, lost], HI)
    parts, raised = await ask(retrying(model, Clock()))
    assert (parts, raised, model.asked) == ([first], lost, 1) and str(lost) == "reset"


async def test_an_answer_without_anything_broke_off() -> None:
    model = Answers([], HI)
    parts, error = await ask(retrying(model, Clock()))
    assert error is None and isinstance(parts[0], RetryPart) and "before anything" in parts[0].why


async def test_retries_of_the_model_itself_are_no_answer() -> None:
    inner = RetryPart("busy", 0.5, 2)
    model = Answers([inner, ModelBusyError("busy")], [inner, *HI])
    parts, error = await ask(retrying(model, Clock()))
    assert error is None and [type(part) for part in parts] == [RetryPart, RetryPart, RetryPart, TextPart, StopPart]


async def test_waiting_can_be_cancelled() -> None:
    model = RetryingModel(Answers([ModelBusyError("busy", retry_after_s=3600)], HI), RetryPolicy(total_s=9_999))
    with anyio.CancelScope() as scope:
        async for part in model.stream(ASKED):
            assert isinstance(part, RetryPart)
            scope.cancel()
    assert scope.cancelled_caught


async def test_leaving_it_closes_the_stream() -> None:
    inner = Answers(HI)
    stream = retrying(inner, Clock()).stream(ASKED)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert inner.closed == 1


async def test_what_the_model_offers_is_offered() -> None:
    model = RetryingModel(ScriptedModel(["a"], context_window=77))
    assert model.context_window == 77 and model.provider == "scripted" and model.name == "scripted"
    assert not hasattr(model, "count_tokens")


@given(
    attempt=st.integers(1, 500),
    chance=st.floats(0, 1),
    jitter=st.floats(0, 1),
    first=st.floats(0.01, 60),
    wanted=st.none() | st.floats(0, 1e6),
)
def test_how_long_a_wait_can_be(attempt: int, chance: float, jitter: float, first: float, wanted: float | None) -> None:
    policy = RetryPolicy(jitter=jitter, first_s=first)
    delay = policy.delay_s(attempt, ModelBusyError("busy", retry_after_s=wanted), chance)
    if wanted is not None:
        assert wanted <= delay <= wanted + 1
    else:
        longest = min(policy.longest_s, first * 2 ** min(attempt - 1, 20))
        assert longest * (1 - jitter) * 0.999 <= delay <= longest * 1.001


@given(faults=st.lists(st.tuples(st.booleans(), st.none() | st.floats(0, 90)), max_size=12), chance=st.floats(0, 1))
async def test_it_never_takes_longer_or_asks_oftener_than_it_may(
    faults: list[tuple[bool, float | None]], chance: float
) -> None:
    clock = Clock()
    errors = [ModelBusyError("b", retry_after_s=s) if busy else ModelConnectionError("c") for busy, s in faults]
    model = Answers(*([error] for error in errors), HI)
    retries = retrying(model, clock, chance, attempts=5, total_s=60)
    parts, error = await ask(retries)
    assert sum(clock.waits) <= 60 and model.asked <= 5
    assert [part.delay_s for part in parts if isinstance(part, RetryPart)] == clock.waits
    assert (error is None) == (parts[-1:] == [StopPart()])
    assert error is None or "asked" in str(error)
