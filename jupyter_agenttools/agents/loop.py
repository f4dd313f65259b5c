"""The query loop: ask the model, run what it asks for, hand the results back, until it has an answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from ..core.blocks import Message, TextBlock, ToolUse, tag_messages_with_tool_use_id
from ..core.cancel import Cancellation, CutScope
from ..core.errors import InterruptedToolError
from ..core.outcome import Outcome
from ..core.updates import CallFinished, MessageAdded, TextDelta, ToolUseReady, TurnEnded, Update
from ..executor import interrupted_outcome
from ..models import Model, ModelPart, ModelRequest, TextPart, ToolUsePart
from .turn_hooks import MAX_STOP_BLOCKS, NoTurnHooks, TurnHooks

DEFAULT_MAX_TURNS = 50


@dataclass
class QueryLoop:
    """One query's loop.

    Args:
        model: who answers.
        request: makes the model's request from the conversation so far.
        run_tools: runs the calls of one message; outcomes in order.
        add_message: puts a message into the conversation.
        cancellation: stops the query.
        max_turns: how many times the model may be asked.
        news: what has happened outside of the conversation since it was last asked; told beside prompt and results.
        hooks: who has a say in the turn.
    """

    model: Model
    request: Callable[[], ModelRequest]
    run_tools: Callable[[Sequence[ToolUse], Message], AsyncGenerator[Outcome, None]]
    add_message: Callable[[Message], None]
    cancellation: Cancellation
    max_turns: int = DEFAULT_MAX_TURNS
    news: Callable[[], Sequence[str]] = tuple
    hooks: TurnHooks = field(default_factory=NoTurnHooks)

    async def run(self, prompt: str, reminders: Sequence[str] = ()) -> AsyncGenerator[Update, None]:
        """Everything that happens from the prompt to the final answer; the last update is a :class:`TurnEnded`.

        Args:
            reminders: what the model should know beside the prompt, e.g. what a person did since the last one.
        """
        verdict = await self.hooks.on_prompt(prompt)
        if verdict.ends is not None:
            yield TurnEnded("hook", "", verdict.ends)
            return
        texts = (*reminders, *self.news(), *verdict.texts, prompt)
        yield self._add(Message("user", tuple(map(TextBlock, texts))))
        text, refusals = "", 0
        for _ in range(self.max_turns):
            turn = _AssistantTurn()
            async for update in self._ask(turn):
                yield update
            if turn.ended is not None:
                if turn.text:
                    yield self._add(turn.message(without_tools=True))
                if turn.ended.reason == "error":
                    await self.hooks.on_failure(turn.ended.detail, turn.text)
                yield turn.ended
                return
            message, text = turn.message(), turn.text
            if message.tool_uses:
                step, refusals = self._run_tools(message, text), 0
            else:
                step, refusals = self._end(message, text, refusals), refusals + 1
            async with aclosing(step) as updates:
                async for update in updates:
                    yield update
                    if isinstance(update, TurnEnded):
                        return
        yield TurnEnded("max_turns", text, f"the model was asked {self.max_turns} times")

    async def _end(self, message: Message, text: str, refusals: int) -> AsyncGenerator[Update, None]:
        """The model has nothing more to run: the turn is over, unless somebody refuses that."""
        yield self._add(message)
        verdict = await self.hooks.on_stop(text, refusals > 0)
        if verdict.refused is None or verdict.ends is not None:
            yield TurnEnded("end_turn", text, verdict.ends or "")
        elif self.cancellation.cancelled:
            yield TurnEnded("interrupted", text, self.cancellation.reason)
        elif refusals >= MAX_STOP_BLOCKS:
            yield TurnEnded("end_turn", text, f"its end was refused {refusals} times in a row: {verdict.refused}")
        else:
            yield self._add(Message("user", tuple(map(TextBlock, (*verdict.texts, verdict.refused)))))

    def _add(self, message: Message) -> MessageAdded:
        self.add_message(message)
        return MessageAdded(message)

    async def _ask(self, turn: _AssistantTurn) -> AsyncIterator[Update]:
        """Stream one assistant message into ``turn``; a failure or a stop ends up in ``turn.ended``."""
        stream = self.model.stream(self.request())
        try:
            while (part := await self._next(stream)) is not None:
                if isinstance(part, TextPart):
                    turn.add_text(part.text)
                    yield TextDelta(part.text)
                elif isinstance(part, ToolUsePart):
                    turn.blocks.append(part.tool_use)
                    yield ToolUseReady(part.tool_use)
        except InterruptedToolError as stopped:
            turn.ended = TurnEnded("interrupted", turn.text, str(stopped))
        except Exception as failure:  # a provider can fail in any way; the person is told, the history stays whole
            turn.ended = TurnEnded("error", turn.text, f"{type(failure).__name__}: {failure}")

    async def _next(self, stream: AsyncIterator[ModelPart]) -> ModelPart | None:
        """The next part, ``None`` at the end. The scope lies around one part, so that none is open while we yield."""
        part = None
        with CutScope(self.cancellation) as scope:
            part = await anext(stream, None)
        if scope.cut:
            self.cancellation.check()
        return part

    async def _run_tools(self, message: Message, text: str) -> AsyncGenerator[Update, None]:
        """Put the message into the conversation, run its calls and add their results.

        Whoever leaves the query half-way, or cancels it, leaves a conversation that can go on: every call has a result.
        """
        outcomes: list[Outcome] = []
        try:
            yield self._add(message)
            async with aclosing(self.run_tools(message.tool_uses, message)) as running:
                async for outcome in running:
                    outcomes.append(outcome)
                    yield CallFinished(outcome)
        finally:
            missing = [interrupted_outcome(use, "the query was left") for use in message.tool_uses[len(outcomes) :]]
            results = (outcome.block for outcome in (*outcomes, *missing))
            added = self._add(Message("user", (*results, *map(TextBlock, self.news()))))
        yield added
        for outcome in outcomes:
            made = outcome.result.new_messages if outcome.result else ()
            for new in tag_messages_with_tool_use_id(made, outcome.tool_use.id):
                yield self._add(new)
        if self.cancellation.cancelled:
            yield TurnEnded("interrupted", text, self.cancellation.reason)
            return
        verdict = await self.hooks.after_tools(outcomes)
        if verdict.texts:
            yield self._add(Message("user", tuple(map(TextBlock, verdict.texts))))
        if verdict.ends is not None:
            yield TurnEnded("hook", text, verdict.ends)


class _AssistantTurn:
    """One assistant message while it streams."""

    def __init__(self) -> None:
        self.blocks: list[TextBlock | ToolUse] = []
        self.ended: TurnEnded | None = None

    @property
    def text(self) -> str:
        return "".join(b.text for b in self.blocks if isinstance(b, TextBlock))

    def add_text(self, text: str) -> None:
        if self.blocks and isinstance(self.blocks[-1], TextBlock):
            self.blocks[-1] = TextBlock(self.blocks[-1].text + text)
        else:
            self.blocks.append(TextBlock(text))

    def message(self, *, without_tools: bool = False) -> Message:
        """The message; without its tool calls when they will never get a result."""
        blocks = tuple(b for b in self.blocks if not (without_tools and isinstance(b, ToolUse)))
        return Message("assistant", blocks or (TextBlock("(no answer)"),))
