"""A model that is asked again while its provider is busy or cannot be reached."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ..core.errors import ModelBusyError, ModelConnectionError, ModelError
from .closing import answer_of
from .protocol import Model, ModelPart, ModelRequest, RetryPart


@dataclass(frozen=True)
class RetryPolicy:
    """How often, and how long after one another, a model is asked the same.

    Args:
        attempts: how many times at most, the first included.
        total_s: no wait may end later than this many seconds after the first attempt began.
        first_s: the first wait; each further one is ``factor`` times as long, up to ``longest_s``.
        jitter: the part of a wait that is left to chance, so that many callers do not come back at the same moment.
    """

    attempts: int = 6
    total_s: float = 180.0
    first_s: float = 1.0
    factor: float = 2.0
    longest_s: float = 30.0
    jitter: float = 0.5

    def delay_s(self, attempt: int, error: ModelError, chance: float) -> float:
        """Seconds to wait after the failed ``attempt`` (from 1). What the provider asks for is never cut short.

        Args:
            chance: from 0 to 1.
        """
        wanted = error.retry_after_s if isinstance(error, ModelBusyError) else None
        if wanted is not None:
            return wanted + chance * min(1.0, wanted * self.jitter)
        longest = min(self.longest_s, self.first_s * self.factor ** min(attempt - 1, 64))
        return longest * (1 - self.jitter * chance)


class RetryingModel:
    """Asks ``model`` again while nothing of its answer has come; a :class:`RetryPart` stands before each wait.

    A failure that would only come again, and one in the middle of an answer, is raised at once.

    Args:
        model: who answers; everything else that it offers is offered here too.
        policy: when to ask again.
        clock, sleep, chance: seconds of some clock, what waits for them, and a number from 0 to 1.
    """

    def __init__(
        self,
        model: Model,
        policy: RetryPolicy | None = None,
        *,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[Any]] | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        import anyio

        self.model = model
        self.name = model.name
        self.policy = policy or RetryPolicy()
        self._clock, self._sleep, self._chance = clock or anyio.current_time, sleep or anyio.sleep, chance

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        began, attempt = self._clock(), 1
        while True:
            came = False
            try:
                async with answer_of(self.model, request) as parts:
                    async for part in parts:
                        came = came or not isinstance(part, RetryPart)
                        yield part
                if came:
                    return
                raise ModelConnectionError("the stream ended before anything of the answer had come")
            except ModelError as error:
                if came or not error.retryable:
                    raise
                delay_s = self._delay(attempt, self._clock() - began, error)
                why = str(error)
            attempt += 1
            yield RetryPart(why, delay_s, attempt)
            await self._sleep(delay_s)

    def _delay(self, attempt: int, elapsed_s: float, error: ModelError) -> float:
        """Seconds until the next attempt; raises ``error`` with the number of attempts when there is none."""
        delay_s = self.policy.delay_s(attempt, error, self._chance())
        if attempt >= self.policy.attempts:
            end = ""
        elif elapsed_s + delay_s > self.policy.total_s:
            end = f"; the next try could begin in {delay_s:.0f} s, and {self.policy.total_s:.0f} s is the limit"
        else:
            return delay_s
        tried = "once" if attempt == 1 else f"{attempt} times within {elapsed_s:.0f} s"
        error.args = (f"{error} (asked {tried}{end}). Ask again later",)
        raise error
