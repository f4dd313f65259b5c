"""The query loop: ask the model, run what it asks for while it speaks, hand the results back, until it has answered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ..core.blocks import Message, TextBlock, ToolUse, tag_messages_with_tool_use_id
from ..core.cancel import Cancellation
from ..core.errors import AgentToolsError, ContextOverflowError
from ..core.faults import words_of
from ..core.updates import (
    CallFinished,
    MessageAdded,
    ModelRetry,
    TextDelta,
    ThinkingDelta,
    ToolUseReady,
    TurnEnded,
    Update,
    UsageAdded,
)
from ..core.usage import NO_USAGE, Usage
from ..executor import Crew, StreamingToolExecutor
from ..models import Model, ModelPart, ModelRequest, RetryPart, StopPart, TextPart, ThinkingPart, ToolUsePart
from .answer import Answer
from .speech import Speech
from .turn_hooks import MAX_STOP_BLOCKS, NoTurnHooks, TurnHooks

if TYPE_CHECKING:
    from .compaction import CompactionResult

DEFAULT_MAX_TURNS = 50

BROKE_OFF = "the model's answer broke off before its end. Ask it to go on."
CUT_OFF = "the model's answer was cut off at its limit of tokens. Ask it to go on, or to do less at once."
REFUSED = "the model refused to answer this. Ask for something else, or in another way."


class QueryHost(Protocol):
    """What the loop needs of the session it runs in."""

    async def request(self) -> ModelRequest:
        """The model's request for the conversation so far."""
        ...

    def own_call(self, use: ToolUse) -> ToolUse:
        """The call under an id that no other call of the session has."""
        ...

    def add_message(self, message: Message) -> Message:
        """Put a message into the conversation, and return it as it stands there."""
        ...

    def executor(
        self, start_soon: Callable[..., object], parent: Callable[[], Message]
    ) -> AbstractContextManager[StreamingToolExecutor]:
        """Who runs the calls of one answer. ``parent``: that answer as far as it is there."""
        ...

    async def make_room(self, *, overflowed: bool) -> CompactionResult | None:
        """Shorten the conversation when it is near the model's window, or when it ``overflowed`` that; ``None`` when
        there was no need."""
        ...

    def count(self, usage: Usage, *, of_answer: bool) -> float | None:
        """Add what an answer to the last request, or something else, used up to the session's own sum, and say what it
        costs in US dollars if that is known."""
        ...

    def news(self) -> Sequence[str]:
        """What has happened outside of the conversation since the model was last told, each once."""
        ...

    def steering(self) -> Sequence[str]:
        """What the person has said since then, each once."""
        ...

    def may_end(self) -> bool:
        """Whether the query may end; ``False`` when the person has said something that the model must be told."""
        ...


@dataclass
class QueryLoop:
    """One query's loop.

    Args:
        model: who answers.
        host: the session.
        cancellation: stops the query.
        max_turns: how many times the model may be asked.
        hooks: who has a say in the turn.

    Attributes:
        turns: how many times it was asked. usage, cost_usd: what that used up.
    """

    model: Model
    host: QueryHost
    cancellation: Cancellation
    max_turns: int = DEFAULT_MAX_TURNS
    hooks: TurnHooks = field(default_factory=NoTurnHooks)
    turns: int = field(default=0, init=False)
    usage: Usage = field(default=NO_USAGE, init=False)
    cost_usd: float | None = field(default=None, init=False)
    _refusals: int = field(default=0, init=False)

    async def run(self, prompt: str, reminders: Sequence[str] = ()) -> AsyncGenerator[Update, None]:
        """Everything that happens from the prompt to the final answer; the last update is a :class:`TurnEnded`.

        To be iterated and closed in one task. Left anywhere, it leaves nothing running and a conversation that can go
        on: every call has its result.

        Args:
            reminders: what the model should know beside the prompt, e.g. what a person did since the last one.
        """
        verdict = await self.hooks.on_prompt(prompt)
        if verdict.ends is not None:
            yield self._ended("hook", "", verdict.ends)
            return
        yield self._say(*reminders, *self.host.news(), *verdict.texts, prompt)
        text = ""
        while self.turns < self.max_turns:
            answer = Answer()
            for step in (self._ask, self._go_on):
                async with aclosing(step(answer)) as updates:
                    async for update in updates:
                        yield update
                        if isinstance(update, TurnEnded):
                            return
            text = answer.text
        times = "once" if self.max_turns == 1 else f"{self.max_turns} times"
        yield self._ended("max_turns", text, f"the model was asked {times}, which is the limit")

    # ---- one answer

    async def _ask(self, answer: Answer) -> AsyncGenerator[Update, None]:
        """One answer of the model, with its calls; a conversation that is too big for it is shortened, once."""
        for overflowed in (False, True):
            room = await self.host.make_room(overflowed=overflowed)
            if room is not None:
                if room.usage is not None:
                    yield self._count(room.usage, of_answer=False)
                if room.update is None and overflowed:
                    yield await self._failed(f"{words_of(answer.failure).rstrip('.')}. {room.problem}", answer)
                    return
                if room.update is not None:
                    yield room.update
            answer.failure = None
            async with aclosing(self._listen(answer)) as updates:
                async for update in updates:
                    yield update
            if not isinstance(answer.failure, ContextOverflowError) or not answer.is_empty:
                return

    async def _listen(self, answer: Answer) -> AsyncGenerator[Update, None]:
        """Ask the model once, and run its calls while it speaks. Message and results are in the conversation after."""
        if self.cancellation.cancelled:
            return
        request = await self.host.request()
        self.turns += 1
        executor = None
        try:
            async with Crew() as crew:
                with self.host.executor(crew.start_soon, answer.so_far) as executor:
                    speech = Speech(partial(self.model.stream, request), self.cancellation, executor.bell)
                    crew.start_soon(speech.read)
                    while (news := list(self._heard(answer, speech, executor))) or not (speech.over and executor.done):
                        for update in news:
                            yield update
                        if not news:
                            speech.go_on()
                            await executor.bell.wait()
                    answer.failure = speech.failure
        finally:
            if executor is not None:
                answer.outcomes += executor.close()
            added = self._record(answer)
        for message in added:
            yield MessageAdded(message)

    def _heard(self, answer: Answer, speech: Speech, executor: StreamingToolExecutor) -> Iterator[Update]:
        """What there is to tell at this moment: calls whose results leave, and the next part of the stream."""
        if speech.over and (answer.stop is None or answer.stop.reason == "refusal"):
            executor.hold_back(
                "the model's answer ended before its end" if answer.stop is None else "the model refused"
            )
        for outcome in executor.completed():
            answer.outcomes.append(outcome)
            yield CallFinished(outcome)
        part = speech.take()
        if isinstance(part, ToolUsePart):
            part = replace(part, tool_use=self.host.own_call(part.tool_use))
            executor.add_tool(part.tool_use, part.problem)
        if part is not None:
            yield from self._said(part, answer)

    def _said(self, part: ModelPart, answer: Answer) -> Iterator[Update]:
        if isinstance(part, TextPart):
            answer.add_text(part.text)
            yield TextDelta(part.text)
        elif isinstance(part, ThinkingPart):
            answer.add_thinking(part.text, part.signature)
            if part.text:  # else it only ends a thought, with the provider's signature
                yield ThinkingDelta(part.text)
        elif isinstance(part, ToolUsePart):
            answer.add_call(part.tool_use)
            yield ToolUseReady(part.tool_use)
        elif isinstance(part, RetryPart):
            yield ModelRetry(part.why, part.delay_s, part.attempt)
        elif isinstance(part, StopPart):
            answer.stop = part
            if part.usage is not None:
                yield self._count(part.usage, of_answer=True)

    def _record(self, answer: Answer) -> list[Message]:
        """Put the answer into the conversation, and the one result of each of its calls. Waits for nothing: whoever
        leaves the query half-way leaves a conversation that can go on."""
        message = answer.message()
        if message is None:
            return []
        added = [self.host.add_message(message)]
        if answer.outcomes:
            results = tuple(outcome.block for outcome in answer.outcomes)
            added.append(self.host.add_message(Message("user", (*results, *map(TextBlock, self.host.news())))))
        for outcome in answer.outcomes:
            made = outcome.result.new_messages if outcome.result else ()
            added += map(self.host.add_message, tag_messages_with_tool_use_id(made, outcome.tool_use.id))
        return added

    # ---- what comes after it

    async def _go_on(self, answer: Answer) -> AsyncGenerator[Update, None]:
        """The end of the turn where the answer was one, else what the model is told before it is asked again."""
        stop, text = answer.stop, answer.text
        if self.cancellation.cancelled and (stop is None or answer.outcomes):
            yield self._ended("interrupted", text, self.cancellation.reason)
        elif answer.failure is not None or stop is None:
            yield await self._failed(_failure_words(answer.failure), answer)
        elif stop.reason == "refusal":
            yield self._ended("refusal", text, stop.detail or REFUSED)
        elif stop.reason == "max_tokens":
            yield self._ended("max_tokens", text, stop.detail or CUT_OFF)
        else:
            texts, ended = await (self._after_tools(answer) if answer.outcomes else self._at_end(answer))
            if texts:
                yield self._say(*texts)
            if ended is not None:
                yield ended

    async def _after_tools(self, answer: Answer) -> tuple[Sequence[str], TurnEnded | None]:
        """What the model is told beside its results, and the turn's end if somebody wants that."""
        self._refusals = 0
        verdict = await self.hooks.after_tools(answer.outcomes)
        if verdict.ends is not None:
            return verdict.texts, self._ended("hook", answer.text, verdict.ends)
        said, ended = await self._steered(answer.text)
        return (*verdict.texts, *said), ended

    async def _at_end(self, answer: Answer) -> tuple[Sequence[str], TurnEnded | None]:
        """The model has nothing more to run: the turn is over, unless somebody refuses that or has said more."""
        text = answer.text
        verdict = await self.hooks.on_stop(text, self._refusals > 0)
        refused = verdict.refused if verdict.ends is None else None
        if refused is not None and self.cancellation.cancelled:
            return (), self._ended("interrupted", text, self.cancellation.reason)
        if refused is not None and self._refusals < MAX_STOP_BLOCKS:
            self._refusals += 1
            return (*verdict.texts, refused), None
        if verdict.ends is None and not self.cancellation.cancelled and not self.host.may_end():
            self._refusals = 0
            return await self._steered(text)
        why = f"its end was refused {self._refusals} times in a row: {refused}" if refused else verdict.ends or ""
        return (), self._ended("end_turn", text, why)

    async def _steered(self, text: str) -> tuple[Sequence[str], TurnEnded | None]:
        """What the person has said meanwhile; hooks judge it as they judge a prompt."""
        texts: list[str] = []
        for said in self.host.steering():
            verdict = await self.hooks.on_prompt(said)
            if verdict.ends is not None:
                return texts, self._ended("hook", text, verdict.ends)
            texts += (*verdict.texts, said)
        return texts, None

    async def _failed(self, detail: str, answer: Answer) -> TurnEnded:
        await self.hooks.on_failure(detail, answer.text)
        return self._ended("error", answer.text, detail)

    # ---- small things

    def _say(self, *texts: str) -> MessageAdded:
        return MessageAdded(self.host.add_message(Message("user", tuple(map(TextBlock, texts)))))

    def _count(self, usage: Usage, *, of_answer: bool) -> UsageAdded:
        cost = self.host.count(usage, of_answer=of_answer)
        self.usage += usage
        if cost is not None:
            self.cost_usd = (self.cost_usd or 0.0) + cost
        return UsageAdded(usage, cost)

    def _ended(self, reason: str, text: str, detail: str) -> TurnEnded:
        return TurnEnded(reason, text, detail, self.usage, self.cost_usd, self.turns)  # type: ignore[arg-type]


def _failure_words(failure: Exception | None) -> str:
    """What a person is told: our own errors say what to do, of others the kind matters."""
    if failure is None:
        return BROKE_OFF
    said = words_of(failure)
    return said if isinstance(failure, AgentToolsError) and said else f"{type(failure).__name__}: {said}"
